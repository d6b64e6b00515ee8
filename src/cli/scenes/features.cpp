// fovea scenes features: writes the histograms of words of labeled images.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// What the files of the corpus hold.
enum class FeaturesFrom : unsigned char { kImages, kWords };
std::span<const Choice> choices(FeaturesFrom) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"images", static_cast<int>(FeaturesFrom::kImages)},
       {"words", static_cast<int>(FeaturesFrom::kWords)}}};
  return kChoices;
}

struct FeaturesRequest {
  std::string dictionary{};
  std::string output{};
  std::string labels{};
  FeaturesFrom from = FeaturesFrom::kImages;
  scenes::FeatureOptions features{};
};

void describe(OptionVisitor& visit, FeaturesRequest& request) {
  visit.path("dictionary", request.dictionary, TextUse::kModel,
             "dictionary that fovea scenes dictionary wrote, or a model whose words are taken");
  visit.path("output", request.output, TextUse::kOutput,
             "file for the histograms, .npy, one row per image");
  visit.path("labels", request.labels, TextUse::kOutput,
             "file for the file, class and label of each row, .csv");
  visit("from", request.from,
        "what the files hold: images, or maps of words that fovea scenes words --numbers wrote");
  describe(visit, request.features);
}

scenes::FeatureTable count_maps(const scenes::Corpus& corpus, const scenes::Dictionary& dictionary,
                                const FeaturesRequest& request, SkippedImages& skipped,
                                const Context& context) {
  const scenes::DescriptorOptions& descriptor = dictionary.descriptor;
  if (descriptor.words != scenes::WordSource::kFilters || descriptor.step > 1)
    throw InvalidArgument(
        "--from words needs a dictionary of filters with a word for every pixel; take images");
  if (dictionary.code.coding != scenes::Coding::kHard || !dictionary.beside.empty())
    throw InvalidArgument(
        "--from words counts words, but the dictionary has another coding or words of color beside "
        "it; take images");
  scenes::FeatureTable table;
  table.usable.assign(corpus.paths.size(), false);
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    throw_if_stopped(context.exec);
    try {
      const io::AnyImage map = read_input(context, corpus.paths[i]);
      if (map.type() != io::SampleType::kUint16)
        throw FormatError(fmt::format("{}: holds {}, but maps of words hold uint16",
                                      corpus.paths[i], io::to_string(map.type())));
      const std::vector<float> row =
          scenes::word_histogram(std::get<ImageView<const std::uint16_t>>(map.view()),
                                 dictionary.size(), request.features.pyramid);
      if (table.features.empty())
        table.features =
            Image<float>(static_cast<int>(row.size()), static_cast<int>(corpus.paths.size()));
      std::ranges::copy(row, table.features.row(static_cast<int>(i)));
      table.usable[i] = true;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      skipped.report(static_cast<int>(i), error.what());
    }
  }
  return table;
}

// The rows of the images that could be read, and their labels.
struct UsableRows {
  Image<float> features;
  scenes::LabelTable labels;
};
UsableRows usable_rows(const scenes::Corpus& corpus, const scenes::FeatureTable& table) {
  const auto count = std::count(table.usable.begin(), table.usable.end(), true);
  if (count == 0) throw FormatError("no image can be read");
  UsableRows rows{Image<float>(table.features.width(), static_cast<int>(count)), {}};
  rows.labels.classes = corpus.classes;
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    if (!table.usable[i]) continue;
    std::copy_n(table.features.row(static_cast<int>(i)), table.features.width(),
                rows.features.row(static_cast<int>(rows.labels.files.size())));
    rows.labels.files.push_back(corpus.paths[i]);
    rows.labels.labels.push_back(corpus.labels[i]);
  }
  return rows;
}

int run_features(FeaturesRequest& request, Context& context) {
  require_table_output(context, request.output);
  if (request.dictionary.empty() || request.labels.empty())
    throw InvalidArgument("scenes features needs --dictionary WORDS and --labels FILE.csv");
  check_outputs(context, {{"-o", request.output}, {"--labels", request.labels}},
                {request.dictionary});
  settle_device(context);
  const scenes::Dictionary dictionary = read_dictionary_or_model(request.dictionary);
  const scenes::Corpus corpus = scenes::read_corpus(context.inputs[0]);
  SkippedImages skipped(context, corpus.paths);
  request.features.exec = context.exec;
  const scenes::FeatureTable table =
      request.from == FeaturesFrom::kWords
          ? count_maps(corpus, dictionary, request, skipped, context)
          : scenes::make_features(InputImages(context, corpus.paths), dictionary, request.features,
                                  skipped.report());
  context.console.end_progress();
  const UsableRows rows = usable_rows(corpus, table);
  io::write_image(request.output, rows.features.view());
  scenes::write_labels(request.labels, rows.labels);
  if (context.json)
    print_result(context, [&](io::JsonWriter& json) {
      json.member("output", request.output).member("labels", request.labels);
      json.member("images", rows.features.height()).member("failed", skipped.count());
      json.member("length", rows.features.width()).key("classes").begin_array();
      for (const std::string& name : corpus.classes) json.value(name);
      json.end_array();
    });
  else
    context.console.print(fmt::format("{}: {} of {} numbers\n", request.output,
                                      detail::counted(rows.features.height(), "histogram"),
                                      rows.features.width()));
  return skipped.status();
}

}  // namespace

Command scenes_features_command() {
  return {.system = "scenes",
          .verb = "features",
          .summary = "write the histograms of words of labeled images",
          .text =
              "Finds the word of every place and writes one histogram per image, with a table of "
              "their files and classes. fovea scenes classifier, or any other program, learns from "
              "them. An image that cannot be read is named and left out.",
          .arguments = {{"INPUT",
                         "folder with one folder of images per class, or a list of files and "
                         "classes"}},
          .examples = {{"fovea scenes features places --dictionary sun8 -o f.npy --labels l.csv",
                        "count the words of the shipped model in every image"}},
          .request = make_request<FeaturesRequest, run_features>,
          .reads_images = true};
}

}  // namespace fovea::cli
