// fovea scenes dictionary: learns words from descriptors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/jobs/all_shards.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "cli/scenes/distributed_kmeans.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct DictionaryRequest {
  std::string output{};
  scenes::DescriptorOptions descriptor{};
  scenes::DictionaryOptions dictionary{};
  RoundOptions rounds{};
};

void describe(OptionVisitor& visit, DictionaryRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "dictionary to write, .safetensors");
  describe(visit, request.descriptor);
  describe(visit, request.dictionary);
  describe(visit, request.rounds);
}

// What the JSON has: the words, or which shards learning waits for.
struct DictionaryReport {
  std::string dictionary{};
  int words = 0;
  int dimensions = 0;
  scenes::WordLearning kmeans{};
};
void describe(FieldVisitor& visit, DictionaryReport& report) {
  visit.record("DictionaryReport", "words that were learned");
  visit("dictionary", report.dictionary, "the file that was written");
  visit("words", report.words, "how many there are");
  visit("dimensions", report.dimensions, "numbers of a word");
  visit("kmeans", report.kmeans, "how they were learned");
}
struct RoundReport {
  bool finished = false;
  AnswersNeeded needed{};
};
void describe(FieldVisitor& visit, RoundReport& report) {
  visit.record("RoundReport", "what learning waits for");
  visit("finished", report.finished, "whether the words are learned");
  visit("round", report.needed.round, "the number of the round");
  visit("what", report.needed.kind, "what the shards are asked for");
  visit("missing", report.needed.parts, "the shards that have not answered");
}

bool is_manifest(const std::string& input) {
  return std::filesystem::path(input).extension() == ".manifest";
}

// Checks which inputs go with --rounds.
void check_rounds(const DictionaryRequest& request, const Context& context) {
  const bool manifests = std::ranges::all_of(context.inputs, is_manifest);
  if (manifests && request.rounds.folder.empty())
    throw InvalidArgument(
        "samples in manifests need --rounds FOLDER, through which fovea scenes assign reads them");
  if (!manifests && !request.rounds.folder.empty())
    throw InvalidArgument(
        "--rounds is for samples in parts; give the manifests of fovea scenes sample --shard I/N");
  if (!manifests && context.inputs.size() > 1)
    throw InvalidArgument(
        fmt::format("scenes dictionary learns from one table, folder or list, but here are {}",
                    context.inputs.size()));
}

// The samples of all shards, of which none may be missing. The words then know how many of each
// image there are.
scenes::SampleParts parts_of(const DictionaryRequest& request, const Context& context,
                             scenes::DictionaryOptions& options) {
  std::vector<cluster::Manifest> shards;
  for (const std::string& path : manifest_files(context.inputs)) {
    shards.push_back(open_samples(path, request.rounds));
    shards.back().close();
  }
  require_all_shards(shards);
  options.samples = samples_per_image(shards.front().job().options).value_or(options.samples);
  scenes::SampleParts parts{.count = static_cast<int>(shards.size()),
                            .job = place_of(shards.front()).job};
  parts.samples.reserve(shards.size());
  for (const cluster::Manifest& shard : shards) {
    parts.samples.push_back(scenes::hash_of_samples(samples_in(shard).view()));
    shard.close();
  }
  return parts;
}

// From samples that stay in the manifests of their shards. Writes the dictionary before the folder
// is given back.
scenes::Dictionary learn_in_rounds(const DictionaryRequest& request, Context& context) {
  scenes::DictionaryOptions options = request.dictionary;
  const scenes::SampleParts parts = parts_of(request, context, options);
  RoundFolder folder(request.rounds, context.exec);
  folder.begin();
  scenes::Dictionary dictionary = scenes::learn_dictionary(
      parts, [&](const scenes::RoundRequest& round) { return folder.ask(round, parts.count); },
      request.descriptor, options);
  dictionary.write(request.output);
  folder.finish(parts);
  return dictionary;
}

// Says which command the learning waits for.
int report_round(const DictionaryRequest& request, const Context& context,
                 const AnswersNeeded& needed) {
  context.console.end_progress();
  const char* kind = choices(needed.kind)[static_cast<std::size_t>(needed.kind)].word;
  if (context.json) print_result(context, record_ref(RoundReport{.needed = needed}));
  else
    context.console.print(fmt::format(
        "{0}: round {1} ({2}) waits for {3} {4}; next: fovea scenes assign MANIFEST --rounds {0} "
        "for each of them, then the same command\n",
        request.rounds.folder, needed.round, kind, needed.parts.size() == 1 ? "shard" : "shards",
        fmt::join(needed.parts, ", ")));
  return kMoreToDo;
}

// From a table of samples, or from images of which it draws them.
scenes::Dictionary learn(const DictionaryRequest& request, Context& context, int& status) {
  if (!request.rounds.folder.empty()) return learn_in_rounds(request, context);
  const std::string& input = context.inputs[0];
  if (std::filesystem::path(input).extension() == ".npy") {
    if (request.dictionary.all_places)
      throw InvalidArgument(fmt::format(
          "--all-places needs images, but {} holds samples; give the folder or list", input));
    scenes::DictionaryOptions options = request.dictionary;
    options.samples = samples_of_table(input).value_or(options.samples);
    return scenes::learn_dictionary(read_table(input).view(), request.descriptor, options);
  }
  const scenes::Corpus corpus = scenes::read_corpus(input);
  SkippedImages skipped(context, corpus.paths);
  scenes::Dictionary dictionary = scenes::learn_dictionary(
      InputImages(context, corpus.paths), request.descriptor, request.dictionary, skipped.report());
  status = skipped.status();
  return dictionary;
}

int run_dictionary(DictionaryRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  check_rounds(request, context);
  check_outputs(context, {{"-o", request.output}});
  resolve_device(context);
  const double start = steady_seconds();
  request.dictionary.exec = context.exec;
  int status = kDone;
  scenes::Dictionary dictionary;
  try {
    dictionary = learn(request, context, status);
  } catch (const AnswersNeeded& needed) {
    return report_round(request, context, needed);
  }
  const double seconds = steady_seconds() - start;
  if (request.rounds.folder.empty()) dictionary.write(request.output);
  context.console.end_progress();
  if (context.json)
    print_result(context,
                 record_ref(DictionaryReport{request.output, dictionary.size(),
                                             dictionary.words.width(), dictionary.learning}));
  else
    context.console.print(fmt::format("{}: {}; {}, in {}\n", request.output,
                                      detail::counted(dictionary.size(), "word"),
                                      learning_text(dictionary.learning), seconds_text(seconds)));
  return status;
}

}  // namespace

Command scenes_dictionary_command() {
  return {
      .system = "scenes",
      .verb = "dictionary",
      .summary = "learn words from descriptors",
      .text =
          "Standardizes the descriptors that fovea scenes sample wrote, or those of another "
          "program, and finds words among them by k-means. The options that say how places are "
          "described must be those of the samples: images are described by them later. From a "
          "folder or list of images it draws the samples itself; --all-places then goes on with "
          "every place of every image, by mini-batches, in memory for one of them. With --rounds "
          "it learns from samples that stay in the manifests of fovea scenes sample --shard: where "
          "it needs the shards' sums, it ends with status 6 or waits, and fovea scenes assign "
          "makes them.",
      .arguments = {{"INPUT",
                     "array of descriptors, one per row, .npy; or images as fovea scenes sample "
                     "takes them; or the manifests of all its shards",
                     1, kAnyNumber}},
      .examples = {{"fovea scenes dictionary samples.npy -o words.safetensors", "learn 500 words"},
                   {"fovea scenes dictionary places --all-places -o words.safetensors",
                    "learn 500 words from every pixel of the images"},
                   {"fovea scenes dictionary *.manifest --rounds r -o words.safetensors",
                    "learn from the samples of eight shards, for which fovea scenes assign runs"}},
      .request = make_request<DictionaryRequest, run_dictionary>,
      .result = {.record = sample_record<DictionaryReport>, .other = sample_record<RoundReport>},
      .reads_images = true};
}

}  // namespace fovea::cli
