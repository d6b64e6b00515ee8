#include "cli/operations/run_ranges.h"

#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/jobs/frame_units.h"
#include "cli/operations/report.h"
#include "cli/operations/sequence_pass.h"
#include "cli/operations/step_reader.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// The results of all ranges together.
class JoinedRanges {
 public:
  JoinedRanges(Job& job, const std::vector<PartPictures>& pictures)
      : job_(job),
        pictures_(pictures),
        writes_(writes_shared_files(job.context)),
        shared_(job, writes_) {}

  void add(std::int64_t first, std::string_view given) {
    RangeGiven range;
    io::unpack_record(given, record_ref(range));
    total_.frames += range.frames;
    for (std::int64_t i = 0; i < range.results; ++i) numbers_.push_back(first + i);
    total_.size = range.size;
    total_.frame_rate = range.frame_rate;
    const std::shared_ptr<void> item = job_.call.make_item();
    while (!given.empty()) {
      StepGiven step;
      io::unpack_record(given, record_ref(step));
      std::string_view result = step.result;
      io::unpack_record(result, job_.call.result(item.get()));
      shared_.add(step.place, job_.call.result(item.get()));
    }
  }

  void finish(int status) {
    Context& context = job_.context;
    if (!writes_) {
      if (!context.json)
        context.console.print(fmt::format("{}: {} from {} recorded; fovea merge joins all shards\n",
                                          context.inputs[0],
                                          detail::counted(numbers_.size(), job_.operation.unit),
                                          detail::counted(total_.frames, "frame")));
      return;
    }
    if (numbers_.empty() && status == kDone) throw_without_results(job_);
    for (const PartPictures& pictures : pictures_)
      join_pictures(context, pictures, numbers_, total_.frame_rate);
    shared_.commit(provenance_json(context));
    operations::Ended ended = ended_of(job_);
    ended.frames = total_.frames;
    ended.results = static_cast<std::int64_t>(numbers_.size());
    ended.size = total_.size;
    print_report(job_, ended);
  }

 private:
  Job& job_;
  const std::vector<PartPictures>& pictures_;
  bool writes_;
  SharedFiles shared_;
  RangeGiven total_{};
  std::vector<std::int64_t> numbers_{};  // of the frames that results belong to
};

}  // namespace

int run_ranges(Job& job) {
  std::vector<PartPictures> pictures;
  for (const AskedPicture& picture : job.pictures()) pictures.emplace_back(picture.path);
  FrameSource source;
  if (merged_units(job.context) == nullptr) {
    require_repeatable(job.context);
    source = StepReader(job).source();
  }
  JoinedRanges joined(job, pictures);
  FrameUnits units(
      job.context, std::move(source), job.operation.pairs.empty() ? 0 : 1,
      [&](std::int64_t first, const UnitResult& given) { joined.add(first, given.shared); });
  units.run([&](const FrameRange& frames) {
    return std::make_unique<SequencePass>(job, RangePass{units, frames, pictures});
  });
  const int status = units.finish();
  joined.finish(status);
  return status;
}

}  // namespace fovea::cli
