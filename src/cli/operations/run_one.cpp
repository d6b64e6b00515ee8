#include "cli/operations/run_one.h"

#include <fovea/core/error.h>

#include <memory>

#include "cli/operations/report.h"
#include "cli/operations/run_ranges.h"
#include "cli/operations/sequence_pass.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

// Writes the files that are no tables.
void write_files(const Job& job, const void* item) {
  for (std::size_t i = 0; i < job.outputs().size(); ++i)
    if (job.writes_own(i)) job.call.write(i, item, job.named[i].path);
  for (const AskedPicture& picture : job.pictures())
    io::write_image(picture.path, job.call.paint(picture.output, picture.kind, item).view());
}

void print(const Job& job, void* item) {
  if (job.operation.input == operations::InputKind::kFrames) {
    job.call.tally(item);
    operations::Ended ended = ended_of(job);
    ended.still = true;
    return print_report(job, ended);
  }
  const std::string line = job.call.line(item);
  if (job.context.json) print_result(job.context, job.call.result(item));
  else if (!line.empty()) job.context.console.print(line + "\n");
}

// All but a sequence.
int run_still(Job& job) {
  Context& context = job.context;
  job.call.begin(context.exec, job.plan);
  const std::shared_ptr<void> worker = job.call.make_worker(context.exec);
  const std::shared_ptr<void> item = job.call.make_item();
  SharedFiles shared(job, true);
  const operations::Source source = job.source_of(0);
  job.call.read(source, item.get());
  job.call.run(worker.get(), item.get());
  write_files(job, item.get());
  shared.add({source.name}, job.call.result(item.get()));
  shared.commit(provenance_json(context));
  const operations::Faults faults = job.call.faults(item.get());
  for (const std::string& message : faults.messages) context.console.complain(message);
  context.console.end_progress();
  print(job, item.get());
  return faults.messages.empty() ? kDone : faults.all ? kBadInput : kSomeFailed;
}

}  // namespace

int run_one(Job& job) {
  const bool cuts = job.context.unit_frames > 0;
  if (job.is_sequence()) return cuts ? run_ranges(job) : SequencePass(job).run();
  if (cuts)
    throw InvalidArgument(
        "two images are one pair, which cannot be cut into parts; leave out --shard, --resume and "
        "--manifest");
  return run_still(job);
}

}  // namespace fovea::cli
