#include "scenes/parts/parted_engine.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ops/kmeans/distances.h"
#include "ops/kmeans/means.h"
#include "ops/kmeans/plus_plus.h"

namespace fovea::scenes {

RoundAnswer PartsAsker::ask(RoundRequest& request) {
  request.number = next_++;
  request.job = parts_.job;
  request.samples = parts_.samples;
  request.firsts = firsts_;
  request.mean = mean_;
  request.scale = scale_;
  RoundAnswer answer = ask_(request);
  if (!parts_.samples.empty() && answer.job != parts_.job)
    throw InvalidArgument("the answer is that of another job; give the parts of one");
  if (request.number == 0) hash_ = answer.samples;
  if (answer.samples != hash_)
    throw InvalidArgument(
        "a part answers from other samples than before; give all parts the samples that learning "
        "began with, or begin anew");
  return answer;
}

RoundAnswer PartsAsker::ask(RoundRequest& request, std::size_t wholes) {
  RoundAnswer answer = ask(request);
  if (answer.wholes.size() != wholes)
    throw InvalidArgument(fmt::format("parts answer with {} whole numbers, expected {}",
                                      answer.wholes.size(), wholes));
  return answer;
}

void PartsAsker::set_counts(std::span<const std::int64_t> counts) {
  firsts_.assign(1, 0);
  for (const std::int64_t count : counts) firsts_.push_back(firsts_.back() + count);
}

Image<float> PartsAsker::rows(std::span<const std::int64_t> points) {
  RoundRequest request{.kind = RoundKind::kRows};
  request.points.assign(points.begin(), points.end());
  const Image<float> joined = ask(request, 0).rows;
  if (joined.height() != static_cast<int>(points.size()))
    throw InvalidArgument(
        fmt::format("parts answer with {} samples, expected {}", joined.height(), points.size()));
  // Each part has given its own samples in the order of the request.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto part_of = [&](std::size_t i) {
    return std::ranges::upper_bound(firsts_, points[i]) - firsts_.begin();
  };
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return part_of(a) < part_of(b); });
  Image<float> rows(joined.width(), joined.height());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(joined.row(static_cast<int>(i)), joined.width(),
                rows.row(static_cast<int>(order[i])));
  return rows;
}

void PartedEngine::start_with(Image<float> centers) {
  centers_ = std::move(centers);
  before_ = {};
  moved_.clear();
}

void PartedEngine::start_at(std::span<const std::int32_t> points) {
  start_with(asker_.rows(std::vector<std::int64_t>(points.begin(), points.end())));
}

// A request has the newest center only, and says which one it follows.
void PartedEngine::start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) {
  std::optional<RoundName> last;
  std::vector<std::int64_t> sums;  // of each part
  const std::vector<Image<float>> chosen = fovea::cpu::draw_centers<Image<float>>(
      {.at =
           [&](std::int64_t point) {
             return asker_.rows({&point, 1});
           },
       .add_center =
           [&](const Image<float>& center) {
             RoundRequest request{.kind = RoundKind::kNearest,
                                  .numbers = {scales_.distance},
                                  .centers = clone(center),
                                  .after = last};
             sums = asker_.ask(request, static_cast<std::size_t>(asker_.parts())).wholes;
             last = name_of(request);
             return std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
           },
       .find = [&](std::int64_t drawn) { return find(*last, sums, drawn); }},
      asker_.samples(), clusters, Random(seed, sequence), exec_);
  Image<float> centers(dimensions(), clusters);
  for (int y = 0; y < clusters; ++y)
    std::copy_n(chosen[static_cast<std::size_t>(y)].row(0), dimensions(), centers.row(y));
  start_with(std::move(centers));
}

// The sample at which the sum of distances over all parts exceeds a number.
Image<float> PartedEngine::find(const RoundName& after, std::span<const std::int64_t> sums,
                                std::int64_t drawn) {
  std::int64_t part = 0;
  for (; drawn >= sums[static_cast<std::size_t>(part)]; ++part)
    drawn -= sums[static_cast<std::size_t>(part)];
  RoundAnswer answer = asker_.ask({.kind = RoundKind::kFind,
                                   .points = {part, drawn},
                                   .numbers = {scales_.distance},
                                   .after = after},
                                  0);
  if (answer.rows.height() != 1 || answer.rows.width() != dimensions())
    throw InvalidArgument("the parts answered a request for one sample with something else");
  return std::move(answer.rows);
}

RoundRequest PartedEngine::assignment(RoundKind kind) const {
  RoundRequest request{.kind = kind, .numbers = scales_.values};
  request.numbers.push_back(scales_.distance);
  return request;
}

detail::KmeansStep PartedEngine::step(bool move) {
  const auto clusters = static_cast<std::size_t>(centers_.height());
  RoundRequest request = assignment(RoundKind::kAssign);
  request.centers = clone(centers_);
  request.before = clone(before_);
  request.points = std::exchange(moved_, {});
  const std::vector<std::int64_t> wholes =
      asker_.ask(request, 2 + clusters * (1 + survey_.largest.size())).wholes;
  const auto counts = wholes.begin() + 2, sums = counts + static_cast<std::ptrdiff_t>(clusters);
  counts_.assign(counts, sums);
  sums_.assign(sums, wholes.end());
  before_ = clone(centers_);
  detail::KmeansStep step{.inertia = wholes[0], .changed = wholes[1]};
  step.empty = static_cast<std::int32_t>(std::ranges::count(counts_, 0));
  if (move)
    step.squared_shift = detail::move_to_means({sums_, counts_}, scales_, before_, centers_.view());
  return step;
}

detail::KmeansStep PartedEngine::step_batch(std::span<const std::int32_t>) {
  throw InvalidArgument("learn_dictionary: samples in parts cannot be looked at in mini-batches");
}

std::vector<detail::KmeansCandidate> PartedEngine::farthest(int most, double) {
  RoundRequest request = assignment(RoundKind::kFarthest);
  request.centers = clone(before_);
  request.points = {most};
  const RoundAnswer answer = asker_.ask(request);
  if (answer.wholes.size() != 2 * static_cast<std::size_t>(answer.rows.height()))
    throw InvalidArgument("parts do not answer with one distance per sample");
  std::vector<detail::KmeansCandidate> candidates;
  for (int i = 0; i < answer.rows.height(); ++i) {
    const auto* sample = answer.wholes.data() + std::ptrdiff_t{2} * i;
    if (sample[1] < 0 || sample[1] >= centers_.height())
      throw InvalidArgument(
          fmt::format("a part answers with center {} of {}", sample[1], centers_.height()));
    candidates.push_back({static_cast<std::int32_t>(sample[0]),
                          static_cast<std::int32_t>(sample[1]), answer.rows.at(0, i)});
  }
  detail::keep_farthest(candidates, most);
  return candidates;
}

double PartedEngine::transfer(std::span<const detail::KmeansTransfer> transfers) {
  std::vector<std::int64_t> points;
  points.reserve(transfers.size());
  for (const detail::KmeansTransfer& one : transfers) points.push_back(one.point);
  const Image<float> rows = asker_.rows(points);
  const auto add = [&](int row, std::int32_t cluster, std::int64_t sign) {
    fovea::cpu::add_whole(rows.row(row), scales_.values.data(), dimensions(), sign,
                          sums_.data() + std::ptrdiff_t{cluster} * dimensions());
    counts_[static_cast<std::size_t>(cluster)] += sign;
  };
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const detail::KmeansTransfer& one = transfers[i];
    add(static_cast<int>(i), one.from, -1);
    add(static_cast<int>(i), one.to, 1);
    moved_.insert(moved_.end(), {one.point, one.from, one.to});
  }
  return detail::move_to_means({sums_, counts_}, scales_, before_, centers_.view());
}

void PartedEngine::read_centers(ImageView<float> centers) {
  copy(std::as_const(centers_).view(), centers);
}

}  // namespace fovea::scenes
