// Rows are handled in parallel. The partial sums for several representatives are computed together,
// so that a row is read only once.
#include "mesh/divide/fuzzy_engine.h"

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "mesh/divide/fuzzy_math.h"

namespace fovea::mesh::cpu {
namespace {

constexpr int kRowsAtOnce = 8;

using Lanes = std::array<float, kSumLanes>;

// Adds in the same order as the threads of a warp.
double tree_sum(const Lanes& lanes) {
  std::array<double, kSumLanes> sums{};
  std::copy(lanes.begin(), lanes.end(), sums.begin());
  for (std::size_t apart = kSumLanes / 2; apart > 0; apart /= 2)
    for (std::size_t lane = 0; lane < apart; ++lane) sums[lane] += sums[lane + apart];
  return sums[0];
}

double weighted_sum(const float* row, const float* weight, int faces) {
  Lanes lanes{};
  int face = 0;
  for (; face + kSumLanes <= faces; face += kSumLanes)
    for (int lane = 0; lane < kSumLanes; ++lane)
      lanes[static_cast<std::size_t>(lane)] = add_weighted(row[face + lane], weight[face + lane],
                                                           lanes[static_cast<std::size_t>(lane)]);
  for (int lane = 0; face + lane < faces; ++lane)
    lanes[static_cast<std::size_t>(lane)] =
        add_weighted(row[face + lane], weight[face + lane], lanes[static_cast<std::size_t>(lane)]);
  return tree_sum(lanes);
}

class CpuFuzzy final : public FuzzyEngine {
 public:
  CpuFuzzy(ImageView<const float> rows, const Exec& exec) : rows_(rows), exec_(exec) {}

  std::vector<float> row(std::size_t candidate) override {
    const float* from = &rows_.at(0, static_cast<int>(candidate));
    return {from, from + rows_.width};
  }
  std::vector<double> totals() override {
    Image<float> ones(rows_.width, 1);
    std::fill_n(&ones.at(0, 0), rows_.width, 1.0F);
    return sums(ones.view());
  }
  std::vector<float> reaches() override {
    std::vector<float> result(static_cast<std::size_t>(rows_.height));
    each_row([&](int i) {
      const float* from = &rows_.at(0, i);
      result[static_cast<std::size_t>(i)] = *std::max_element(from, from + rows_.width);
    });
    return result;
  }
  void belong_to(std::span<const std::size_t> representatives, int power) override {
    const auto count = static_cast<int>(representatives.size());
    membership_ = Image<float>(rows_.width, count);
    std::vector<double> share(representatives.size());
    for (int face = 0; face < rows_.width; ++face) {
      double sum = 0;
      for (std::size_t i = 0; i < share.size(); ++i) {
        share[i] = nearness(rows_.at(face, static_cast<int>(representatives[i])), power);
        sum += share[i];
      }
      for (int i = 0; i < count; ++i)
        membership_.at(face, i) = static_cast<float>(share[static_cast<std::size_t>(i)] / sum);
    }
  }
  const Image<float>& memberships() override { return membership_; }
  std::vector<double> weighted_totals() override { return sums(membership_.view()); }

 private:
  template <class Each>
  void each_row(const Each& each) {
    parallel_for(exec_, rows_.height, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) each(static_cast<int>(i));
    });
  }
  std::vector<double> sums(ImageView<const float> weights) {
    const auto count = static_cast<std::size_t>(weights.height);
    std::vector<double> result(static_cast<std::size_t>(rows_.height) * count);
    each_row([&](int i) {
      for (std::size_t j = 0; j < count; ++j)
        result[static_cast<std::size_t>(i) * count + j] =
            weighted_sum(&rows_.at(0, i), &weights.at(0, static_cast<int>(j)), rows_.width);
    });
    return result;
  }

  ImageView<const float> rows_;
  Exec exec_;
  Image<float> membership_;
};

}  // namespace

std::unique_ptr<FuzzyEngine> make_fuzzy_engine(const CandidateRows& candidates, const Exec& exec) {
  return std::make_unique<CpuFuzzy>(candidates.rows, exec);
}

}  // namespace fovea::mesh::cpu
