// Bhattacharyya's distance, the baseline of the tracker: sqrt(1 - sum of sqrt(p q)) of histograms
// scaled to mass 1.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::emd {

double bhattacharyya(std::span<const std::uint16_t> first, std::span<const std::uint16_t> second);

// Computes, for every pixel, the distance in thousandths of its window (border repeated) to a
// target, on the CPU.
class BhattacharyyaMapper {
 public:
  BhattacharyyaMapper(std::span<const double> target, int window, const Exec& exec);
  void set_target(std::span<const double> target);
  void map(ImageView<const std::uint8_t> labels, ImageView<float> distances) const;

 private:
  int window_;
  Exec exec_;
  std::vector<float> roots_{};  // square roots of the target's shares
};

}  // namespace fovea::emd
