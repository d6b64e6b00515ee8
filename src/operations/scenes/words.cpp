// scenes words: draws every pixel in the color of its visual word.
#include <fovea/core/error.h>
#include <fovea/report/montage.h>
#include <fovea/scenes/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/words.h"
#include "operations/make_operation.h"
#include "operations/scenes/scenes.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_scenes_words {
namespace {

struct WordsRequest {
  std::string model = "sun8";
  bool beside = false;
  std::string dictionary{};
  bool responses = false;

  // What begin() reads.
  scenes::Dictionary words{};
  std::vector<report::Color> colors{};
  Exec exec{};
};

void describe(OptionVisitor& visit, WordsRequest& request) {
  describe_scenes_model(visit, request.model);
  visit("beside", request.beside, "put the image itself to the left of its words");
  visit.path("dictionary", request.dictionary, TextUse::kModel,
             "dictionary that fovea scenes dictionary wrote, instead of a model");
  visit("responses", request.responses,
        "inputs are responses that fovea scenes filters wrote (.npy, .tif), not images");
}

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
  std::string input{};
  Image<std::uint8_t> pixels{};
  Image<float> responses{};  // in place of pixels
  Image<std::uint16_t> words{};
  WordsReport report{};
};

void check(const WordsRequest& request) {
  if (request.responses && request.beside)
    throw InvalidArgument("--beside needs the image, and --responses are none");
}

void settle(WordsRequest&, const Plan& plan) {
  if (plan.files.empty()) throw InvalidArgument("scenes words needs -o PICTURE, or --numbers FILE");
}

void begin(WordsRequest& request, const Exec& exec, const Plan&) {
  request.words =
      read_dictionary_or_model(request.dictionary.empty() ? request.model : request.dictionary);
  request.colors = scenes::word_colors(request.words);
  request.exec = exec;
}

scenes::FeatureMaker worker(const WordsRequest& request, const Exec& exec) {
  scenes::FeatureOptions options;
  options.exec = exec;
  return scenes::FeatureMaker(request.words, options);
}

void read(const WordsRequest& request, const Source& source, Painted& item) {
  item.input = source.name;
  item.report.numbers = source.file("numbers");
  item.report.picture = source.file("output");
  if (!request.responses) {
    item.pixels = scene_pixels(source);
    return;
  }
  item.responses = io::to_float(source.image(io::Orientation::kIgnore));
  if (item.responses.channels() != request.words.words.width())
    throw FormatError(fmt::format("{}: {} per pixel, but the words have {}", source.name,
                                  detail::counted(item.responses.channels(), "number"),
                                  request.words.words.width()));
}

Image<std::uint16_t> words_of(const Image<float>& responses, const WordsRequest& request) {
  const int numbers = responses.channels(), width = responses.width();
  Image<float> rows(numbers, width * responses.height());
  for (int y = 0; y < responses.height(); ++y)
    for (int x = 0; x < width; ++x)
      std::copy_n(responses.row(y) + x * numbers, numbers, rows.row(y * width + x));
  const auto words = scenes::find_words(rows.view(), request.words, request.exec);
  Image<std::uint16_t> map(width, responses.height());
  for (int y = 0; y < map.height(); ++y)
    std::copy_n(words.data() + std::ptrdiff_t{y} * width, width, map.row(y));
  return map;
}

void run(const WordsRequest& request, scenes::FeatureMaker& maker, Painted& item) {
  item.words = request.responses ? words_of(item.responses, request) : maker.words(item.pixels);
  std::set<std::uint16_t> distinct;
  for (int y = 0; y < item.words.height(); ++y)
    distinct.insert(item.words.row(y), item.words.row(y) + item.words.width());
  item.report.width = item.words.width();
  item.report.height = item.words.height();
  item.report.distinct_words = static_cast<int>(distinct.size());
}

void write_numbers(const WordsRequest&, const Painted& item, const std::string& path) {
  io::write_image(path, item.words.view());
}

void write_picture(const WordsRequest& request, const Painted& item, const std::string& path) {
  Image<std::uint8_t> shown = scenes::show_words(item.words.view(), request.colors);
  if (request.beside) {
    const std::array<report::Tile, 2> tiles{{{item.pixels.view(), {}}, {shown.view(), {}}}};
    shown = report::montage(tiles, {.columns = 2, .gap = 4});
  }
  io::write_image(path, shown.view());
}

std::string line(const WordsRequest& request, const Painted& item) {
  const WordsReport& report = item.report;
  return fmt::format("{}: {} of {}{}{}", item.input, report.distinct_words,
                     detail::counted(request.words.size(), "word"),
                     report.picture.empty() ? "" : ", ", report.picture);
}

}  // namespace
}  // namespace of_scenes_words

Operation scenes_words() {
  using namespace of_scenes_words;
  return make_operation<WordsRequest, Painted, scenes::FeatureMaker>(
      {.words = {.system = "scenes",
                 .verb = "words",
                 .summary = "paint each pixel in the color of its visual word",
                 .text =
                     "Shows to which word of a model's dictionary each pixel belongs. Words with "
                     "similar descriptors have similar colors. --numbers writes the words "
                     "themselves, from which fovea scenes features --from words counts histograms.",
                 .arguments = {scene_images()},
                 .examples = {{"fovea scenes words photo.jpg -o words.png --beside",
                               "draw the image and its words with the shipped model sun8"}}},
       .input = InputKind::kImage,
       .finite_pixels = true,
       .names_files = true,
       .outputs =
           {{.about = {.name = "numbers",
                       .help = "file for the number of the word of each pixel, 16 bits each: "
                               ".npy, .tif or .png; for several inputs a folder or a pattern",
                       .ending = ".npy",
                       .after = "beside"},
             .write = write_numbers},
            {.about = {.name = "output",
                       .help = "picture of the words: a file, or for several inputs a folder "
                               "or a pattern such as out/{}.png",
                       .ending = ".png",
                       .after = "model"},
             .write = write_picture}},
       .check_inputs = refuse_models,
       .check = check,
       .settle = settle,
       .begin = begin,
       .worker = worker,
       .read = read,
       .run = run,
       .memory = [](const WordsRequest&,
                    std::uint64_t bytes) { return 64 * bytes; },  // descriptors
       .result = [](const Painted& item) { return record_ref(item.report); },
       .line = line},
      sample_record<WordsReport>);
}

}  // namespace fovea::operations
