// fovea scenes info: what a set of labeled images consists of, and how large its images are
// (figure 1 of Chen).
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/image_io.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ScenesInfoRequest {
  std::string output{};
};

void describe(OptionVisitor& visit, ScenesInfoRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the distribution of sizes as a picture, CSV and a page");
}

// The lengths of one side of all images.
struct Lengths {
  double mean = 0;
  int median = 0, least = 0, greatest = 0;
};
void describe(FieldVisitor& visit, Lengths& lengths) {
  visit.record("Lengths", "of one side of all images");
  visit("mean", lengths.mean, "of all images", {.unit = "pixels"});
  visit("median", lengths.median, "half of the images are no longer", {.unit = "pixels"});
  visit("least", lengths.least, "of the smallest image", {.unit = "pixels"});
  visit("greatest", lengths.greatest, "of the largest image", {.unit = "pixels"});
}

Lengths lengths_of(std::vector<int> lengths) {
  std::ranges::sort(lengths);
  double sum = 0;
  for (const int length : lengths) sum += length;
  return {sum / static_cast<double>(lengths.size()), lengths[(lengths.size() - 1) / 2],
          lengths.front(), lengths.back()};
}

// What the JSON has.
struct ScenesInfo {
  std::int64_t images = 0;
  int failed = 0;
  std::vector<std::pair<std::string, int>> classes{};
  Lengths heights{}, widths{};
};
void describe(FieldVisitor& visit, ScenesInfo& info) {
  visit.record("ScenesInfo", "what a set of labeled images consists of");
  visit("images", info.images, "how many can be read");
  visit("failed", info.failed, "how many cannot be read");
  visit("classes", info.classes, "how many images each class has");
  visit("heights", info.heights, "of the images");
  visit("widths", info.widths, "of the images");
}

struct ImageSizes {
  std::vector<std::size_t> which;  // the images whose header could be read
  std::vector<int> widths, heights;
};

// Sizes as the files give them, before pictures are turned upright.
ImageSizes read_sizes(const scenes::Corpus& corpus, SkippedImages& skipped,
                      const Context& context) {
  ImageSizes sizes;
  sizes.which.reserve(corpus.paths.size());
  sizes.widths.reserve(corpus.paths.size());
  sizes.heights.reserve(corpus.paths.size());
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    throw_if_stopped(context.exec);
    try {
      const io::ImageInfo info = io::image_info(corpus.paths[i]);
      sizes.which.push_back(i);
      sizes.widths.push_back(info.width);
      sizes.heights.push_back(info.height);
    } catch (const Error& error) {
      skipped.report(static_cast<int>(i), error.what());
    }
  }
  if (sizes.which.empty()) throw FormatError("no image can be read");
  return sizes;
}

std::vector<int> class_counts(const scenes::Corpus& corpus, const ImageSizes& sizes) {
  std::vector<int> counts(corpus.classes.size(), 0);
  for (const std::size_t i : sizes.which) ++counts[static_cast<std::size_t>(corpus.labels[i])];
  return counts;
}

void write_info(const std::string& folder, const scenes::Corpus& corpus, const ImageSizes& sizes,
                const Context& context) {
  make_folder(folder);
  const std::filesystem::path to(folder);
  io::FileSink file((to / "sizes.csv").string());
  io::CsvWriter csv(file.sink(), {"file", "class", "width", "height"});
  for (std::size_t i = 0; i < sizes.which.size(); ++i) {
    const std::size_t image = sizes.which[i];
    csv.row(corpus.paths[image], corpus.classes[static_cast<std::size_t>(corpus.labels[image])],
            sizes.widths[i], sizes.heights[i]);
  }
  file.commit();
  const std::string chart = report::to_svg(report::Histogram{
      .title = "Heights and widths of the images",
      .x = {.title = "pixels"},
      .y = {.title = "images"},
      .series = {{.name = "height", .values = {sizes.heights.begin(), sizes.heights.end()}},
                 {.name = "width", .values = {sizes.widths.begin(), sizes.widths.end()}}}});
  write_text((to / "sizes.svg").string(), chart);
  report::Table table{.caption = "Images per class", .columns = {{"class"}, {"images"}}};
  const std::vector<int> counts = class_counts(corpus, sizes);
  for (std::size_t c = 0; c < counts.size(); ++c)
    table.rows.push_back({corpus.classes[c], {1.0 * counts[c], 6}});
  report::Page page(
      "Scenes", fmt::format("{} images of {} classes", sizes.which.size(), corpus.classes.size()));
  page.section("Images").table(table).figure(
      report::Figure::chart(chart, {"How many images have which height and width."}));
  page.provenance(page_provenance(context));
  page.write((to / "index.html").string());
}

void print_info(const ScenesInfo& info, const Context& context) {
  if (context.json) return print_result(context, record_ref(info));
  context.console.print(fmt::format("{} of {}, on average {:.0f} high and {:.0f} wide\n",
                                    detail::counted(info.images, "image"),
                                    detail::counted(info.classes.size(), "class", "classes"),
                                    info.heights.mean, info.widths.mean));
  for (const auto& [name, lengths] : {std::pair("heights", info.heights), {"widths", info.widths}})
    context.console.print(fmt::format("  {:<24} {:5} to {}, median {}\n", name, lengths.least,
                                      lengths.greatest, lengths.median));
  for (const auto& [name, count] : info.classes)
    context.console.print(fmt::format("  {:<24} {:5}\n", name, count));
}

int run_scenes_info(ScenesInfoRequest& request, Context& context) {
  resolve_device(context);
  const scenes::Corpus corpus = scenes::read_corpus(context.inputs[0]);
  SkippedImages skipped(context, corpus.paths);
  const ImageSizes sizes = read_sizes(corpus, skipped, context);
  if (!request.output.empty()) write_info(request.output, corpus, sizes, context);
  ScenesInfo info{.images = std::ssize(sizes.which),
                  .failed = skipped.count(),
                  .heights = lengths_of(sizes.heights),
                  .widths = lengths_of(sizes.widths)};
  const std::vector<int> counts = class_counts(corpus, sizes);
  for (std::size_t c = 0; c < counts.size(); ++c)
    info.classes.emplace_back(corpus.classes[c], counts[c]);
  print_info(info, context);
  return skipped.status();
}

}  // namespace

Command scenes_info_command() {
  return {
      .system = "scenes",
      .verb = "info",
      .summary = "print how many images each class has, and how large images are",
      .text =
          "Prints one row per class with its number of images, and the mean size of all images. "
          "Only the headers of the files are read. -o draws the distribution of heights and "
          "widths.",
      .arguments = {{"INPUT",
                     "folder with one folder of images per class, or a list of files and "
                     "classes"}},
      .examples = {{"fovea scenes info places -o sizes",
                    "draw how many images have which height and width"}},
      .request = make_request<ScenesInfoRequest, run_scenes_info>,
      .result = {.record = sample_record<ScenesInfo>}};
}

}  // namespace fovea::cli
