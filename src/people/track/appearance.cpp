// Looks of people: colors are counted over a fixed palette, and compared by the Earth Mover's
// Distance (Rubner, Tomasi and Guibas, 2000) with Lab distances up to a threshold as costs (Pele
// and Werman, 2009). The mass of a pixel is shared between the two nearest colors of the palette,
// so that a slow change of light moves mass slowly.
#include "people/track/appearance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dispatch.h"
#include "core/rgb.h"

namespace fovea::people {
namespace {

constexpr double kGreatestColor = 50;  // Lab distance beyond which colors are equally different
constexpr double kWholeCost = 1000;    // the cost of such a difference

double lab_distance(const std::array<float, 3>& a, const std::array<float, 3>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double step = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    sum += step * step;
  }
  return std::sqrt(sum);
}

// Costs are rounded up to whole numbers, which keeps the triangle inequality.
emd::GroundDistance color_ground() {
  const auto colors = palette_colors();
  std::vector<double> costs;
  costs.reserve(colors.size() * colors.size());
  for (const auto& from : colors)
    for (const auto& to : colors)
      costs.push_back(std::ceil(std::min(lab_distance(from, to), kGreatestColor) / kGreatestColor *
                                kWholeCost));
  return {kColors, kColors, costs};
}

PixelGrid grid_over(double x, double y, double width, double height) {
  constexpr double kOne = 65536;
  const auto fixed = [](double value) {
    constexpr double kMost = 0x1p40;
    return static_cast<std::int64_t>(std::floor(std::clamp(value * kOne, -kMost, kMost)));
  };
  const double step_x = width / kGridColumns, step_y = height / kGridRows;
  return {fixed(x + step_x / 2), fixed(y + step_y / 2), fixed(step_x), fixed(step_y)};
}

}  // namespace

void Look::adapt(const Look& to, double share) {
  if (!to.known) return;
  if (!known) {
    *this = to;
    return;
  }
  for (std::size_t part = 0; part < masses.size(); ++part)
    for (std::size_t color = 0; color < masses[part].size(); ++color) {
      float& mass = masses[part][color];
      mass += static_cast<float>(share) * (to.masses[part][color] - mass);
    }
}

std::array<std::array<float, 3>, kColors> palette_colors() {
  constexpr int kHues = 6;
  struct Ring {
    float lightness, chroma;
  };
  constexpr Ring kRings[] = {{28, 26}, {62, 28}, {55, 62}};
  constexpr float kGrays[] = {6, 22, 40, 58, 76, 95};
  std::array<std::array<float, 3>, kColors> colors{};
  std::size_t count = 0;
  for (const float lightness : kGrays) colors[count++] = {lightness, 0, 0};
  for (const Ring& ring : kRings) {
    for (int hue = 0; hue < kHues; ++hue) {
      const double angle = (hue + 0.5) * 2 * std::numbers::pi / kHues;
      colors[count++] = {ring.lightness, ring.chroma * static_cast<float>(std::cos(angle)),
                         ring.chroma * static_cast<float>(std::sin(angle))};
    }
  }
  return colors;
}

std::vector<CellColors> palette_table() {
  const auto colors = palette_colors();
  std::vector<CellColors> table(kColorCells);
  for (int cell = 0; cell < kColorCells; ++cell) {
    const auto middle = [&](int shift) { return (((cell >> shift) & 31) * 8 + 4) / 255.0; };
    const fovea::detail::Lab lab = fovea::detail::srgb_to_lab(middle(10), middle(5), middle(0));
    const std::array<float, 3> color{static_cast<float>(lab.l), static_cast<float>(lab.a),
                                     static_cast<float>(lab.b)};
    std::array<double, kColors> distances{};
    for (std::size_t i = 0; i < colors.size(); ++i) distances[i] = lab_distance(color, colors[i]);
    const auto nearest = std::min_element(distances.begin(), distances.end());
    const double least = *nearest;
    *nearest = 1e9;
    const auto other = std::min_element(distances.begin(), distances.end());
    CellColors& entry = table[static_cast<std::size_t>(cell)];
    entry.nearest = static_cast<std::uint8_t>(nearest - distances.begin());
    entry.other = static_cast<std::uint8_t>(other - distances.begin());
    entry.mass = static_cast<std::uint8_t>(std::lround(kPixelMass * *other / (*other + least)));
  }
  return table;
}

std::array<PixelGrid, kBodyParts> body_grids(const Rect<float>& box) {
  const double x = box.x, y = box.y, width = box.width, height = box.height;
  return {grid_over(x + 0.25 * width, y + 0.18 * height, 0.5 * width, 0.32 * height),
          grid_over(x + 0.25 * width, y + 0.52 * height, 0.5 * width, 0.4 * height)};
}

Appearance::Appearance(const Exec& exec)
    : exec_(exec),
      table_(palette_table()),
      solver_(color_ground(), {.mass = emd::MassPolicy::kNormalize,
                               .exec = {.device = Device::cpu(), .threads = exec.threads}}) {}

std::vector<Look> Appearance::of(ImageView<const std::uint8_t> frame,
                                 std::span<const Rect<float>> boxes) {
  std::vector<Look> looks(boxes.size());
  if (boxes.empty()) return looks;
  std::vector<PixelGrid> grids;
  grids.reserve(kBodyParts * boxes.size());
  for (const Rect<float>& box : boxes)
    for (const PixelGrid& grid : body_grids(box)) grids.push_back(grid);
  Image<std::uint16_t> masses(kColors, static_cast<int>(grids.size()));
  // A few hundred pixels per person are not worth the upload of a frame.
  const bool on_host = frame.memory != Memory::kCuda;
  const Exec exec = on_host ? fovea::detail::resolve_host_exec("track", exec_, {frame})
                            : fovea::detail::resolve_exec("track", exec_, {frame});
  (on_host ? cpu::color_masses : cuda::color_masses)(frame, grids, table_, masses, exec);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    looks[i].known = true;
    for (std::size_t part = 0; part < kBodyParts; ++part) {
      const std::uint16_t* const row = masses.row(static_cast<int>(kBodyParts * i + part));
      std::copy_n(row, kColors, looks[i].masses[part].begin());
    }
  }
  return looks;
}

std::vector<double> Appearance::differences(std::span<const Pair> pairs) {
  const int count = static_cast<int>(pairs.size());
  std::vector<double> result(pairs.size(), 1.0);
  if (count == 0) return result;
  Image<float> first(kColors, kBodyParts * count), second(kColors, kBodyParts * count);
  const auto fill = [](const Look& look, Image<float>& rows, int i) {
    for (int part = 0; part < kBodyParts; ++part)
      std::copy_n(look.masses[static_cast<std::size_t>(part)].begin(), kColors,
                  rows.row(kBodyParts * i + part));
  };
  for (int i = 0; i < count; ++i) {
    fill(*pairs[static_cast<std::size_t>(i)].a, first, i);
    fill(*pairs[static_cast<std::size_t>(i)].b, second, i);
  }
  const emd::Solutions solved =
      solver_.solve<float>(ImageView<const float>(first), ImageView<const float>(second));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    double sum = 0;
    int parts = 0;
    for (std::size_t part = 0; part < kBodyParts; ++part) {
      const std::size_t at = kBodyParts * i + part;
      if (solved.status.data()[at] != emd::Status::kOptimal) continue;
      sum += solved.distance.data()[at] / kWholeCost;
      ++parts;
    }
    if (parts > 0) result[i] = sum / parts;
  }
  return result;
}

}  // namespace fovea::people
