// fovea scenes words: draws every pixel in the color of its visual word.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/record_io.h>
#include <fovea/report/montage.h>
#include <fovea/scenes/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/scenes/scenes.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct WordsRequest {
  ScenesModel model{};
  std::string output{};
  bool beside = false;
  std::string numbers{};
  std::string dictionary{};
  bool responses = false;
};

void describe(OptionVisitor& visit, WordsRequest& request) {
  describe(visit, request.model);
  visit.path("output", request.output, TextUse::kOutput,
             "picture of the words: a file, or for several inputs a folder or a pattern such as "
             "out/{}.png");
  visit("beside", request.beside, "put the image itself to the left of its words");
  visit.path("numbers", request.numbers, TextUse::kOutput,
             "file for the number of the word of each pixel, 16 bits each: .npy, .tif or .png; for "
             "several inputs a folder or a pattern");
  visit.path("dictionary", request.dictionary, TextUse::kModel,
             "dictionary that fovea scenes dictionary wrote, instead of a model");
  visit("responses", request.responses,
        "inputs are responses that fovea scenes filters wrote (.npy, .tif), not images");
}

// Memory that an image takes with its descriptors, in multiples of the image.
constexpr std::uint64_t kCopies = 64;

// What the JSON has of each image.
struct WordsReport {
  int width = 0, height = 0;
  int distinct_words = 0;
  std::string numbers{}, picture{};
};
void describe(FieldVisitor& visit, WordsReport& report) {
  visit.record("WordsReport", "the visual words of an image");
  visit("width", report.width, "columns of places; with filters every pixel is a place");
  visit("height", report.height, "rows of places");
  visit("distinct_words", report.distinct_words, "how many words occur");
  visit("numbers", report.numbers, "the file of the words' numbers", {.sparse = true});
  visit("output", report.picture, "the picture of the words", {.sparse = true});
}

struct Painted {
  Image<std::uint8_t> image;
  Image<std::uint16_t> words;
};

// The words of the responses in a file.
Image<std::uint16_t> words_of_file(const Context& context, const std::string& path,
                                   const scenes::Dictionary& dictionary, const Exec& exec) {
  const Image<float> responses = io::to_float(read_finite_input(context, path));
  const int numbers = dictionary.words.width();
  if (responses.channels() != numbers)
    throw FormatError(fmt::format("{}: {} per pixel, but the words have {}", path,
                                  detail::counted(responses.channels(), "number"), numbers));
  Image<float> rows(numbers, responses.width() * responses.height());
  for (int y = 0; y < responses.height(); ++y)
    for (int x = 0; x < responses.width(); ++x)
      std::copy_n(responses.row(y) + x * numbers, numbers, rows.row(y * responses.width() + x));
  const std::vector<std::uint16_t> words = scenes::find_words(rows.view(), dictionary, exec);
  Image<std::uint16_t> map(responses.width(), responses.height());
  for (int y = 0; y < map.height(); ++y)
    std::copy_n(words.data() + std::ptrdiff_t{y} * map.width(), map.width(), map.row(y));
  return map;
}

int run_words(WordsRequest& request, Context& context) {
  if (request.output.empty() && request.numbers.empty())
    throw InvalidArgument("scenes words needs -o PICTURE, or --numbers FILE");
  resolve_device(context);
  const auto inputs = scenes_inputs(context);
  const scenes::Dictionary dictionary = read_dictionary_or_model(
      request.dictionary.empty() ? request.model.model : request.dictionary);
  if (request.responses && request.beside)
    throw InvalidArgument("--beside needs the image, and --responses are none");
  std::vector<std::string> pictures(inputs.size()), numbers(inputs.size());
  if (!request.output.empty()) pictures = output_paths(context, request.output, inputs, ".png");
  if (!request.numbers.empty()) numbers = output_paths(context, request.numbers, inputs, ".npy");
  const auto colors = scenes::word_colors(dictionary);
  const InputImages images(context, inputs);
  const io::FrameWorkers plan =
      io::plan_frame_workers(context.exec, static_cast<std::int64_t>(inputs.size()));
  scenes::FeatureOptions options;
  options.exec = context.exec_without_progress();
  options.exec.threads = plan.threads;
  std::vector<scenes::FeatureMaker> makers;
  makers.reserve(static_cast<std::size_t>(plan.count));
  for (int i = 0; i < plan.count; ++i) makers.emplace_back(dictionary, options);
  const auto write = [&](std::size_t i, const Painted& item) -> Outcome {
    const Image<std::uint16_t>& words = item.words;
    std::set<std::uint16_t> distinct;
    for (int y = 0; y < words.height(); ++y)
      distinct.insert(words.row(y), words.row(y) + words.width());
    const WordsReport report{words.width(), words.height(), static_cast<int>(distinct.size()),
                             numbers[i], pictures[i]};
    Outcome outcome{.members = io::record_members(record_ref(report)),
                    .files = {numbers[i], pictures[i]}};
    std::erase(outcome.files, "");
    if (!numbers[i].empty()) io::write_image(numbers[i], words.view());
    if (!pictures[i].empty()) {
      Image<std::uint8_t> shown = scenes::show_words(words.view(), colors);
      if (request.beside) {
        const std::array<report::Tile, 2> tiles{{{item.image.view(), {}}, {shown.view(), {}}}};
        shown = report::montage(tiles, {.columns = 2, .gap = 4});
      }
      io::write_image(pictures[i], shown.view());
    }
    outcome.line = fmt::format("{}: {} of {}{}{}", inputs[i], distinct.size(),
                               detail::counted(dictionary.size(), "word"),
                               pictures[i].empty() ? "" : ", ", pictures[i]);
    return outcome;
  };
  Batch batch(context, inputs);
  batch.run_together<Painted, scenes::FeatureMaker>(
      inputs.size(), makers, plan,
      {.bytes = [&](const auto& item) { return kCopies * image_bytes(inputs[item.input]); },
       .prepare =
           [&](auto& item) {
             if (request.responses)
               item.value.words =
                   words_of_file(context, inputs[item.input], dictionary, options.exec);
             else item.value.image = images.read(static_cast<int>(item.input));
           },
       .work =
           [](scenes::FeatureMaker& maker, auto& item) {
             Painted& painted = item.value;
             if (!painted.image.empty()) painted.words = maker.words(painted.image.view());
           },
       .complete = [&](auto& item) { item.outcome = write(item.input, item.value); }});
  return batch.finish();
}

}  // namespace

Command scenes_words_command() {
  return {.system = "scenes",
          .verb = "words",
          .summary = "paint each pixel in the color of its visual word",
          .text =
              "Shows to which word of a model's dictionary each pixel belongs. Words with similar "
              "descriptors have similar colors. --numbers writes the words themselves, from which "
              "fovea scenes features --from words counts histograms.",
          .arguments = {{"IMAGE", "images: files, folders, globs, @list, or - for standard input",
                         1, kAnyNumber}},
          .examples = {{"fovea scenes words photo.jpg -o words.png --beside",
                        "draw the image and its words with the shipped model sun8"}},
          .request = make_request<WordsRequest, run_words>,
          .result = {.record = sample_record<WordsReport>, .per_input = true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
