// Checks centers and points and asks the twin of the device for the nearest of them.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>

#include <cmath>
#include <utility>

#include "core/dispatch.h"
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
  int centers;
  int dimensions;
  Exec exec;
  std::unique_ptr<detail::NearestEngine> engine;
};

NearestCenter::NearestCenter(ImageView<const float> centers, const Exec& exec) {
  check_centers(centers);
  const Exec resolved = detail::resolve_exec("NearestCenter", exec, {centers});
  const Image<float> on_host = clone(centers);
  check_numbers(on_host);
  impl_ = std::make_unique<Impl>(Impl{centers.height, centers.width, resolved,
                                      detail::on_cuda(resolved)
                                          ? cuda::make_nearest_engine(on_host, resolved)
                                          : cpu::make_nearest_engine(on_host, resolved)});
}
NearestCenter::NearestCenter(NearestCenter&&) noexcept = default;
NearestCenter& NearestCenter::operator=(NearestCenter&&) noexcept = default;
NearestCenter::~NearestCenter() = default;

int NearestCenter::centers() const { return impl_->centers; }
int NearestCenter::dimensions() const { return impl_->dimensions; }

void NearestCenter::find(ImageView<const float> points, std::span<std::int32_t> labels) {
  const char* const name = "NearestCenter::find";
  if (labels.size() != static_cast<std::size_t>(std::max(points.height, 0)))
    throw InvalidArgument(
        fmt::format("{}: {} labels for {} points; one each", name, labels.size(), points.height));
  if (points.height <= 0) return;
  detail::require_shape(name, "points", points, impl_->dimensions, points.height, 1);
  detail::resolve_exec(name, impl_->exec, {points});
  impl_->engine->find(points, labels, impl_->exec);
}

std::vector<std::int32_t> NearestCenter::find(ImageView<const float> points) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(std::max(points.height, 0)));
  if (points.memory != Memory::kCuda) {
    find(points, labels);
    return labels;
  }
  Array<std::int32_t> there(labels.size(), Memory::kCuda);
  find(points, std::span(there.data(), there.size()));
  const int count = points.height;
  copy(packed_view(std::as_const(there).data(), 1, count, 1, Memory::kCuda),
       packed_view(labels.data(), 1, count), impl_->exec);
  return labels;
}

}  // namespace fovea
