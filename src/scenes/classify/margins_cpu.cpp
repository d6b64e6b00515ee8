// CPU twin of linear functions over mapped histograms. Empty bins add nothing and are left out.
#include <array>
#include <cstddef>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kMarginRows = 4;  // per piece of work

double margin_of(const KernelMap::Sparse& mapped, int numbers, const float* weights) {
  std::array<double, kPartialSums> partial{};
  for (std::size_t i = 0; i < mapped.bins.size(); ++i) {
    const auto first = static_cast<std::size_t>(mapped.bins[i]) * static_cast<std::size_t>(numbers);
    for (std::size_t k = 0; k < static_cast<std::size_t>(numbers); ++k)
      partial[(first + k) % kPartialSums] +=
          static_cast<double>(mapped.numbers[i][k]) * weights[first + k];
  }
  for (std::size_t width = kPartialSums / 2; width > 0; width /= 2)
    for (std::size_t k = 0; k < width; ++k) partial[k] += partial[k + width];
  return partial[0];
}

class CpuMargins final : public MarginEngine {
 public:
  explicit CpuMargins(const MarginPlan& plan) : plan_(plan), map_(plan.functions.kernel) {}

  void find(ImageView<const float> features, ImageView<double> margins) override {
    parallel_for(
        plan_.exec, features.height, kMarginRows, [&](std::int64_t begin, std::int64_t end) {
          KernelMap::Sparse mapped;
          for (int y = static_cast<int>(begin); y < end; ++y) {
            map_.map({features.row(y), static_cast<std::size_t>(features.width)}, mapped);
            for (int c = 0; c < margins.width; ++c)
              margins.at(c, y) = margin_of(mapped, map_.numbers(), plan_.functions.weights.row(c));
          }
        });
  }

 private:
  MarginPlan plan_;
  KernelMap map_;
};

}  // namespace

std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan) {
  return std::make_unique<CpuMargins>(plan);
}

}  // namespace fovea::scenes::cpu
