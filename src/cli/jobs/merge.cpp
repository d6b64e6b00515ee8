// fovea merge: joins the shards of a job, whose manifests hold what every input has given.
#include <fovea/core/error.h>

#include <algorithm>

#include "cli/jobs/all_shards.h"
#include "cli/jobs/journal.h"
#include "cli/jobs/trust.h"
#include "cli/program/command.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct MergeRequest {
  std::string output{};
  MergeCheck check = MergeCheck::kContents;
  bool trust = false;
};

void describe(OptionVisitor& visit, MergeRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "where to write the file that all inputs share, or a folder for several such files; "
             "without it they are written where the command of the job names them");
  visit("check", request.check,
        "how files that shards wrote are compared with their manifests: contents reads all of them "
        "again, sizes does not");
  visit("trust", request.trust,
        "take manifests that belong to another user, and write where their command says, also "
        "outside of the current folder");
}

int run_merge(MergeRequest& request, Context& context) {
  std::vector<cluster::Manifest> parts;
  for (const std::string& path : manifest_files(context.inputs)) {
    if (!request.trust) require_own(path, "--trust");
    parts.emplace_back(path);
  }
  const std::vector<std::string> words = parts.front().words();
  const cluster::JobIdentity job = parts.front().job();
  const auto journal = merging_journal(std::move(parts), request.check);
  return run_again({words, job, request.output, request.trust}, *journal, context);
}

}  // namespace

Command merge_command() {
  return {
      .system = "merge",
      .verb = "",
      .summary = "join the results of the shards of a job",
      .text =
          "A command that was run once for each of its shards (--shard 0/4 to 3/4), on one machine "
          "or on many, has written the files of each input and one manifest per shard. This prints "
          "what a single run over all inputs would have printed and writes the files that all "
          "inputs share, such as --coco, --csv or a table of classes, with the same bytes. Run it "
          "in the folder in which the shards ran: what the command of the job writes has to lie "
          "below "
          "it, unless -o or --trust is given. Nothing is computed again: neither the inputs "
          "nor a GPU are needed, only the models. Inputs that failed are named, with the exit "
          "status that a single run would have had; where a shard or an input has no result yet, "
          "or a file is not as its shard wrote it, it is named and nothing is written.",
      .arguments = {{"MANIFEST", "the manifests of all shards: files, folders, globs or @list", 1,
                     kAnyNumber}},
      .examples = {{"fovea merge people-detect-*.manifest",
                    "join the shards of fovea people detect photos --csv all.csv --shard I/N"},
                   {"fovea merge parts -o all.csv",
                    "take all manifests of a folder, and write the table elsewhere"}},
      .request = make_request<MergeRequest, run_merge>,
      .computes = false};
}

}  // namespace fovea::cli
