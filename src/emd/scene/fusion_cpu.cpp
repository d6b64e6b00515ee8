// CPU twin of fused scores. A tile of a row is worked on band by band and group by group, so that
// inner loops run over pixels and become vectors; each pixel's sums keep the order of the GPU's.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "emd/scene/fusion.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kAnglePixels = 128;  // per tile
constexpr std::int64_t kFuseRows = 8;

class AngleTile {
 public:
  explicit AngleTile(const detail::AngleParams& params)
      : params_(params), logs_(static_cast<std::size_t>(params.groups.groups) * kAnglePixels) {}

  void measure(StackView<const float> bands, int y, int first, ImageView<float> to) {
    const int count = std::min(kAnglePixels, bands.width - first);
    sum_bands(bands, y, first, count);
    for (int i = 0; i < count; ++i)
      to.at(first + i, y, 0) = detail::angle_distance(dot_[i], norm_[i]);
    compare_contrasts(count);
    for (int i = 0; i < count; ++i)
      to.at(first + i, y, 1) = detail::angle_distance(dot_[i], norm_[i]);
  }

 private:
  double* logs(int group) {
    return logs_.data() + static_cast<std::ptrdiff_t>(group) * kAnglePixels;
  }

  void sum_bands(StackView<const float> bands, int y, int first, int count) {
    const detail::SignatureParams& p = params_.groups;
    std::fill_n(dot_, count, 0.0);
    std::fill_n(norm_, count, 0.0);
    for (int g = 0; g < p.groups; ++g) {
      double* const sums = logs(g);
      std::fill_n(sums, count, 0.0);
      for (int b = p.first_band(g); b < p.first_band(g + 1); ++b) {
        const float* const row = bands.plane(b).row(y) + first;
        const double target = params_.target[b];
        for (int i = 0; i < count; ++i) {
          const auto value = static_cast<double>(row[i]);
          dot_[i] += value * target;
          norm_[i] += value * value;
          sums[i] += detail::counted(value, 1);
        }
      }
    }
  }

  void compare_contrasts(int count) {
    const detail::SignatureParams& p = params_.groups;
    std::fill_n(dot_, count, 0.0);
    std::fill_n(norm_, count, 0.0);
    for (int g = 0; g < p.groups; ++g) {
      double* const values = logs(g);
      for (int i = 0; i < count; ++i) {
        norm_[i] += values[i] * 0;  // NaN where a value is missing
        values[i] = detail::group_log(values[i], p.dark[g]) - p.mean[g];
      }
    }
    for (int g = 0; g < p.groups; ++g) {
      std::fill_n(white_, count, 0.0);
      for (int j = 0; j < p.groups; ++j) {
        const double weight = p.white[g * p.groups + j];
        const double* const values = logs(j);
        for (int i = 0; i < count; ++i) white_[i] += weight * values[i];
      }
      for (int i = 0; i < count; ++i) {
        dot_[i] += white_[i] * params_.toward[g];
        norm_[i] += white_[i] * white_[i];
      }
    }
  }

  detail::AngleParams params_;
  std::vector<double> logs_;
  double dot_[kAnglePixels]{}, norm_[kAnglePixels]{}, white_[kAnglePixels]{};
};

}  // namespace

void measure_angles(StackView<const float> bands, const detail::AngleParams& params,
                    ImageView<float> to, const Exec& exec) {
  parallel_for(exec, bands.height, kFuseRows, [&](std::int64_t begin, std::int64_t end) {
    AngleTile tile(params);
    for (auto y = static_cast<int>(begin); y < end; ++y)
      for (int x = 0; x < bands.width; x += kAnglePixels) tile.measure(bands, y, x, to);
  });
}

void fuse_scores(ImageView<const float> angles, const LevelTables& tables,
                 ImageView<float> distances, const Exec& exec) {
  parallel_for(exec, distances.height, kFuseRows, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<int>(begin); y < end; ++y)
      for (int x = 0; x < distances.width; ++x)
        distances.at(x, y) =
            detail::fused_score(tables.data(), distances.at(x, y), &angles.at(x, y));
  });
}

}  // namespace fovea::emd::cpu
