// Distances part by part, after the fragments of Adam, Rivlin and Shimshoni ("Robust
// fragments-based tracking using the integral histogram", 2006): integral histograms of a region
// give a part's histogram with four reads per bin, and the exact solver compares it. There are six
// fixed parts, whose mean distance counts; the paper's many fragments and its way of outvoting
// hidden ones are left out.
#include "emd/track/track_parts.h"

#include <cmath>

#include "emd/track/track_bhattacharyya.h"

namespace fovea::emd {
namespace {

SolverOptions solver_options(const Exec& exec) {
  SolverOptions options;
  options.mass = MassPolicy::kNormalize;
  options.exec = exec;
  options.exec.device = Device::cpu();  // batches have only a few hundred problems
  return options;
}

}  // namespace

Rect<int> part_of(const Rect<int>& box, int part) {
  const int width = std::max(1, box.width / kPartColumns);
  const int height = std::max(1, box.height / kPartRows);
  return {box.x + part % kPartColumns * width, box.y + part / kPartColumns * height, width, height};
}

PartModel::PartModel(const GroundDistance& ground, TrackDistance distance, const Exec& exec,
                     ImageView<const std::uint8_t> labels, const Rect<int>& box)
    : bins_(ground.rows()),
      distance_(distance),
      exec_(exec),
      solver_(ground, solver_options(exec)) {
  exec_.device = Device::cpu();
  look_at(labels, intersect(box, {0, 0, labels.width, labels.height}));
  model_.resize(static_cast<std::size_t>(kParts) * bins_);
  for (int part = 0; part < kParts; ++part)
    histogram(part_of(box, part), model_.data() + static_cast<std::ptrdiff_t>(part) * bins_);
}

void PartModel::look_at(ImageView<const std::uint8_t> labels, const Rect<int>& region) {
  region_ = region;
  if (sums_.width() != region.width + 1 || sums_.height() != region.height + 1)
    sums_ = Stack<std::uint32_t>(region.width + 1, region.height + 1, bins_);
  IntegralHistogramOptions options;
  options.exec = exec_;
  integral_histogram(labels.crop(region.x, region.y, region.width, region.height), sums_.view(),
                     options);
}

bool PartModel::histogram(const Rect<int>& part, std::uint16_t* masses) const {
  const Rect<int> inside = intersect(part, region_);
  int shift = 0;  // counts of large parts are shifted to fit
  while (area_of(inside) >> shift > 65535) ++shift;
  for (int bin = 0; bin < bins_; ++bin)
    masses[bin] = inside.empty()
                      ? std::uint16_t{0}
                      : static_cast<std::uint16_t>(
                            rectangle_sum(sums_.view().plane(bin), inside.x - region_.x,
                                          inside.y - region_.y, inside.width, inside.height) >>
                            shift);
  return 2 * area_of(inside) >= area_of(part);
}

std::vector<double> PartModel::distances(std::span<const Rect<int>> places) {
  const auto row = static_cast<std::size_t>(bins_);
  std::vector<std::size_t> owner;  // index of the place of each row
  std::vector<double> result(places.size(), 0);
  first_.clear();
  second_.clear();
  std::vector<std::uint16_t> masses(row);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (int part = 0; part < kParts; ++part) {
      if (!histogram(part_of(places[i], part), masses.data())) {
        result[i] += 1.0 / kParts;
        continue;
      }
      owner.push_back(i);
      first_.insert(first_.end(), masses.begin(), masses.end());
      const auto* const model = model_.data() + static_cast<std::size_t>(part) * row;
      second_.insert(second_.end(), model, model + row);
    }
  }
  if (owner.empty()) return result;
  const auto rows = [&](std::vector<std::uint16_t>& values) {
    return ImageView<const std::uint16_t>(
        packed_view(values.data(), bins_, static_cast<int>(owner.size())));
  };
  std::vector<double> found(owner.size());
  if (distance_ == TrackDistance::kEmd) {
    solver_.solve<std::uint16_t>(rows(first_), rows(second_), {.distance = found.data()});
    for (double& distance : found) distance /= 1000;  // costs are thousandths
  } else {
    for (std::size_t i = 0; i < owner.size(); ++i)
      found[i] = bhattacharyya(std::span(first_).subspan(i * row, row),
                               std::span(second_).subspan(i * row, row));
  }
  for (std::size_t i = 0; i < owner.size(); ++i) result[owner[i]] += found[i] / kParts;
  return result;
}

}  // namespace fovea::emd
