// Draws gradients and models. Glyphs follow Dalal's thesis (2006): one star of lines per cell,
// where each line is as bright as its number.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/gradient.h>
#include <fovea/people/show.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/words.h"

namespace fovea::people {
namespace {

// The numbers of cells: columns x rows, with the bins of each cell next to each other.
struct Cells {
  int columns, rows, bins;
  bool signed_angle;
  std::vector<float> values;

  float& at(int column, int row, int bin) {
    return values[(static_cast<std::size_t>(row) * columns + column) * bins + bin];
  }
};

Cells empty_cells(int columns, int rows, const HogOptions& hog) {
  return {columns, rows, hog.bins, hog.signed_angle,
          std::vector<float>(static_cast<std::size_t>(columns) * rows * hog.bins)};
}

void require_glyph(int glyph) {
  if (glyph < 4 || glyph > 256)
    throw InvalidArgument(fmt::format("show: a glyph of {} pixels, expected 4 to 256", glyph));
}

Cells cell_histograms(ImageView<const std::uint8_t> image, const HogOptions& hog) {
  Image<float> magnitude(image.width, image.height);
  Image<std::uint8_t> bin(image.width, image.height);
  polar_gradient(image, magnitude, bin,
                 {.bins = hog.bins,
                  .signed_angle = hog.signed_angle,
                  .exec = {.device = Device::cpu(), .threads = 1}});
  const Extent cell = hog.cell_size();
  Cells cells = empty_cells(image.width / cell.width, image.height / cell.height, hog);
  for (int y = 0; y < cells.rows * cell.height; ++y) {
    for (int x = 0; x < cells.columns * cell.width; ++x)
      cells.at(x / cell.width, y / cell.height, bin.at(x, y)) += magnitude.at(x, y);
  }
  return cells;
}

// Divides every cell by the square root of the energy of the 3x3 cells around it, as blocks do.
void normalize(Cells& cells) {
  Cells raw = cells;
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      double energy = 0;
      for (int j = std::max(0, row - 1); j <= std::min(cells.rows - 1, row + 1); ++j) {
        for (int i = std::max(0, column - 1); i <= std::min(cells.columns - 1, column + 1); ++i) {
          for (int b = 0; b < cells.bins; ++b)
            energy += static_cast<double>(raw.at(i, j, b)) * raw.at(i, j, b);
        }
      }
      const auto scale = static_cast<float>(1 / (std::sqrt(energy) + 1e-3 * cells.bins));
      for (int b = 0; b < cells.bins; ++b) cells.at(column, row, b) *= scale;
    }
  }
}

// Weak lines are drawn first, so that strong ones lie on top.
void draw_star(ImageView<std::uint8_t> image, Cells& cells, int column, int row, int glyph,
               float strongest) {
  std::vector<int> order(static_cast<std::size_t>(cells.bins));
  for (int b = 0; b < cells.bins; ++b) order[static_cast<std::size_t>(b)] = b;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return cells.at(column, row, a) < cells.at(column, row, b);
  });
  const double x = (column + 0.5) * glyph, y = (row + 0.5) * glyph, radius = glyph * 0.48;
  for (const int b : order) {
    const float value = cells.at(column, row, b) / strongest;
    if (value <= 0.02F) continue;
    const double turn = (cells.signed_angle ? 2 : 1) * std::numbers::pi;
    const double angle = (b + 0.5) * turn / cells.bins + std::numbers::pi / 2;
    const double u = std::cos(angle) * radius, v = std::sin(angle) * radius;
    const auto level =
        static_cast<std::uint8_t>(std::lround(255 * std::sqrt(std::min(1.F, value))));
    report::draw_line(image, {x - u, y - v}, {x + u, y + v},
                      {.color = {level, level, level},
                       .thickness = std::max(1.F, static_cast<float>(glyph) / 12)});
  }
}

Image<std::uint8_t> stars(Cells& cells, int glyph) {
  Image<std::uint8_t> image(cells.columns * glyph, cells.rows * glyph);
  for (int y = 0; y < image.height(); ++y)
    std::fill_n(image.row(y), image.width(), std::uint8_t{0});
  const float strongest =
      std::max(1e-12F, *std::max_element(cells.values.begin(), cells.values.end()));
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column)
      draw_star(image, cells, column, row, glyph, strongest);
  }
  return image;
}

// The weights of one sign, summed over all blocks that contain a cell.
Cells weight_cells(const LinearModel& model, float sign) {
  const HogOptions& hog = model.hog;
  const Extent cell = hog.cell_size(), block = hog.block_cells();
  Cells cells = empty_cells(hog.window.width / cell.width, hog.window.height / cell.height, hog);
  const int across = (hog.window.width - hog.block_size().width) / hog.block_stride + 1;
  const int down = (hog.window.height - hog.block_size().height) / hog.block_stride + 1;
  std::size_t i = 0;
  for (int bx = 0; bx < across; ++bx)
    for (int by = 0; by < down; ++by)
      for (int cx = 0; cx < block.width; ++cx)
        for (int cy = 0; cy < block.height; ++cy)
          for (int b = 0; b < hog.bins; ++b, ++i)
            cells.at(bx * hog.block_stride / cell.width + cx,
                     by * hog.block_stride / cell.height + cy, b) +=
                std::max(0.F, sign * model.weights.at(i));
  return cells;
}

std::vector<ModelPicture> pictures(const LinearModel& model, int glyph) {
  std::vector<ModelPicture> result;
  if (model.hog.shape == BlockShape::kCircular) return result;
  Cells against = weight_cells(model, -1), in_favor = weight_cells(model, 1);
  result.push_back({"for a person", stars(in_favor, glyph)});
  result.push_back({"against", stars(against, glyph)});
  return result;
}

std::vector<ModelPicture> pictures(const CascadeModel& model, int glyph) {
  std::vector<ModelPicture> result;
  const double scale = glyph / 8.0;
  for (std::size_t s = 0; s < model.stages.size() && s < 8; ++s) {
    Image<std::uint8_t> image(static_cast<int>(model.window.width * scale),
                              static_cast<int>(model.window.height * scale), 3);
    for (int y = 0; y < image.height(); ++y)
      std::fill_n(image.row(y), image.width() * 3, std::uint8_t{250});
    const auto& classifiers = model.stages[s].classifiers;
    for (std::size_t k = 0; k < classifiers.size(); ++k) {
      const Block& block = classifiers[k].block;
      report::draw_box(
          image, {block.x * scale, block.y * scale, block.width * scale, block.height * scale},
          report::Stroke{.color = report::palette(static_cast<int>(k)), .thickness = 2});
    }
    result.push_back(
        {fmt::format("stage {}: {}", s + 1, fovea::detail::counted(classifiers.size(), "block")),
         std::move(image)});
  }
  return result;
}

// How often trees ask for each cell of each channel, whose features follow each other.
std::vector<ModelPicture> pictures_of_uses(const std::vector<float>& uses, Extent cells,
                                           int glyph) {
  constexpr const char* kNames[] = {"L",   "u",   "v",   "magnitude", "0°",
                                    "30°", "60°", "90°", "120°",      "150°"};
  const int columns = cells.width, rows = cells.height;
  const int channels = static_cast<int>(std::size(kNames)), side = std::max(2, glyph / 2);
  const float most = std::max(1.F, *std::max_element(uses.begin(), uses.end()));
  std::vector<ModelPicture> result;
  for (int c = 0; c < channels; ++c) {
    Image<std::uint8_t> image(columns * side, rows * side);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        image.at(x, y) = static_cast<std::uint8_t>(
            255 *
            std::sqrt(uses[(static_cast<std::size_t>(c) * rows + y / side) * columns + x / side] /
                      most));
    result.push_back({kNames[c], std::move(image)});
  }
  return result;
}

std::vector<ModelPicture> pictures(const ChannelsModel& model, int glyph) {
  const Extent cells{model.window.width / model.shrink, model.window.height / model.shrink};
  std::vector<float> uses(static_cast<std::size_t>(ChannelsModel::kChannels) * cells.width *
                          cells.height);
  for (const ChannelTree& tree : model.trees)
    for (const std::uint32_t feature : tree.feature) uses.at(feature) += 1;
  return pictures_of_uses(uses, cells, glyph);
}

// The filters of a channel count together.
std::vector<ModelPicture> pictures(const FilteredModel& model, int glyph) {
  const Extent cells{model.window.width / model.shrink, model.window.height / model.shrink};
  const std::size_t plane = static_cast<std::size_t>(cells.width) * cells.height,
                    filters = static_cast<std::size_t>(model.bank.filters);
  std::vector<float> uses(FilteredModel::kChannels * plane);
  for (const std::uint32_t feature : model.trees.feature)
    uses.at(feature / plane / filters * plane + feature % plane) += 1;
  return pictures_of_uses(uses, cells, glyph);
}

}  // namespace

Image<std::uint8_t> hog_glyphs(ImageView<const std::uint8_t> image, const HogOptions& options,
                               int glyph) {
  check_options(options);
  require_glyph(glyph);
  const Extent cell = options.cell_size();
  if (image.width < cell.width || image.height < cell.height)
    throw InvalidArgument(fmt::format("show: an image of {}x{} has no cell of {}x{} pixels",
                                      image.width, image.height, cell.width, cell.height));
  Cells cells = cell_histograms(image, options);
  normalize(cells);
  return stars(cells, glyph);
}

std::vector<ModelPicture> model_pictures(const Model& model, int glyph) {
  require_glyph(glyph);
  return std::visit([&](const auto& classifier) { return pictures(classifier, glyph); },
                    model.classifier);
}

void draw_people(ImageView<std::uint8_t> image, std::span<const Detection> people) {
  for (std::size_t i = people.size(); i-- > 0;) {
    const Rect<float>& box = people[i].box;
    report::draw_box(image, Rect<double>{box.x, box.y, box.width, box.height},
                     fmt::format("{:.2f}", people[i].score), report::LabelStyle{});
  }
}

report::EvaluationChart miss_rate_chart(CurveUnit unit) {
  const bool windows = unit == CurveUnit::kWindow;
  report::EvaluationChart chart{
      .title = "Miss rate over false positives",
      .threshold = "score",
      .option = "threshold",
      .x = {.title = windows ? "false positives per window" : "false positives per image",
            .log = true,
            .low = windows ? 1e-6 : 1e-3,
            .high = windows ? 1e-1 : 1e1},
      .y = {.title = "miss rate (%)", .log = true, .high = 100},
      .figures = {"recall (%)", "precision (%)"},
      .file = "curve"};
  if (windows) chart.references.push_back({1e-4, "1e-4", true});
  return chart;
}

void add_miss_rates(report::EvaluationChart& chart, const std::string& name,
                    std::optional<double> chosen, std::span<const CurvePoint> curve,
                    double summary) {
  std::vector<report::EvaluationPoint> points;
  points.reserve(curve.size());
  for (const CurvePoint& point : curve)
    points.push_back({.threshold = point.threshold,
                      .x = point.false_positives,
                      .y = 100 * point.miss_rate,
                      .figures = {100 * (1 - point.miss_rate), 100 * point.precision}});
  chart.curves.push_back(
      {name, chosen, report::subsampled(points, chart), fmt::format("{:.1f} %", 100 * summary)});
}

}  // namespace fovea::people
