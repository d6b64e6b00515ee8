// Compares single descriptors with groups of others and finds the nearest of each group.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/ops/kmeans.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Computes squared distances to the nearest row of each group. Groups may have any size and may be
// empty.
class NearestRows {
 public:
  NearestRows(std::vector<Image<float>> groups, const Exec& exec);

  // Returns one row per point and one column per group; infinite for an empty group.
  Image<float> find(ImageView<const float> points);

 private:
  struct Part {
    int group;
    int first;  // first row of the group
    NearestCenter finder;
  };
  Exec exec_;
  std::vector<Image<float>> groups_;
  std::vector<Part> parts_;
};

// Returns the rows of all parts, one part below the other.
Image<float> stacked(std::span<const Image<float>> parts, int width);
// Returns descriptors of flow, followed by their mirror images.
Image<float> with_mirrored_hof(ImageView<const float> rows);

// Returns one distance per class: the least value among the columns of the class, averaged over the
// rows [begin, end). This is the image-to-class distance of Boiman, Shechtman and Irani (CVPR
// 2008). Columns with the label -1 are left out. Without rows, distances are infinite.
std::vector<double> single_distances(ImageView<const float> nearest, int begin, int end,
                                     std::span<const std::int32_t> labels, int classes);
// Returns the number of votes for each class: every row in [begin, end) votes for the class of its
// nearest column.
std::vector<int> single_votes(ImageView<const float> nearest, int begin, int end,
                              std::span<const std::int32_t> labels, int classes);

}  // namespace fovea::actions
