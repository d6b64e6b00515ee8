// What one part of the samples answers. It keeps labels from round to round, with the centers that
// they belong to; where a request continues from others, it finds them anew from the centers that
// the request has. It also keeps distances from the nearest center, with the name of the request
// that brought the last one; where a request follows another one, it recalls those that it missed.
#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/dispatch.h"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/plus_plus.h"
#include "scenes/parts/ranges.h"

namespace fovea::scenes {
namespace {

constexpr const char* kPart = "SamplePart";

// How many numbers a request has for samples of so many.
std::size_t numbers_of(RoundKind kind, std::size_t width) {
  switch (kind) {
    case RoundKind::kSums: return width;
    case RoundKind::kSquares: return 2 * width;
    case RoundKind::kNearest:
    case RoundKind::kFind: return 1;
    case RoundKind::kAssign:
    case RoundKind::kFarthest: return width + 1;
    default: return 0;
  }
}

// Whether a request has so many centers.
bool has_centers(RoundKind kind, int count) {
  switch (kind) {
    case RoundKind::kNearest: return count == 1;
    case RoundKind::kAssign:
    case RoundKind::kFarthest: return count > 0;
    default: return count == 0;
  }
}

// What a part without samples answers.
RoundAnswer answer_of_none(const RoundRequest& request) {
  const auto clusters = static_cast<std::size_t>(request.centers.height());
  const auto width = static_cast<std::size_t>(request.centers.width());
  switch (request.kind) {
    case RoundKind::kRanges:
    case RoundKind::kNearest: return {.wholes = {0}};
    case RoundKind::kSums: return {.wholes = std::vector<std::int64_t>(request.numbers.size())};
    case RoundKind::kSquares:
      return {.wholes = std::vector<std::int64_t>(request.numbers.size() / 2)};
    case RoundKind::kAssign:
      return {.wholes = std::vector<std::int64_t>(2 + clusters * (1 + width))};
    default: return {};
  }
}

bool same_rows(ImageView<const float> a, ImageView<const float> b) {
  if (a.width != b.width || a.height != b.height) return false;
  for (int y = 0; y < a.height; ++y)
    if (!std::equal(a.row(y), a.row(y) + a.width, b.row(y))) return false;
  return true;
}

void require_that(bool fits, const char* what) {
  if (!fits)
    throw InvalidArgument(fmt::format(
        "{}: the request does not fit the samples ({}); give the samples it was made for", kPart,
        what));
}

}  // namespace

std::uint64_t hash_of_samples(ImageView<const float> samples) {
  cluster::Hasher hasher;
  for (int y = 0; y < samples.height; ++y)
    hasher.add({reinterpret_cast<const char*>(samples.row(y)),
                static_cast<std::size_t>(samples.width) * sizeof(float)});
  return hasher.result();
}

bool is_asked(const RoundRequest& request, const PartPlace& part, std::uint64_t samples) {
  if (request.samples.empty()) return true;
  const auto index = static_cast<std::size_t>(part.index);
  return part.job == request.job && index < request.samples.size() &&
         samples == request.samples[index];
}

struct SamplePart::Impl {
  Impl(Image<float> samples, PartPlace place, const Exec& asked)
      : points(std::move(samples)),
        index(place.index),
        job(place.job),
        hash(hash_of_samples(std::as_const(points).view())) {
    Exec cpu = asked;
    cpu.device = Device::cpu();
    cpu.stream = nullptr;
    cpu.progress = {};
    exec = detail::resolve_exec(kPart, cpu, {points.view()});
  }

  std::int64_t first(const RoundRequest& request) const {
    return request.firsts[static_cast<std::size_t>(index)];
  }
  void check(const RoundRequest& request) const;
  bool can_answer(const RoundRequest& request) const {
    return mean.empty() || (mean == request.mean && scale == request.scale);
  }
  void take_standard(const RoundRequest& request);
  RoundAnswer ranges() const;
  RoundAnswer rows(const RoundRequest& request) const;
  std::optional<RoundName> missed_before(const RoundRequest& request) const;
  void catch_up(const RoundRequest& request, const RecallRequest& recall);
  void measure(const RoundRequest& request);
  RoundAnswer find(const RoundRequest& request) const;
  detail::PartEngine& engine_for(const RoundRequest& request);
  std::vector<detail::KmeansTransfer> transfers(const RoundRequest& request) const;
  RoundAnswer assign(const RoundRequest& request);
  RoundAnswer farthest(const RoundRequest& request);
  RoundAnswer compute(const RoundRequest& request);

  Image<float> points;  // standardized once a request says how
  int index;
  std::uint64_t job;
  std::uint64_t hash;
  Exec exec;
  std::vector<float> mean{}, scale{};  // by which points are standardized
  std::optional<fovea::cpu::PlusPlusDistances> distances{};
  std::optional<RoundName> measured{};  // the request whose distances these are
  std::unique_ptr<detail::PartEngine> engine{};
  std::vector<double> engine_scales{};
  Image<float> labeled_by{};  // the centers whose labels the engine has
};

void SamplePart::Impl::check(const RoundRequest& request) const {
  require_that(is_asked(request, {index, job}, hash), "it is for others");
  if (request.kind == RoundKind::kRanges) return;
  const auto parts = static_cast<std::int64_t>(request.firsts.size()) - 1;
  require_that(index < parts, "there are fewer parts");
  require_that(
      request.firsts[static_cast<std::size_t>(index) + 1] - first(request) == points.height(),
      "another number of samples");
  if (points.empty()) return;
  const auto width = static_cast<std::size_t>(points.width());
  const auto fits = [&](const Image<float>& rows) {
    return rows.empty() || rows.width() == points.width();
  };
  require_that(fits(request.centers) && fits(request.before) &&
                   (request.mean.empty() || request.mean.size() == width),
               "samples of another length");
  require_that(request.numbers.size() == numbers_of(request.kind, width), "other scales");
  require_that(has_centers(request.kind, request.centers.height()), "another number of centers");
  if (request.kind == RoundKind::kFind)
    require_that(request.points.size() == 2, "it does not name one part and one number");
}

void SamplePart::Impl::take_standard(const RoundRequest& request) {
  require_that(can_answer(request), "standardized for another learning");
  if (request.mean.empty() || !mean.empty()) return;
  Dictionary dictionary;
  dictionary.mean = mean = request.mean;
  dictionary.scale = scale = request.scale;
  standardize(dictionary, points.view());
  distances.reset();
  measured.reset();
  engine.reset();
}

RoundAnswer SamplePart::Impl::ranges() const {
  for (int y = 0; y < points.height(); ++y)
    for (int i = 0; i < points.width(); ++i)
      if (!std::isfinite(points.at(i, y)))
        throw InvalidArgument(
            fmt::format("{}: number {} of sample {} of part {} is {}, expected finite ones", kPart,
                        i, y, index, points.at(i, y)));
  const NumberRanges ranges = ranges_of(points.view());
  return {.wholes = {ranges.count}, .rows = range_rows(ranges)};
}

RoundAnswer SamplePart::Impl::rows(const RoundRequest& request) const {
  std::vector<int> own;
  for (const std::int64_t point : request.points)
    if (const std::int64_t place = point - first(request); place >= 0 && place < points.height())
      own.push_back(static_cast<int>(place));
  RoundAnswer answer;
  if (own.empty()) return answer;
  answer.rows = Image<float>(points.width(), static_cast<int>(own.size()));
  for (int y = 0; y < answer.rows.height(); ++y)
    std::copy_n(points.row(own[static_cast<std::size_t>(y)]), points.width(), answer.rows.row(y));
  return answer;
}

// The request that must be measured before this one can be answered.
std::optional<RoundName> SamplePart::Impl::missed_before(const RoundRequest& request) const {
  const bool asked = request.kind == RoundKind::kNearest ||
                     (request.kind == RoundKind::kFind && request.points[0] == index);
  if (!asked || points.empty() || !request.after || measured == request.after ||
      measured == name_of(request))
    return std::nullopt;
  return request.after;
}

// Measures all requests that came before this one, from the first that was missed.
void SamplePart::Impl::catch_up(const RoundRequest& request, const RecallRequest& recall) {
  std::vector<RoundRequest> missed;
  for (auto name = missed_before(request); name; name = missed_before(missed.back())) {
    require_that(recall != nullptr, "it follows others that were not asked");
    missed.push_back(recall(*name));
    require_that(missed.back().kind == RoundKind::kNearest && name_of(missed.back()) == *name,
                 "it follows another one than the one that was recalled");
    check(missed.back());
    take_standard(missed.back());
  }
  for (; !missed.empty(); missed.pop_back()) measure(missed.back());
}

void SamplePart::Impl::measure(const RoundRequest& request) {
  const RoundName name = name_of(request);
  if (measured == name) return;
  if (!request.after) distances.emplace(points.view(), request.numbers[0], exec);
  measured.reset();
  distances->add_center(request.centers.row(0));
  measured = name;
}

RoundAnswer SamplePart::Impl::find(const RoundRequest& request) const {
  if (request.points[0] != index) return {};
  require_that(distances && request.points[1] >= 0 && request.points[1] < distances->sum(),
               "other distances");
  return {.rows =
              clone(points.view().crop(0, distances->find(request.points[1]), points.width(), 1))};
}

detail::PartEngine& SamplePart::Impl::engine_for(const RoundRequest& request) {
  if (engine != nullptr && engine_scales == request.numbers) return *engine;
  engine = fovea::cpu::make_part_engine(points.view(), exec);
  engine_scales = request.numbers;
  labeled_by = {};
  engine->set_scales(
      {{request.numbers.begin(), request.numbers.end() - 1}, request.numbers.back()});
  return *engine;
}

// Samples of this part that have left their centers for others since the last assignment.
std::vector<detail::KmeansTransfer> SamplePart::Impl::transfers(const RoundRequest& request) const {
  const auto is_center = [&](std::int64_t number) {
    return number >= 0 && number < request.before.height();
  };
  std::vector<detail::KmeansTransfer> own;
  for (std::size_t i = 0; i + 2 < request.points.size(); i += 3) {
    const std::int64_t place = request.points[i] - first(request);
    const std::int64_t from = request.points[i + 1], to = request.points[i + 2];
    if (place < 0 || place >= points.height()) continue;
    require_that(is_center(from) && is_center(to), "fewer centers");
    own.push_back({static_cast<std::int32_t>(place), static_cast<std::int32_t>(from),
                   static_cast<std::int32_t>(to)});
  }
  return own;
}

RoundAnswer SamplePart::Impl::assign(const RoundRequest& request) {
  detail::PartEngine& part = engine_for(request);
  if (request.before.empty()) {
    part.start_with(request.centers.view());
  } else {
    if (!same_rows(labeled_by.view(), request.before.view())) {
      part.start_with(request.before.view());
      part.step(false);
    }
    const std::vector<detail::KmeansTransfer> own = transfers(request);
    if (!own.empty()) part.transfer(own);
    part.move_to(request.centers.view());
  }
  const detail::KmeansStep done = part.step(false);
  labeled_by = clone(request.centers);
  RoundAnswer answer{.wholes = {done.inertia, done.changed}};
  const auto counts = part.counts();
  answer.wholes.insert(answer.wholes.end(), counts.begin(), counts.end());
  const auto sums = part.sums();
  answer.wholes.insert(answer.wholes.end(), sums.begin(), sums.end());
  return answer;
}

RoundAnswer SamplePart::Impl::farthest(const RoundRequest& request) {
  require_that(request.points.size() == 1, "one number is expected");
  detail::PartEngine& part = engine_for(request);
  if (!same_rows(labeled_by.view(), request.centers.view())) {
    part.start_with(request.centers.view());
    part.step(false);
    labeled_by = clone(request.centers);
  }
  const std::vector<detail::KmeansCandidate> found =
      part.farthest(static_cast<int>(request.points[0]), request.numbers.back());
  RoundAnswer answer;
  if (found.empty()) return answer;
  answer.rows = Image<float>(1, static_cast<int>(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    answer.wholes.insert(answer.wholes.end(), {first(request) + found[i].point, found[i].label});
    answer.rows.at(0, static_cast<int>(i)) = found[i].distance;
  }
  return answer;
}

RoundAnswer SamplePart::Impl::compute(const RoundRequest& request) {
  const std::span<const double> numbers(request.numbers);
  const std::size_t half = numbers.size() / 2;
  switch (request.kind) {
    case RoundKind::kRanges: return ranges();
    case RoundKind::kSums: return {.wholes = sums_of(points.view(), numbers)};
    case RoundKind::kSquares:
      return {.wholes = squares_of(points.view(), numbers.first(half), numbers.subspan(half))};
    case RoundKind::kRows: return rows(request);
    case RoundKind::kNearest: measure(request); return {.wholes = {distances->sum()}};
    case RoundKind::kFind: return find(request);
    case RoundKind::kAssign: return assign(request);
    case RoundKind::kFarthest: return farthest(request);
  }
  return {};
}

std::span<const Choice> choices(RoundKind) {
  static constexpr std::array<Choice, 8> kChoices{
      {{"ranges", static_cast<int>(RoundKind::kRanges)},
       {"sums", static_cast<int>(RoundKind::kSums)},
       {"squares", static_cast<int>(RoundKind::kSquares)},
       {"rows", static_cast<int>(RoundKind::kRows)},
       {"nearest", static_cast<int>(RoundKind::kNearest)},
       {"find", static_cast<int>(RoundKind::kFind)},
       {"assign", static_cast<int>(RoundKind::kAssign)},
       {"farthest", static_cast<int>(RoundKind::kFarthest)}}};
  return kChoices;
}

SamplePart::SamplePart(Image<float> samples, PartPlace place, const Exec& exec)
    : impl_(std::make_unique<Impl>(std::move(samples), place, exec)) {
  if (place.index < 0)
    throw InvalidArgument(fmt::format("{}: index is {}, expected 0 or more", kPart, place.index));
}
SamplePart::SamplePart(SamplePart&&) noexcept = default;
SamplePart& SamplePart::operator=(SamplePart&&) noexcept = default;
SamplePart::~SamplePart() = default;

bool SamplePart::can_answer(const RoundRequest& request) const {
  return impl_->can_answer(request);
}

RoundAnswer SamplePart::answer(const RoundRequest& request, const RecallRequest& recall) {
  impl_->check(request);
  impl_->take_standard(request);
  impl_->catch_up(request, recall);
  RoundAnswer answer = impl_->points.empty() ? answer_of_none(request) : impl_->compute(request);
  answer.job = impl_->job;
  answer.samples = impl_->hash;
  return answer;
}

}  // namespace fovea::scenes
