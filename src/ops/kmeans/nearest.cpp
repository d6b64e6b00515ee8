// Checks centres and points and asks the twin of the device for the nearest of them.
#include <fmt/format.h>
#include <fovea/error.h>
#include <fovea/kmeans.h>

#include <cmath>
#include <utility>

#include "core/dispatch.h"
#include "ops/kmeans/backend.h"

namespace fovea {
namespace {

constexpr int kMostCentres = 65535;
constexpr int kMostDimensions = 4096;

void check_centres(ImageView<const float> centres) {
  const char* const name = "NearestCentre";
  if (centres.channels != 1)
    throw InvalidArgument(fmt::format(
        "{}: centres of {} channels, expected 1: a row holds a centre", name, centres.channels));
  if (centres.height < 1 || centres.height > kMostCentres)
    throw InvalidArgument(
        fmt::format("{}: {} centres, expected 1 to {}", name, centres.height, kMostCentres));
  if (centres.width < 1 || centres.width > kMostDimensions)
    throw InvalidArgument(fmt::format("{}: centres of {} numbers, expected 1 to {}", name,
                                      centres.width, kMostDimensions));
}

void check_numbers(ImageView<const float> centres) {
  for (int c = 0; c < centres.height; ++c)
    for (int i = 0; i < centres.width; ++i)
      if (!std::isfinite(centres.row(c)[i]))
        throw InvalidArgument(
            fmt::format("NearestCentre: number {} of centre {} is {}, expected "
                        "finite ones",
                        i, c, centres.row(c)[i]));
}

}  // namespace

struct NearestCentre::State {
  int centres;
  int dimensions;
  Exec exec;
  std::unique_ptr<detail::NearestEngine> engine;
};

NearestCentre::NearestCentre(ImageView<const float> centres, const Exec& exec) {
  check_centres(centres);
  const Exec resolved = detail::resolve_exec("NearestCentre", exec, {centres});
  const Image<float> on_host = clone(centres);
  check_numbers(on_host);
  state_ = std::make_unique<State>(State{centres.height, centres.width, resolved,
                                         detail::on_cuda(resolved)
                                             ? cuda::make_nearest_engine(on_host, resolved)
                                             : cpu::make_nearest_engine(on_host, resolved)});
}
NearestCentre::NearestCentre(NearestCentre&&) noexcept = default;
NearestCentre& NearestCentre::operator=(NearestCentre&&) noexcept = default;
NearestCentre::~NearestCentre() = default;

int NearestCentre::centres() const { return state_->centres; }
int NearestCentre::dimensions() const { return state_->dimensions; }

void NearestCentre::find(ImageView<const float> points, std::span<std::int32_t> labels) {
  const char* const name = "NearestCentre::find";
  if (labels.size() != static_cast<std::size_t>(std::max(points.height, 0)))
    throw InvalidArgument(
        fmt::format("{}: {} labels for {} points; one each", name, labels.size(), points.height));
  if (points.height <= 0) return;
  detail::require_shape(name, "points", points, state_->dimensions, points.height, 1);
  detail::resolve_exec(name, state_->exec, {points});
  state_->engine->find(points, labels, state_->exec);
}

std::vector<std::int32_t> NearestCentre::find(ImageView<const float> points) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(std::max(points.height, 0)));
  if (points.memory != Memory::kCuda) {
    find(points, labels);
    return labels;
  }
  Array<std::int32_t> there(labels.size(), Memory::kCuda);
  find(points, std::span(there.data(), there.size()));
  const int count = points.height;
  copy(packed_view(std::as_const(there).data(), 1, count, 1, Memory::kCuda),
       packed_view(labels.data(), 1, count), state_->exec);
  return labels;
}

}  // namespace fovea
