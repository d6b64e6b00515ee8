// Any bytes as points: refused with one line, or points in order that can be written and read
// again.
#include <fovea/actions/points.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea::actions;
  try {
    const PointSet set = read_points({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    if (!set.descriptors.empty() && set.descriptors.height() != static_cast<int>(set.points.size()))
      std::abort();
    if (!std::is_sorted(set.points.begin(), set.points.end(),
                        [](const auto& a, const auto& b) { return a.frame < b.frame; }))
      std::abort();
    for (const SpaceTimePoint& point : set.points)
      if (!std::isfinite(point.x) || !std::isfinite(point.sigma2) || point.frame < 0) std::abort();
    const std::string text = points_text(set);
    if (read_points(std::as_bytes(std::span(text)), "again").points.size() != set.points.size())
      std::abort();
  } catch (const fovea::FormatError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
