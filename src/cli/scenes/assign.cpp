// fovea scenes assign: the part that one shard's samples have in learning words.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/jobs/all_shards.h"
#include "cli/jobs/journal.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/rounds.h"
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
  int index = 0;
  std::int64_t count = 0;
  scenes::SamplePart part;
};

std::uint64_t hash_of_job(const cluster::Manifest& manifest) {
  const cluster::JobIdentity& job = manifest.job();
  return cluster::hash_of(fmt::format("{} {} {} {} {} {}", job.options, job.models, job.inputs,
                                      job.units, job.version, manifest.shard().count));
}

ShardSamples samples_of(const std::string& path, const Exec& exec) {
  const cluster::Manifest manifest = open_samples(path);
  const cluster::UnitRange range = units_of(manifest.shard(), manifest.job().units);
  RowTable table;
  for (std::uint64_t unit = range.first; unit < range.last; ++unit) {
    if (!manifest.status(unit))
      throw InvalidArgument(fmt::format(
          "{}: has no result of image {} yet; run that shard again with --resume", path, unit + 1));
    const cluster::UnitRecord record = manifest.record(unit);
    if (record.status == cluster::UnitStatus::kDone) table.add(result_of(record).shared);
  }
  Image<float> rows = table.rows();
  const std::int64_t count = rows.height();
  return {
      path, manifest.shard().index, count,
      scenes::SamplePart(std::move(rows), {manifest.shard().index, hash_of_job(manifest)}, exec)};
}

// Answers a round for the shards that have not; false where all have, or where the round is closed
// meanwhile.
bool answer_round(const RoundFolder& folder, scenes::RoundName round,
                  std::vector<ShardSamples>& shards, const Exec& exec) {
  const auto waits = [&](const ShardSamples& shard) {
    return !folder.has_answer(round, shard.index);
  };
  if (std::ranges::none_of(shards, waits)) return false;
  try {
    const scenes::RoundRequest request = folder.request(round);
    for (ShardSamples& shard : shards) {
      if (!waits(shard)) continue;
      if (!shard.part.can_answer(request)) shard = samples_of(shard.path, exec);
      folder.answer(round, shard.index,
                    shard.part.answer(request, [&](const scenes::RoundName& earlier) {
                      return folder.request(earlier);
                    }));
    }
  } catch (const IoError&) {
    // Somebody may be removing the folder, file by file.
    for (Patience grace(1, exec); folder.is_open(round);)
      if (!grace.wait()) throw;
    return false;
  }
  return true;
}

struct Answered {
  int rounds = 0;
  bool learned = false;  // the dictionary was written
};

// Answers the open rounds, one after the other. The end of an earlier learning in this folder does
// not count: one that this process takes part in goes on first.
Answered answer_rounds(const RoundFolder& folder, std::vector<ShardSamples>& shards,
                       Patience patience, const Exec& exec) {
  Answered answered;
  bool goes_on = false;
  do {
    const std::optional<scenes::RoundName> round = folder.open_round();
    const bool answers = round && answer_round(folder, *round, shards, exec);
    if (answers) {
      ++answered.rounds;
      patience.renew();
    }
    const bool finished = folder.finished();
    goes_on = goes_on || answers || !finished;
    answered.learned = goes_on && finished;
  } while (!answered.learned && patience.wait());
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
  std::int64_t samples = 0;
  for (const std::string& path : manifest_files(context.inputs)) {
    shards.push_back(samples_of(path, context.exec));
    samples += shards.back().count;
  }
  const Answered answered =
      answer_rounds(RoundFolder(request.rounds, context.exec), shards,
                    Patience(request.rounds.wait_seconds, context.exec), context.exec);
  if (context.json)
    print_result(context, [&](io::JsonWriter& json) {
      json.member("rounds", answered.rounds).member("samples", samples);
      json.member("finished", answered.learned);
    });
  else
    context.console.print(fmt::format(
        "{}: {} for {}{}\n", request.rounds.folder, detail::counted(answered.rounds, "round"),
        detail::counted(samples, "sample"), answered.learned ? "; the words are learned" : ""));
  return kDone;
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
          "to, added up. Without --wait it answers one request, or none where nothing is asked. "
          "With --wait it reads its samples once and goes on from round to round until the "
          "dictionary is written. The dictionary has the bytes of one that is learned from all "
          "samples in one place. Samples are assigned on the CPU.",
      .arguments = {{"MANIFEST", "manifests of fovea scenes sample --shard I/N: one or more", 1,
                     kAnyNumber}},
      .examples = {{"fovea scenes assign scenes-sample-0-of-8.manifest --rounds r --wait 600",
                    "answer for the first of eight shards until the words are learned"}},
      .request = make_request<AssignRequest, run_assign>};
}

}  // namespace fovea::cli
