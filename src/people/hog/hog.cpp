// The public functions of the descriptor: for one window, and for the cells of a whole image.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include "core/placed.h"
#include "people/hog/hog_band.h"
#include "people/hog/hog_grid.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

// The channels that are used, in host memory: the image itself, or a copy that is kept here.
class Pixels {
 public:
  Pixels(const char* operation, ImageView<const std::uint8_t> image, const HogOptions& hog,
         const Exec& exec) {
    if (image.empty()) throw InvalidArgument(fmt::format("{}: the image is empty", operation));
    if (image.channels != 1 && image.channels != 3 && image.channels != 4)
      throw InvalidArgument(fmt::format("{}: the image has {} channels; expected 1, 3 or 4",
                                        operation, image.channels));
    view_ = here_.bring(image, Memory::kHost, detail::resolve_host_exec(operation, exec, {image}));
    if (hog.color || view_.channels == 1) return;
    gray_ = io::to_gray(view_);
    view_ = gray_;
  }
  ImageView<const std::uint8_t> view() const { return view_; }

 private:
  detail::Placed<std::uint8_t> here_{};
  Image<std::uint8_t> gray_{};
  ImageView<const std::uint8_t> view_{};
};

}  // namespace

std::vector<float> hog_descriptor(ImageView<const std::uint8_t> crop, const HogOptions& options,
                                  const Exec& exec) {
  check_geometry(options);
  const Pixels pixels("hog_descriptor", crop, options, exec);
  const ScanPlan plan = plan_crop({crop.width, crop.height}, options.window);
  cpu::HogGrid grid(Kind::kHog, options);
  grid.build(pixels.view(), plan, {.device = Device::cpu(), .threads = 1});
  std::vector<float> numbers(descriptor_size(options));
  grid.descriptor(0, 0, numbers);
  return numbers;
}

HogCells hog_cells(ImageView<const std::uint8_t> image, const HogOptions& options,
                   const Exec& exec) {
  check_geometry(options);
  const Pixels pixels("hog_cells", image, options, exec);
  const Extent cell = options.cell_size();
  HogCells cells{image.width / cell.width, image.height / cell.height, options.bins, {}};
  if (cells.columns == 0 || cells.rows == 0)
    throw InvalidArgument(fmt::format("hog_cells: an image of {}x{} holds no cell of {}x{} pixels",
                                      image.width, image.height, cell.width, cell.height));
  cells.votes.resize(static_cast<std::size_t>(cells.columns) * cells.rows * cells.bins);
  const std::vector<float> gamma = gamma_table(options.gamma);
  const CircularBlock no_circle;
  const HistogramAxis columns{cell.width, cells.columns, cell.width, 1, {}},
      rows{cell.height, cells.rows, cell.height, 1, {}};
  const Stack<float> smoothed =
      cpu::smoothed_planes(pixels.view(), options, gamma, {.device = Device::cpu(), .threads = 1});
  const cpu::HogLevel level{.image = pixels.view(),
                            .hog = options,
                            .cells = true,
                            .votes = vote_params(options),
                            .norm = {},
                            .x = {},
                            .y = {},
                            .units_x = columns,
                            .units_y = rows,
                            .roles = {},
                            .gamma = gamma,
                            .circle = no_circle,
                            .smoothed = smoothed.view(),
                            .sums = {},
                            .blocks = nullptr,
                            .pitch = 0,
                            .row_pitch = 0,
                            .phase_pitch = 0};
  cpu::HogRows source(level);
  for (int y = 0; y < cells.rows * cell.height; ++y) {
    const cpu::Votes votes = source.votes(y, 1, 0);
    for (int x = 0; x < cells.columns * cell.width; ++x) {
      float* histogram =
          cells.votes.data() +
          (static_cast<std::size_t>(y / cell.height) * cells.columns + x / cell.width) * cells.bins;
      histogram[low_bin(votes.places[x], cells.bins)] += votes.shares[x].low;
      histogram[high_bin(votes.places[x], cells.bins)] += votes.shares[x].high;
    }
  }
  return cells;
}

}  // namespace fovea::people
