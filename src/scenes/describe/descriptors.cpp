// The face of descriptors: checks options, computes where places lie, and chooses the twin.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/descriptors.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "scenes/describe/bank_math.h"
#include "scenes/describe/describe.h"

namespace fovea::scenes {
namespace {

constexpr int kFilterStep = 1, kGradientStep = 4;

// The places along a line; what remains of the line is divided evenly between both ends.
struct Line {
  int first, count;
};
Line line_of(int room, int step) { return {(room - 1) % step / 2, (room - 1) / step + 1}; }

PlaceGrid gradient_grid(int cell, int step, int width, int height) {
  const int around = kCellsAcross * cell;
  const Line across = line_of(width - around + 1, step), down = line_of(height - around + 1, step);
  return {around / 2 + across.first, around / 2 + down.first, step, across.count, down.count, cell};
}

}  // namespace

std::span<const Choice> choices(WordSource) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"filters", static_cast<int>(WordSource::kFilters)},
       {"gradients", static_cast<int>(WordSource::kGradients)}}};
  return kChoices;
}

std::span<const Choice> choices(Color) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"gray", static_cast<int>(Color::kGray)}, {"lab", static_cast<int>(Color::kLab)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, DescriptorOptions& options) {
  visit("words", options.words,
        "what words are made of: the responses of a bank of filters, or histograms of gradients");
  visit("color", options.color,
        "describe gray levels, or the lightness and both color axes of Lab");
  visit("step", options.step,
        "pixels between described places; 0 stands for 1 with filters and 4 with gradients", 0, 64);
  visit("cell", options.cell, "gradients: pixels across one of the 4x4 cells around a place", 2,
        32);
  visit("scales", options.scales,
        "gradients: how many sizes of cells, each 1.5 times the one before", 1, kMostScales);
  visit("filter-sizes", options.filter_sizes,
        "filters: pixels across the kernels of each size of the bank, up to 8 odd numbers", 3,
        2 * kBankReach + 1);
  visit("filter-sigmas", options.filter_sigmas,
        "filters: deviations of the Gaussians in pixels, one per size", 0.1, 30);
}

int step_of(const DescriptorOptions& options) {
  if (options.step > 0) return options.step;
  return options.words == WordSource::kFilters ? kFilterStep : kGradientStep;
}

int cell_of(const DescriptorOptions& options, int scale) {
  return static_cast<int>(std::lround(options.cell * std::pow(1.5, scale)));
}

int dimensions(const DescriptorOptions& options) {
  const int numbers =
      options.words == WordSource::kFilters ? bank_filters(options) : kGradientNumbers;
  return numbers * channels_of(options.color);
}

std::vector<PlaceGrid> place_grids(const DescriptorOptions& options, int width, int height) {
  check_descriptor(options);
  if (width < 1 || height < 1)
    throw InvalidArgument(
        fmt::format("place_grids: an image of {}x{}, expected 1x1 or more", width, height));
  const int step = step_of(options);
  if (options.words == WordSource::kFilters) {
    const Line across = line_of(width, step), down = line_of(height, step);
    return {{across.first, down.first, step, across.count, down.count, 0}};
  }
  std::vector<PlaceGrid> grids;
  for (int scale = 0; scale < options.scales; ++scale) {
    const int cell = cell_of(options, scale);
    if (kCellsAcross * cell > std::min(width, height)) break;
    grids.push_back(gradient_grid(cell, step, width, height));
  }
  if (grids.empty()) grids.push_back({width / 2, height / 2, step, 1, 1, options.cell});
  return grids;
}

void check_image(const char* name, ImageView<const std::uint8_t> image) {
  if (image.empty())
    throw InvalidArgument(fmt::format("{}: an image of {}x{}, expected 1x1 or more", name,
                                      image.width, image.height));
  if (image.channels != 1 && image.channels != 3)
    throw InvalidArgument(fmt::format("{}: an image of {} channels, expected 1 (gray) or 3 (RGB)",
                                      name, image.channels));
}

Image<float> describe_places(const char* name, ImageView<const std::uint8_t> image,
                             const DescriptorOptions& options, const ChosenPlaces& choose) {
  check_image(name, image);
  std::int64_t count = 0;
  for (const PlaceGrid& grid : place_grids(options, image.width, image.height))
    count += grid.count();
  const std::vector<std::int64_t> places = choose(count);
  if (!places.empty()) count = static_cast<std::int64_t>(places.size());
  if (count > std::numeric_limits<int>::max())
    throw InvalidArgument(
        fmt::format("{}: an image of {}x{} has {} places, expected at most {}; take a larger step",
                    name, image.width, image.height, count, std::numeric_limits<int>::max()));
  const Exec resolved = detail::resolve_exec(name, options.exec, {image});
  Image<float> out(dimensions(options), static_cast<int>(count));
  if (detail::on_cuda(resolved)) cuda::descriptors(image, options, places, out, resolved);
  else cpu::descriptors(image, options, places, out, resolved);
  return out;
}

Image<float> descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options) {
  return describe_places("descriptors", image, options,
                         [](std::int64_t) { return std::vector<std::int64_t>{}; });
}

}  // namespace fovea::scenes
