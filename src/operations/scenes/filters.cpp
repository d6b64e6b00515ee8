// scenes filters: writes the responses of the bank of filters, or gradient descriptors.
#include <fmt/format.h>

#include <algorithm>

#include "operations/make_operation.h"
#include "operations/scenes/scenes.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_scenes_filters {
namespace {

using scenes::DescriptorOptions;

// What the JSON has of each image.
struct FiltersReport {
  int width = 0, height = 0, channels = 0;
  std::string output{};
};
void describe(FieldVisitor& visit, FiltersReport& report) {
  visit.record("FiltersReport", "responses that were written");
  visit("width", report.width, "columns of the array");
  visit("height", report.height, "rows of the array");
  visit("channels", report.channels, "numbers in each place of it");
  visit("output", report.output, "the file of the responses");
}

struct Responses {
  std::string input{};
  Image<std::uint8_t> pixels{};
  Image<float> responses{};
  FiltersReport report{};
};

// The rows of descriptors as an image with one channel per number.
Image<float> as_channels(const Image<float>& rows, const scenes::PlaceGrid& grid) {
  Image<float> image(grid.columns, grid.rows, rows.width());
  for (int y = 0; y < grid.rows; ++y)
    for (int x = 0; x < grid.columns; ++x)
      std::copy_n(rows.row(y * grid.columns + x), rows.width(), image.row(y) + x * rows.width());
  return image;
}

void read(const DescriptorOptions&, const Source& source, Responses& item) {
  item.input = source.name;
  item.report.output = source.file("output");
  item.pixels = scene_pixels(source);
}

void run(const DescriptorOptions& options, NoWorker&, Responses& item) {
  Image<float>& found = item.responses = scenes::descriptors(item.pixels.view(), options);
  if (options.words == scenes::WordSource::kFilters)
    found = as_channels(
        found, scenes::place_grids(options, item.pixels.width(), item.pixels.height()).front());
  item.report.width = found.width();
  item.report.height = found.height();
  item.report.channels = found.channels();
}

}  // namespace
}  // namespace of_scenes_filters

Operation scenes_filters() {
  using namespace of_scenes_filters;
  return make_operation<DescriptorOptions, Responses>(
      {.words = {.system = "scenes",
                 .verb = "filters",
                 .summary = "write the responses of the filters, the first stage of words",
                 .text =
                     "Writes an array of rows, columns and numbers: 32 per pixel in gray, 96 in "
                     "Lab, before they are standardized. fovea scenes words --responses reads it. "
                     "With --words gradients the array has one row per described place, scale "
                     "after scale.",
                 .arguments = {scene_images()},
                 .examples = {{"fovea scenes filters photo.jpg -o responses.npy",
                               "write the 32 responses of every pixel"},
                              {"fovea scenes filters photos -o out/{}.tif --color lab",
                               "write one TIFF of 96 channels per image"}}},
       .input = InputKind::kImage,
       .needs_output = true,
       .finite_pixels = true,
       .names_files = true,
       .outputs =
           {{.about = {.name = "output",
                       .help = "file for the responses, .npy or .tif: a file, or for several "
                               "inputs a folder or a pattern such as out/{}.npy",
                       .ending = ".npy"},
             .write =
                 [](const DescriptorOptions&, const Responses& item, const std::string& path) {
                   io::write_image(path, item.responses.view());
                 }}},
       .check_inputs = refuse_models,
       .begin = [](DescriptorOptions& options, const Exec& exec,
                   const Plan&) { options.exec = exec; },
       .read = read,
       .run = run,
       .memory =
           [](const DescriptorOptions& options, std::uint64_t bytes) {
             return 3 * static_cast<std::uint64_t>(scenes::dimensions(options)) * bytes;
           },
       .result = [](const Responses& item) { return record_ref(item.report); },
       .line =
           [](const DescriptorOptions&, const Responses& item) {
             const FiltersReport& report = item.report;
             return fmt::format("{}: {}x{}x{}, {}", item.input, report.height, report.width,
                                report.channels, report.output);
           }},
      sample_record<FiltersReport>);
}

}  // namespace fovea::operations
