// Checks centers and points and calls the twin of the device to find the nearest center of each
// point.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/resident.h"
#include "ops/kmeans/backend.h"

namespace fovea {
namespace {

constexpr int kMostCenters = 65535;
constexpr int kMostDimensions = 4096;

void check_centers(ImageView<const float> centers) {
  const char* const name = "NearestCenter";
  if (centers.channels != 1)
    throw InvalidArgument(fmt::format(
        "{}: centers of {} channels, expected 1: a row holds a center", name, centers.channels));
  if (centers.height < 1 || centers.height > kMostCenters)
    throw InvalidArgument(
        fmt::format("{}: {} centers, expected 1 to {}", name, centers.height, kMostCenters));
  if (centers.width < 1 || centers.width > kMostDimensions)
    throw InvalidArgument(fmt::format("{}: centers of {} numbers, expected 1 to {}", name,
                                      centers.width, kMostDimensions));
}

void check_numbers(ImageView<const float> centers) {
  for (int c = 0; c < centers.height; ++c)
    for (int i = 0; i < centers.width; ++i)
      if (!std::isfinite(centers.row(c)[i]))
        throw InvalidArgument(
            fmt::format("NearestCenter: number {} of center {} is {}, expected "
                        "finite ones",
                        i, c, centers.row(c)[i]));
}

}  // namespace

struct NearestCenter::Impl {
  Image<float> centers;  // in host memory
  Exec exec;             // as asked for; on the GPU of the centers where they came from one
  Device asked;
  detail::Resident<detail::NearestEngine> engine{};

  Exec exec_for(ImageView<const float> points) const {
    const char* const name = "NearestCenter::find";
    if (exec.device != asked) detail::require_chosen(name, exec, asked, {points});
    return detail::resolve_exec(name, exec, {points});
  }
  detail::NearestEngine& engine_on(const Exec& resolved) {
    return engine.on(resolved.device, [&] {
      return detail::on_cuda(resolved) ? cuda::make_nearest_engine(centers, resolved)
                                       : cpu::make_nearest_engine(centers, resolved);
    });
  }
};

NearestCenter::NearestCenter(ImageView<const float> centers, const Exec& exec) {
  check_centers(centers);
  const Exec resolved = detail::resolve_exec("NearestCenter", exec, {centers});
  Image<float> on_host(centers.width, centers.height);
  copy(centers, on_host.view(), resolved);
  check_numbers(on_host);
  impl_ = std::make_unique<Impl>(
      Impl{std::move(on_host), centers.memory == Memory::kCuda ? resolved : exec, exec.device});
  impl_->engine_on(resolved);  // in time for calls that are captured in a graph
}
NearestCenter::NearestCenter(NearestCenter&&) noexcept = default;
NearestCenter& NearestCenter::operator=(NearestCenter&&) noexcept = default;
NearestCenter::~NearestCenter() = default;

int NearestCenter::centers() const { return impl_->centers.height(); }
int NearestCenter::dimensions() const { return impl_->centers.width(); }

void NearestCenter::find(ImageView<const float> points, std::span<std::int32_t> labels) {
  const char* const name = "NearestCenter::find";
  if (labels.size() != static_cast<std::size_t>(std::max(points.height, 0)))
    throw InvalidArgument(fmt::format("{}: {} labels for {} points, expected one per point", name,
                                      labels.size(), points.height));
  if (points.height <= 0) return;
  detail::require_shape(name, "points", points, dimensions(), points.height, 1);
  const Exec exec = impl_->exec_for(points);
  impl_->engine_on(exec).find(points, labels, exec);
}

std::vector<std::int32_t> NearestCenter::find(ImageView<const float> points) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(std::max(points.height, 0)));
  if (points.memory != Memory::kCuda || labels.empty()) {
    find(points, labels);
    return labels;
  }
  const Exec exec = impl_->exec_for(points);
  const cuda::ScopedDevice here(exec.device);  // labels are found where the points lie
  Array<std::int32_t> there(labels.size(), Memory::kCuda);
  find(points, std::span(there.data(), there.size()));
  const int count = points.height;
  copy(packed_view(std::as_const(there).data(), 1, count, 1, Memory::kCuda),
       packed_view(labels.data(), 1, count), exec);
  return labels;
}

}  // namespace fovea
