// The images of a study, of which as many as fit are kept in memory, and the windows that all
// variants learn from.
#pragma once
#include <fovea/people/study.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace fovea::people {

// A set of images that keeps what it has read, up to a number of bytes that several sets share.
class KeptImages final : public ImageSet {
 public:
  KeptImages(const ImageSet& images, std::atomic<std::int64_t>& bytes_left);
  int count() const override { return images_.count(); }
  Image<std::uint8_t> read(int index) const override;
  std::string name(int index) const override { return images_.name(index); }

 private:
  const ImageSet& images_;
  std::atomic<std::int64_t>& bytes_left_;
  mutable std::mutex mutex_{};
  mutable std::vector<std::shared_ptr<const Image<std::uint8_t>>> kept_{};
};

// Windows that were cut out, with a margin around each.
class CutWindows final : public ImageSet {
 public:
  explicit CutWindows(std::vector<Image<std::uint8_t>> crops) : crops_(std::move(crops)) {}
  int count() const override { return static_cast<int>(crops_.size()); }
  Image<std::uint8_t> read(int index) const override {
    return clone(crops_[static_cast<std::size_t>(index)]);
  }

 private:
  std::vector<Image<std::uint8_t>> crops_;
};

// How windows are cut: those that a window of this size is searched for by, with `margin` pixels
// more on each side.
struct CutPlan {
  Extent window;
  int margin;
  const LinearTrainOptions& search;
  Exec exec;
};
// Random windows of every image, the same for the same seed.
CutWindows cut_random_windows(const ImageSet& images, const CutPlan& plan);
// The middle of every crop, with the margin or as much of it as the crop has. Throws FormatError
// where a crop is smaller than the window or has unequal margins.
CutWindows cut_middles(const ImageSet& crops, const CutPlan& plan);

}  // namespace fovea::people
