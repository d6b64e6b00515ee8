// fovea scenes assign: the part that one shard's samples have in learning words.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/jobs/all_shards.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/distributed_kmeans.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct AssignRequest {
  RoundOptions rounds{};
};

void describe(OptionVisitor& visit, AssignRequest& request) { describe(visit, request.rounds); }

// One shard's samples, and its number.
struct ShardSamples {
  std::string path{};
  scenes::PartPlace place{};
  std::int64_t count = 0;
  std::uint64_t hash = 0;
  scenes::SamplePart part;

  bool is_asked(const scenes::RoundRequest& request) const {
    return scenes::is_asked(request, place, hash);
  }
};

ShardSamples samples_of(const std::string& path, const RoundOptions& options, const Exec& exec) {
  const cluster::Manifest manifest = open_samples(path, options);
  const scenes::PartPlace place = place_of(manifest);
  Image<float> rows = samples_in(manifest);
  const std::int64_t count = rows.height();
  const std::uint64_t hash = scenes::hash_of_samples(std::as_const(rows).view());
  return {path, place, count, hash, scenes::SamplePart(std::move(rows), place, exec)};
}

void require_asked(const ShardSamples& shard, const scenes::RoundRequest& request,
                   const std::string& folder) {
  if (!shard.is_asked(request))
    throw InvalidArgument(
        fmt::format("{}: has other samples than those from which words are learned in {}; give the "
                    "manifests that fovea scenes dictionary was given, or another folder",
                    shard.path, folder));
}

// Answers a round for the shards that have not; false where all have, or where the round is closed
// meanwhile. Throws InvalidArgument where it asks for other samples, also where others have
// answered for these shards: `checked` says that a request was looked at for that.
bool answer_round(const RoundFolder& folder, scenes::RoundName round,
                  std::vector<ShardSamples>& shards, bool& checked, const Exec& exec) {
  const auto waits = [&](const ShardSamples& shard) {
    return !folder.has_answer(round, shard.place.index);
  };
  if (checked && std::ranges::none_of(shards, waits)) return false;
  bool answered = false;
  try {
    const scenes::RoundRequest request = folder.request(round);
    for (const ShardSamples& shard : shards) require_asked(shard, request, folder.name());
    checked = true;
    for (ShardSamples& shard : shards) {
      if (!waits(shard)) continue;
      if (!shard.part.can_answer(request)) shard = samples_of(shard.path, folder.options(), exec);
      folder.answer(round, shard.place.index,
                    shard.part.answer(request, [&](const scenes::RoundName& earlier) {
                      return folder.request(earlier);
                    }));
      answered = true;
    }
  } catch (const IoError&) {
    // Somebody may be removing the folder, file by file.
    for (PollTimeout grace(1, exec); folder.is_open(round);)
      if (!grace.wait()) throw;
    return false;
  }
  return answered;
}

struct Answered {
  int rounds = 0;
  std::int64_t samples = 0;  // of all shards here
  bool learned = false;      // the dictionary was written
};
void describe(FieldVisitor& visit, Answered& answered) {
  visit.record("Answered", "what shards have done for words that are learned from them");
  visit("rounds", answered.rounds, "how many requests were answered");
  visit("samples", answered.samples, "of all shards here");
  visit("finished", answered.learned, "whether the words are learned");
}

// Answers the open rounds, one after the other. The end of a learning from other samples does not
// count.
Answered answer_rounds(const RoundFolder& folder, std::vector<ShardSamples>& shards,
                       PollTimeout timeout, const Exec& exec) {
  Answered answered;
  bool checked = false;
  do {
    const std::optional<scenes::RoundName> round = folder.open_round();
    if (round && answer_round(folder, *round, shards, checked, exec)) {
      ++answered.rounds;
      timeout.renew();
    }
    const std::optional<scenes::RoundRequest> end = folder.finished();
    answered.learned = end && std::ranges::all_of(shards, [&](const ShardSamples& shard) {
                         return shard.is_asked(*end);
                       });
  } while (!answered.learned && timeout.wait());
  return answered;
}

int run_assign(AssignRequest& request, Context& context) {
  if (request.rounds.folder.empty())
    throw InvalidArgument(
        "scenes assign needs --rounds FOLDER, the one of fovea scenes dictionary --rounds");
  if (context.exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument("scenes assign computes on the CPU; leave out --device");
  context.exec.device = Device::cpu();
  std::vector<ShardSamples> shards;
  for (const std::string& path : manifest_files(context.inputs))
    shards.push_back(samples_of(path, request.rounds, context.exec));
  Answered answered =
      answer_rounds(RoundFolder(request.rounds, context.exec), shards,
                    PollTimeout(request.rounds.wait_seconds, context.exec), context.exec);
  for (const ShardSamples& shard : shards) answered.samples += shard.count;
  const bool gave_up = !answered.learned && request.rounds.wait_seconds > 0;
  if (context.json) print_result(context, record_ref(answered));
  else
    context.console.print(fmt::format(
        "{}: {} for {}{}\n", request.rounds.folder, detail::counted(answered.rounds, "round"),
        detail::counted(answered.samples, "sample"),
        answered.learned ? "; the words are learned"
        : gave_up ? "; the words are not learned yet, next: fovea scenes dictionary MANIFEST... "
                    "--rounds and the same command"
                  : ""));
  return gave_up ? kMoreToDo : kDone;
}

}  // namespace

Command scenes_assign_command() {
  return {
      .system = "scenes",
      .verb = "assign",
      .summary = "take part in learning words, with the samples of one shard",
      .text =
          "fovea scenes dictionary --rounds FOLDER learns words from samples that stay in the "
          "manifests of the shards that drew them. Every round it writes a request into the "
          "folder, and this command answers it for its shards: which word each sample is nearest "
          "to, added up. Without --wait it answers one request, or none where there is none, and "
          "ends with status 0. With --wait it reads its samples once and goes on from round to "
          "round until the dictionary is written (status 0), or until no request came for as many "
          "seconds as --wait says (status 6). Where words are learned from other samples in this "
          "folder, it ends with status 2. The dictionary has the bytes of one that is learned from "
          "all samples in one place. Samples are assigned on the CPU.",
      .arguments = {{"MANIFEST", "manifests of fovea scenes sample --shard I/N: one or more", 1,
                     kAnyNumber}},
      .examples = {{"fovea scenes assign scenes-sample-0-of-8.manifest --rounds r --wait 600",
                    "answer for the first of eight shards until the words are learned"}},
      .request = make_request<AssignRequest, run_assign>,
      .result = {.record = sample_record<Answered>}};
}

}  // namespace fovea::cli
