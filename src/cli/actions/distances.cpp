// fovea actions distances: measures the distances between clips that a training begins with.
#include <fovea/actions/distances.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "cli/actions/actions.h"
#include "cli/jobs/units.h"
#include "cli/program/batch.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using actions::ClipDistances;

struct DistancesRequest : ClipTraining {
  std::string output{};
};

void describe(OptionVisitor& visit, DistancesRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file for the distances, .safetensors, which actions train --distances takes");
  describe(visit, static_cast<ClipTraining&>(request));
}

// What a clip adds to the file: why it cannot be read, or the hash of all clips and its distances.
struct MeasuredClip {
  std::string failure{};
  std::uint64_t clips_hash = 0;
  ClipDistances distances{};
};
void describe(FieldVisitor& visit, MeasuredClip& clip) {
  visit("failure", clip.failure, "why it cannot be read");
  visit("clips_hash", clip.clips_hash, "of all clips");
  visit("distances", clip.distances, "to all clips");
}

// What is printed as JSON.
struct DistancesResult {
  std::string output{};
  std::int64_t clips = 0;
  std::int64_t failed = 0;
  std::int64_t distances = 0;
};
void describe(FieldVisitor& visit, DistancesResult& result) {
  visit.record("DistancesResult", "distances that were measured");
  visit("output", result.output, "the file that was written");
  visit("clips", result.clips, "that were measured");
  visit("failed", result.failed, "clips that could not be read");
  visit("distances", result.distances, "how many there are of prototypes");
}

// Measures the clips that are open, and returns the exit status. A clip that cannot be read has no
// distances, and the others have none to it.
int measure_open(const DistancesRequest& request, const actions::Corpus& corpus, Units& units,
                 Context& context) {
  const ClipSet clips = load_clips(corpus, request.train.points, request.cut_first, context);
  const std::uint64_t hash = hash_of_clips(clips.corpus, clips.points);
  std::vector<int> which;
  std::vector<std::size_t> unit_of(clips.corpus.clips.size());
  for (const std::size_t unit : units.open()) {
    const std::int32_t place = clips.place[unit];
    if (place < 0) {
      units.take(unit, MeasuredClip{.failure = clips.failures.at(static_cast<int>(unit))});
      continue;
    }
    which.push_back(place);
    unit_of[static_cast<std::size_t>(place)] = unit;
  }
  actions::measure_distances(clips.corpus, clips.points, which, request.train,
                             [&](int clip, const ClipDistances& distances) {
                               units.take(unit_of[static_cast<std::size_t>(clip)],
                                          MeasuredClip{.clips_hash = hash, .distances = distances});
                             });
  return clips.status();
}

struct Gathered {
  actions::TrainDistances distances{};
  ClipFailures failures{};
};

Gathered gather(std::vector<MeasuredClip>&& clips, const std::string& options) {
  Gathered result;
  result.distances.options = options;
  bool first = true;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    MeasuredClip& clip = clips[i];
    if (!clip.failure.empty()) {
      result.failures.emplace(static_cast<int>(i), std::move(clip.failure));
      continue;
    }
    if (!first && clip.clips_hash != result.distances.clips_hash)
      throw FormatError(
          "shards have seen different clips; run them again with --resume, without changing files");
    first = false;
    result.distances.clips_hash = clip.clips_hash;
    result.distances.clips.push_back(std::move(clip.distances));
  }
  return result;
}

int run_distances(DistancesRequest& request, Context& context) {
  if (request.output.empty()) throw InvalidArgument("actions distances needs -o FILE.safetensors");
  if (std::filesystem::path(request.output).extension() != ".safetensors")
    throw InvalidArgument(
        fmt::format("-o {}: distances are written as .safetensors", request.output));
  check_outputs(context, {{"-o", request.output}});
  actions::check_cut(request.train.cut);
  resolve_device(context);
  request.train.exec = context.exec;
  const actions::Corpus corpus = actions::read_corpus(context.inputs[0]);
  std::vector<MeasuredClip> clips(corpus.clips.size());
  Units units(context, clip_units(corpus), clips);
  const bool measures = !units.open().empty();
  const int status = measures ? measure_open(request, corpus, units, context) : kDone;
  if (!units.finish_whole()) return status;
  const Gathered gathered = gather(std::move(clips), actions::distance_options(request.train));
  if (!measures) complain_of(gathered.failures, corpus.clips.size(), context);
  gathered.distances.write(request.output);
  DistancesResult result{.output = request.output,
                         .clips = std::ssize(gathered.distances.clips),
                         .failed = std::ssize(gathered.failures)};
  for (const ClipDistances& clip : gathered.distances.clips)
    result.distances += std::ssize(clip.matching);
  if (context.json) print_result(context, record_ref(result));
  else
    context.console.print(fmt::format("{}: {} of prototypes of {}\n", request.output,
                                      detail::counted(result.distances, "distance"),
                                      detail::counted(result.clips, "clip")));
  return gathered.failures.empty() ? kDone : kSomeFailed;
}

}  // namespace

Command actions_distances_command() {
  return {
      .system = "actions",
      .verb = "distances",
      .summary = "measure the distances between clips that training needs",
      .text =
          "Measures what takes longest in actions train and grows with the square of the number of "
          "clips: the distances of all prototypes to all clips, and of the single descriptors of "
          "each clip to those of other subjects. Shards divide the clips; each of them reads the "
          "points of all clips, so files of points (fovea actions points) save time. "
          "actions train --distances FILE then gives the model that it gives without, with the "
          "same bytes; its clips, options and seed must be the same.",
      .arguments =
          {{"INPUT",
            "folder with one folder of videos or files of points per action, or a list of clips"}},
      .examples = {{"fovea actions distances clips.txt -o d.safetensors --shard 0/8",
                    "measure the first of eight parts; fovea merge writes the file"}},
      .request = make_request<DistancesRequest, run_distances>,
      .preset = "paper",
      .result = {.record = sample_record<DistancesResult>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
