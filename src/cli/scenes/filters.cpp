// fovea scenes filters: writes the responses of the bank of filters, or gradient descriptors.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/scenes/scenes.h"

namespace fovea::cli {
namespace {

struct FiltersRequest {
  std::string output{};
  scenes::DescriptorOptions descriptor{};
};

void describe(OptionVisitor& visit, FiltersRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file for the responses, .npy or .tif: a file, or for several inputs a folder or a "
             "pattern such as out/{}.npy");
  describe(visit, request.descriptor);
}

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

struct Filtered {
  Image<std::uint8_t> image;
  Image<float> responses;
};

// The rows of descriptors as an image with one channel per number.
Image<float> as_channels(const Image<float>& rows, const scenes::PlaceGrid& grid) {
  Image<float> image(grid.columns, grid.rows, rows.width());
  for (int y = 0; y < grid.rows; ++y)
    for (int x = 0; x < grid.columns; ++x)
      std::copy_n(rows.row(y * grid.columns + x), rows.width(), image.row(y) + x * rows.width());
  return image;
}

int run_filters(FiltersRequest& request, Context& context) {
  if (request.output.empty()) throw InvalidArgument("scenes filters needs -o FILE.npy or .tif");
  resolve_device(context);
  const auto inputs = scenes_inputs(context);
  const auto outputs = output_paths(context, request.output, inputs, ".npy");
  const InputImages images(context, inputs);
  const io::FrameWorkers plan =
      io::plan_frame_workers(context.exec, static_cast<std::int64_t>(inputs.size()));
  request.descriptor.exec = context.exec_without_progress();
  request.descriptor.exec.threads = plan.threads;
  std::vector<scenes::DescriptorOptions> workers(static_cast<std::size_t>(plan.count),
                                                 request.descriptor);
  const auto numbers = static_cast<std::uint64_t>(scenes::dimensions(request.descriptor));
  Batch batch(context, inputs);
  batch.run_together<Filtered, scenes::DescriptorOptions>(
      inputs.size(), workers, plan,
      {.bytes = [&](const auto& item) { return 3 * numbers * image_bytes(inputs[item.input]); },
       .prepare = [&](auto& item) { item.value.image = images.read(static_cast<int>(item.input)); },
       .work =
           [](scenes::DescriptorOptions& options, auto& item) {
             Filtered& filtered = item.value;
             filtered.responses = scenes::descriptors(filtered.image.view(), options);
             if (options.words != scenes::WordSource::kFilters) return;
             const auto grids =
                 scenes::place_grids(options, filtered.image.width(), filtered.image.height());
             filtered.responses = as_channels(filtered.responses, grids.front());
           },
       .complete =
           [&](auto& item) {
             const Image<float>& found = item.value.responses;
             const std::string& output = outputs[item.input];
             io::write_image(output, found.view());
             item.outcome = {fmt::format("{}: {}x{}x{}, {}", inputs[item.input], found.height(),
                                         found.width(), found.channels(), output),
                             io::record_members(record_ref(FiltersReport{
                                 found.width(), found.height(), found.channels(), output})),
                             nullptr,
                             {output}};
           }});
  return batch.finish();
}

}  // namespace

Command scenes_filters_command() {
  return {.system = "scenes",
          .verb = "filters",
          .summary = "write the responses of the filters, the first stage of words",
          .text =
              "Writes an array of rows, columns and numbers: 32 per pixel in gray, 96 in Lab, "
              "before they are standardized. fovea scenes words --responses reads it. With "
              "--words gradients the array has one row per described place, scale after scale.",
          .arguments = {{"IMAGE", "images: files, folders, globs, @list, or - for standard input",
                         1, kAnyNumber}},
          .examples = {{"fovea scenes filters photo.jpg -o responses.npy",
                        "write the 32 responses of every pixel"},
                       {"fovea scenes filters photos -o out/{}.tif --color lab",
                        "write one TIFF of 96 channels per image"}},
          .request = make_request<FiltersRequest, run_filters>,
          .result = {.record = sample_record<FiltersReport>, .per_input = true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
