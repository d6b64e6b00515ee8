// Single descriptors against those of others: the nearest one of each group of them.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/ops/kmeans.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Squared distances to the nearest row of each group. Groups of any size, also empty ones.
class NearestRows {
 public:
  NearestRows(std::vector<Image<float>> groups, const Exec& exec);

  // One row per point and one column per group; infinite for an empty group.
  Image<float> find(ImageView<const float> points);

 private:
  struct Part {
    int group;
    int first;  // row of the group
    NearestCenter finder;
  };
  Exec exec_;
  std::vector<Image<float>> groups_;
  std::vector<Part> parts_;
};

// The rows of all parts, one part below the other.
Image<float> stacked(std::span<const Image<float>> parts, int width);
// Descriptors of flow, followed by their mirror images.
Image<float> with_mirrored_hof(ImageView<const float> rows);

// One distance per class: the least value among the columns of the class, averaged over the rows
// [begin, end). This is the image-to-class distance of Boiman, Shechtman and Irani (CVPR 2008).
// Columns with the label -1 are left out.
std::vector<double> single_distances(ImageView<const float> nearest, int begin, int end,
                                     std::span<const std::int32_t> labels, int classes);
// The number of votes for each class, where every row in [begin, end) votes for the class of its
// nearest column.
std::vector<int> single_votes(ImageView<const float> nearest, int begin, int end,
                              std::span<const std::int32_t> labels, int classes);

}  // namespace fovea::actions
