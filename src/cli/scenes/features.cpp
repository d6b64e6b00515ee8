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

// What the JSON has.
struct FeaturesReport {
  std::string output{}, labels{};
  int images = 0;
  int failed = 0;
  int length = 0;
  std::vector<std::string> classes{};
};
void describe(FieldVisitor& visit, FeaturesReport& report) {
  visit.record("FeaturesReport", "histograms of words that were written, or recorded by a shard");
  visit("output", report.output, "the file of the histograms", {.sparse = true});
  visit("labels", report.labels, "the file of their classes", {.sparse = true});
  visit("images", report.images, "how many histograms there are");
  visit("failed", report.failed, "how many images could not be read");
  visit("length", report.length, "numbers of a histogram");
  visit("classes", report.classes, "the names, by label");
}

void check_words(const scenes::Dictionary& dictionary) {
  const scenes::DescriptorOptions& descriptor = dictionary.descriptor;
  if (descriptor.words != scenes::WordSource::kFilters || descriptor.step > 1)
    throw InvalidArgument(
        "--from words needs a dictionary of filters with a word for every pixel; take images");
  if (dictionary.code.coding != scenes::Coding::kHard || !dictionary.beside.empty())
    throw InvalidArgument(
        "--from words counts words, but the dictionary has another coding or words of color beside "
        "it; take images");
}

// The histograms of maps of words.
UnitRows count_maps(std::span<const int> which, const std::vector<std::string>& paths,
                    const std::function<std::vector<float>(const std::string&)>& histogram,
                    const scenes::ImageFailure& failed) {
  UnitRows made;
  made.usable.assign(which.size(), false);
  for (std::size_t i = 0; i < which.size(); ++i) {
    try {
      const std::vector<float> row = histogram(paths[static_cast<std::size_t>(which[i])]);
      if (made.rows.empty())
        made.rows = Image<float>(static_cast<int>(row.size()), static_cast<int>(which.size()));
      std::ranges::copy(row, made.rows.row(static_cast<int>(i)));
      made.usable[i] = true;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      failed(which[i], error.what());
    }
  }
  return made;
}

MakeRows histograms_of_maps(const Context& context, const std::vector<std::string>& paths,
                            const scenes::Dictionary& dictionary, int pyramid) {
  return [&, pyramid](std::span<const int> which, const scenes::ImageFailure& failed) {
    const auto histogram = [&](const std::string& path) {
      throw_if_stopped(context.exec);
      const io::AnyImage map = read_input(context, path);
      if (map.type() != io::SampleType::kUint16)
        throw FormatError(fmt::format("{}: holds {}, but maps of words hold uint16", path,
                                      io::to_string(map.type())));
      return scenes::word_histogram(std::get<ImageView<const std::uint16_t>>(map.view()),
                                    dictionary.size(), pyramid);
    };
    return count_maps(which, paths, histogram, failed);
  };
}

MakeRows histograms_of_images(const Context& context, const std::vector<std::string>& paths,
                              const scenes::Dictionary& dictionary,
                              const scenes::FeatureOptions& options) {
  return [&](std::span<const int> which, const scenes::ImageFailure& failed) -> UnitRows {
    std::vector<std::string> some;
    some.reserve(which.size());
    for (const int i : which) some.push_back(paths[static_cast<std::size_t>(i)]);
    scenes::FeatureTable table = scenes::make_features(
        InputImages(context, some), dictionary, options, [&](int index, const std::string& why) {
          failed(which[static_cast<std::size_t>(index)], why);
        });
    return {std::move(table.features), std::move(table.usable)};
  };
}

scenes::LabelTable labels_of(const scenes::Corpus& corpus, const std::vector<bool>& usable) {
  scenes::LabelTable labels;
  labels.classes = corpus.classes;
  for (std::size_t i = 0; i < corpus.paths.size(); ++i) {
    if (!usable[i]) continue;
    labels.files.push_back(corpus.paths[i]);
    labels.labels.push_back(corpus.labels[i]);
  }
  return labels;
}

int run_features(FeaturesRequest& request, Context& context) {
  require_table_output(context, request.output);
  if (request.dictionary.empty() || request.labels.empty())
    throw InvalidArgument("scenes features needs --dictionary WORDS and --labels FILE.csv");
  check_outputs(context, {{"-o", request.output}, {"--labels", request.labels}},
                {request.dictionary});
  resolve_device(context);
  const scenes::Dictionary dictionary = read_dictionary_or_model(request.dictionary);
  const scenes::Corpus corpus = scenes::read_corpus(context.inputs[0]);
  request.features.exec = context.exec;
  const bool maps = request.from == FeaturesFrom::kWords;
  if (maps) check_words(dictionary);
  const UnitRows made = rows_of_units(
      context, corpus.paths,
      maps ? histograms_of_maps(context, corpus.paths, dictionary, request.features.pyramid)
           : histograms_of_images(context, corpus.paths, dictionary, request.features));
  const Image<float>& rows = made.rows;
  if (writes_shared_files(context)) {
    io::write_image(request.output, rows.view());
    scenes::write_labels(request.labels, labels_of(corpus, made.usable));
  }
  if (context.json)
    print_result(context, record_ref(FeaturesReport{
                              writes_shared_files(context) ? request.output : "",
                              writes_shared_files(context) ? request.labels : "", rows.height(),
                              made.failed, rows.width(), corpus.classes}));
  else
    context.console.print(written_or_recorded(
        context, request.output,
        fmt::format("{} of {} numbers", detail::counted(rows.height(), "histogram"),
                    rows.width())));
  return made.failed > 0 ? kSomeFailed : kDone;
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
          .result = {.record = sample_record<FeaturesReport>},
          .reads_images = true,
          .shards = true,
          .shared_files = {"output", "labels"}};
}

}  // namespace fovea::cli
