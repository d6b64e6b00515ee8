// What fused scores learn: the whitening of groups of bands, the target's directions, and for each
// score which share of the scene is as near to the target as a distance.
#include "emd/scene/fusion.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"

namespace fovea::emd {
namespace {

// Share of the greatest variance that is added to all variances before whitening.
constexpr double kFusedFloor = 1e-4;
// The nearest pixels have a knot each; behind them the step grows with the rank.
constexpr std::int64_t kStepRanks = 256;

SignatureOptions contrast_options(const Exec& exec) {
  SignatureOptions options;
  options.bins = 2 * detail::kFusedGroups + 1;
  options.floor = kFusedFloor;
  options.exec = exec;
  return options;
}

// A direction of length 1, or zeros where there is none.
void normalize_length(std::vector<double>& vector) {
  double squares = 0;
  for (const double value : vector) squares += value * value;
  if (!(squares > 0)) return;
  const double length = std::sqrt(squares);
  for (double& value : vector) value /= length;
}

}  // namespace

Fusion::Fusion(StackView<const float> scene, std::span<const float> target, const Exec& exec)
    : plan_(learn_signature(scene, contrast_options(exec))), target_(target.begin(), target.end()) {
  const detail::SignatureParams p = plan_.view();
  std::vector<double> logs(plan_.mean.size());
  for (int g = 0; g < p.groups; ++g) {
    double sum = 0;
    for (int b = p.first_band(g); b < p.first_band(g + 1); ++b)
      sum += detail::counted(target_[static_cast<std::size_t>(b)], 1);
    logs[static_cast<std::size_t>(g)] = detail::group_log(sum, p.dark[g]) - p.mean[g];
  }
  toward_.resize(logs.size());
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t j = 0; j < logs.size(); ++j)
      toward_[i] += plan_.white[i * logs.size() + j] * logs[j];
  normalize_length(target_);
  normalize_length(toward_);
}

detail::AngleParams Fusion::params() const {
  return {plan_.view(), target_.data(), toward_.data()};
}

Fusion::Levels Fusion::levels_of(std::vector<float> distances) {
  std::sort(distances.begin(), distances.end());
  const auto count = std::ssize(distances);
  Levels table;
  for (std::int64_t rank = 1; rank <= count; rank += 1 + rank / kStepRanks) {
    const float distance = distances[static_cast<std::size_t>(rank - 1)];
    const double level =
        -detail::log_of(static_cast<double>(rank) / static_cast<double>(count + 1));
    const bool equal = !table.distances.empty() && table.distances.back() == distance;
    if (equal) table.levels.back() = level;  // equal distances have the greater share
    if (equal) continue;
    table.distances.push_back(distance);
    table.levels.push_back(level);
  }
  return table;
}

void Fusion::learn_levels(ImageView<const float> distances, ImageView<const float> angles) {
  const auto pixels =
      static_cast<std::size_t>(distances.width) * static_cast<std::size_t>(distances.height);
  std::array<std::vector<float>, detail::kFusedScores> scores;
  for (std::vector<float>& score : scores) score.reserve(pixels);
  for (int y = 0; y < distances.height; ++y) {
    for (int x = 0; x < distances.width; ++x) {
      scores[0].push_back(distances.at(x, y));
      scores[1].push_back(angles.at(x, y, 0));
      scores[2].push_back(angles.at(x, y, 1));
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) levels_[i] = levels_of(std::move(scores[i]));
}

void Fusion::angles(StackView<const float> bands, ImageView<float> to, const Exec& exec) const {
  const auto twin = fovea::detail::on_cuda(exec) ? cuda::measure_angles : cpu::measure_angles;
  twin(bands, params(), to, exec);
}

void Fusion::fuse(ImageView<const float> angles, ImageView<float> distances,
                  const Exec& exec) const {
  LevelTables tables;
  for (std::size_t i = 0; i < tables.size(); ++i)
    tables[i] = {static_cast<int>(levels_[i].distances.size()), levels_[i].distances.data(),
                 levels_[i].levels.data()};
  const auto twin = fovea::detail::on_cuda(exec) ? cuda::fuse_scores : cpu::fuse_scores;
  twin(angles, tables, distances, exec);
}

}  // namespace fovea::emd
