// CUDA twin of fused scores: one thread per pixel, which sums its bands, whitens its logarithms and
// looks its levels up.
#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "emd/scene/fusion.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr struct {
  int block_x = 64, block_y = 1;  // a piece of a row, so that bands are read in whole lines
} kFusionTuning;
constexpr dim3 kFusionThreads(kFusionTuning.block_x, kFusionTuning.block_y);

__global__ void __launch_bounds__(kFusionTuning.block_x* kFusionTuning.block_y)
    angles_kernel(StackView<const float> bands, detail::AngleParams params, ImageView<float> to) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= bands.width || at.y >= bands.height) return;
  const detail::SignatureParams& p = params.groups;
  double logs[detail::kFusedGroups];
  double dot = 0, norm = 0, missing = 0;
  for (int g = 0; g < p.groups; ++g) {
    double sum = 0;
    const int last = p.first_band(g + 1);
    for (int b = p.first_band(g); b < last; ++b) {
      const double value = static_cast<double>(bands.plane(b).at(at.x, at.y));
      dot += value * params.target[b];
      norm += value * value;
      sum += detail::counted(value, 1);
    }
    missing += sum * 0;
    logs[g] = detail::group_log(sum, p.dark[g]) - p.mean[g];
  }
  to.at(at.x, at.y, 0) = detail::angle_distance(dot, norm);
  dot = 0;
  norm = missing;
  for (int g = 0; g < p.groups; ++g) {
    double white = 0;
    for (int j = 0; j < p.groups; ++j) white += p.white[g * p.groups + j] * logs[j];
    dot += white * params.toward[g];
    norm += white * white;
  }
  to.at(at.x, at.y, 1) = detail::angle_distance(dot, norm);
}

struct TablesOnDevice {
  detail::LevelTable tables[detail::kFusedScores];
};
__global__ void fuse_kernel(ImageView<const float> angles, TablesOnDevice all,
                            ImageView<float> distances) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= distances.width || at.y >= distances.height) return;
  float& to = distances.at(at.x, at.y);
  to = detail::fused_score(all.tables, to, &angles.at(at.x, at.y));
}

dim3 fusion_grid(int width, int height) {
  return fovea::cuda::grid_over(width, height, kFusionThreads);
}

}  // namespace

void measure_angles(StackView<const float> bands, const detail::AngleParams& params,
                    ImageView<float> to, const Exec& exec) {
  constexpr const char* kName = "angles of spectra";
  Session session(exec);
  OnDevice<const float> source(session, bands);
  OnDevice<float> result(session, to);
  const auto n = static_cast<std::size_t>(params.groups.groups);
  const auto count = static_cast<std::size_t>(params.groups.bands);
  std::vector<double> tables;
  tables.reserve(count + n * (n + 3));
  tables.insert(tables.end(), params.target, params.target + count);
  tables.insert(tables.end(), params.toward, params.toward + n);
  tables.insert(tables.end(), params.groups.dark, params.groups.dark + n);
  tables.insert(tables.end(), params.groups.mean, params.groups.mean + n);
  tables.insert(tables.end(), params.groups.white, params.groups.white + n * n);
  DeviceBuffer<double> there(tables.size(), session.stream());
  there.fill(tables.data());
  detail::AngleParams moved = params;
  moved.target = there.data();
  moved.toward = moved.target + count;
  moved.groups.dark = moved.toward + n;
  moved.groups.mean = moved.groups.dark + n;
  moved.groups.white = moved.groups.mean + n;
  angles_kernel<<<fusion_grid(bands.width, bands.height), kFusionThreads, 0, session.stream()>>>(
      source.stack(), moved, result.image());
  check_launch(kName);
  result.fetch();
  session.finish(kName);
}

void fuse_scores(ImageView<const float> angles, const LevelTables& tables,
                 ImageView<float> distances, const Exec& exec) {
  constexpr const char* kName = "fused scores";
  Session session(exec);
  std::vector<float> knots;
  std::vector<double> levels;
  for (const detail::LevelTable& table : tables) {
    knots.insert(knots.end(), table.distances, table.distances + table.knots);
    levels.insert(levels.end(), table.levels, table.levels + table.knots);
  }
  DeviceBuffer<float> knots_there(knots.size(), session.stream());
  DeviceBuffer<double> levels_there(levels.size(), session.stream());
  knots_there.fill(knots.data());
  levels_there.fill(levels.data());
  TablesOnDevice all{};
  std::ptrdiff_t first = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    all.tables[i] = {tables[i].knots, knots_there.data() + first, levels_there.data() + first};
    first += tables[i].knots;
  }
  fuse_kernel<<<fusion_grid(distances.width, distances.height), kFusionThreads, 0,
                session.stream()>>>(angles, all, distances);
  check_launch(kName);
  session.finish(kName);
}

}  // namespace fovea::emd::cuda
