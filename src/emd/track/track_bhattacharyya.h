// Bhattacharyya's distance, the tracker's yardstick: sqrt(1 - sum of sqrt(p q)) of histograms
// scaled to mass 1.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::emd {

double bhattacharyya(std::span<const std::uint16_t> first, std::span<const std::uint16_t> second);

// The distance, in thousandths, of every pixel's window (border repeated) to a target, on the CPU.
class BhattacharyyaMapper {
 public:
  BhattacharyyaMapper(std::span<const double> target, int window, const Exec& exec);
  void set_target(std::span<const double> target);
  void map(ImageView<const std::uint8_t> labels, ImageView<float> distances) const;

 private:
  int window_;
  Exec exec_;
  std::vector<float> roots_{};  // of the target's shares
};

}  // namespace fovea::emd
