// What the costs need of one image: its census, or the sums and deviations of its blocks. The right
// image is turned around for them.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "flow/stereo/stereo_cpu.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kCensusAcross = 4, kCensusDown = 3;  // reach of the census in pixels
// Gray levels of 255 by which two pixels must differ to count: noise in areas without texture then
// decides nothing, and the paths carry disparities into them.
constexpr std::uint8_t kCensusStep = 2;
constexpr int kFrameRows = 16;  // rows of one task

struct CensusPair {
  int dx, dy;  // compared with (-dx, -dy)
};
constexpr std::array<CensusPair, 31> make_pairs() {
  std::array<CensusPair, 31> pairs{};
  std::size_t next = 0;
  for (int dy = 0; dy <= kCensusDown; ++dy)
    for (int dx = -kCensusAcross; dx <= kCensusAcross; ++dx)
      if (dy > 0 || dx > 0) pairs[next++] = {dx, dy};
  return pairs;
}
constexpr std::array<CensusPair, 31> kPairs = make_pairs();

// A copy whose borders repeat beyond its sides.
Image<std::uint8_t> with_border(const Image<std::uint8_t>& image) {
  Image<std::uint8_t> result(image.width() + 2 * kCensusAcross, image.height() + 2 * kCensusDown);
  for (int y = 0; y < result.height(); ++y) {
    const std::uint8_t* from = image.view().row(std::clamp(y - kCensusDown, 0, image.height() - 1));
    std::uint8_t* to = result.view().row(y);
    std::fill_n(to, kCensusAcross, from[0]);
    std::copy_n(from, image.width(), to + kCensusAcross);
    std::fill_n(to + kCensusAcross + image.width(), kCensusAcross, from[image.width() - 1]);
  }
  return result;
}

// Sets a bit where a pixel is brighter than its opposite by more than the step. The compiler
// vectorizes the loop because nothing overlaps.
void add_bit(const std::uint8_t* __restrict__ a, const std::uint8_t* __restrict__ b, int count,
             std::uint8_t bit, std::uint8_t* __restrict__ bits) {
  for (int x = 0; x < count; ++x) {
    const auto above = static_cast<std::uint8_t>(a[x] > b[x] ? a[x] - b[x] : 0);
    bits[x] = static_cast<std::uint8_t>(bits[x] | (above > kCensusStep ? bit : 0));
  }
}

void census_of(const Image<std::uint8_t>& gray, const Exec& exec, Image<std::uint32_t>& census) {
  const Image<std::uint8_t> wide = with_border(gray);
  const int width = gray.width();
  census = Image<std::uint32_t>(width, gray.height());
  parallel_for(exec, gray.height(), kFrameRows, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(width));
    for (int y = static_cast<int>(first); y < last; ++y) {
      // Eight pairs at a time, so that vectors hold one byte per pixel.
      std::uint32_t* out = census.view().row(y);
      std::fill_n(out, width, 0U);
      for (std::size_t group = 0; group < kPairs.size(); group += 8) {
        std::fill(bits.begin(), bits.end(), std::uint8_t{0});
        for (std::size_t bit = 0; bit < std::min<std::size_t>(8, kPairs.size() - group); ++bit) {
          const auto [dx, dy] = kPairs[group + bit];
          const std::uint8_t* a = wide.view().row(y + kCensusDown + dy) + kCensusAcross + dx;
          const std::uint8_t* b = wide.view().row(y + kCensusDown - dy) + kCensusAcross - dx;
          add_bit(a, b, width, static_cast<std::uint8_t>(1U << bit), bits.data());
        }
        for (int x = 0; x < width; ++x)
          out[x] |= static_cast<std::uint32_t>(bits[static_cast<std::size_t>(x)]) << group;
      }
    }
  });
}

// Sums and inverse deviations of the blocks around every pixel.
void blocks_of(const StereoPlan& plan, const Exec& exec, StereoFrame& frame) {
  constexpr float kLeastDeviation = 0.5F;  // gray levels; a block below it has no texture
  const int width = plan.width, height = plan.height, radius = plan.radius();
  const auto area = static_cast<float>(plan.block * plan.block);
  frame.sums = Image<std::int32_t>(width, height);
  frame.inverse = Image<float>(width, height);
  parallel_for(exec, height, kFrameRows, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> columns(static_cast<std::size_t>(width));
    std::vector<std::int32_t> squares(static_cast<std::size_t>(width));
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::fill(columns.begin(), columns.end(), 0);
      std::fill(squares.begin(), squares.end(), 0);
      for (int dy = -radius; dy <= radius; ++dy) {
        const std::uint8_t* row = frame.gray.view().row(std::clamp(y + dy, 0, height - 1));
        for (int x = 0; x < width; ++x) {
          columns[static_cast<std::size_t>(x)] += row[x];
          squares[static_cast<std::size_t>(x)] += row[x] * row[x];
        }
      }
      for (int x = 0; x < width; ++x) {
        std::int32_t sum = 0, square = 0;
        for (int dx = -radius; dx <= radius; ++dx) {
          const auto at = static_cast<std::size_t>(std::clamp(x + dx, 0, width - 1));
          sum += columns[at];
          square += squares[at];
        }
        const double variance = static_cast<double>(area) * square - static_cast<double>(sum) * sum;
        const double deviation = std::sqrt(std::max(0.0, variance));  // times the area
        frame.sums.at(x, y) = sum;
        frame.inverse.at(x, y) = deviation > static_cast<double>(kLeastDeviation * area)
                                     ? static_cast<float>(1 / deviation)
                                     : 0.F;
      }
    }
  });
}

// Turns rows around and repeats their ends in margins.
template <class T>
Image<T> turned(const StereoPlan& plan, const Image<T>& image) {
  const int margin = right_margin(plan), width = plan.width;
  Image<T> result(width + 2 * margin + plan.padded, image.height());
  for (int y = 0; y < image.height(); ++y) {
    const T* from = image.view().row(y);
    T* to = result.view().row(y);
    std::fill_n(to, margin, from[width - 1]);
    std::reverse_copy(from, from + width, to + margin);
    std::fill_n(to + margin + width, margin + plan.padded, from[0]);
  }
  return result;
}

}  // namespace

void prepare_stereo_frame(const StereoPlan& plan, bool right, const Exec& exec,
                          StereoFrame& frame) {
  if (plan.census()) {
    census_of(frame.gray, exec, frame.census);
    if (right) frame.census = turned(plan, frame.census);
    if (plan.cost == StereoCost::kCensus) return;
  }
  if (plan.cost == StereoCost::kNcc) {
    blocks_of(plan, exec, frame);
    if (right) {
      frame.sums = turned(plan, frame.sums);
      frame.inverse = turned(plan, frame.inverse);
    }
  }
  if (right) frame.gray = turned(plan, frame.gray);
}

}  // namespace fovea::flow::cpu
