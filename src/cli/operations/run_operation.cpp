#include "cli/operations/run_operation.h"

#include "cli/operations/job.h"
#include "cli/operations/run_inputs.h"
#include "cli/operations/run_one.h"

namespace fovea::cli {
namespace {

using operations::InputKind;
using operations::Operation;
using operations::Output;
using operations::Share;

class OperationRequest final : public Request {
 public:
  explicit OperationRequest(const Operation& operation)
      : operation_(operation), call_(operation.call()), named_(operation.outputs.size()) {}

  std::vector<OptionField> fields() override {
    return operations::option_fields(operation_, *call_, named_);
  }
  void apply_preset() override { call_->apply_preset(); }
  int run(Context& context) override {
    Job job{operation_, *call_, named_, context};
    call_->check();
    if (call_->explains() && !operation_.takes_sequences()) return job.explain();
    job.settle();
    return job.has_one_result() ? run_one(job) : run_inputs(job);
  }

 private:
  const Operation& operation_;
  std::unique_ptr<operations::Call> call_;
  std::vector<NamedOutput> named_;
};

}  // namespace

Command command_of(const Operation& operation) {
  const operations::Words& words = operation.words;
  const bool images = operation.input != InputKind::kMesh && operation.input != InputKind::kOther;
  const bool many = !words.arguments.empty() && words.arguments.back().most == kAnyNumber;
  const bool videos = operation.input == InputKind::kImageOrVideo;
  const bool frames = operation.input == InputKind::kFrames, cuts = !operation.unit.empty();
  const bool units = !operation.has_one_result();
  const bool only_videos = operation.input == InputKind::kVideo;
  Command command{.system = words.system,
                  .verb = words.verb,
                  .summary = words.summary,
                  .text = words.text,
                  .arguments = words.arguments,
                  .examples = words.examples,
                  .request = [&operation] { return std::make_unique<OperationRequest>(operation); },
                  .preset = operation.preset,
                  .result = {.record = operation.sample,
                             .per_input = units,
                             .per_frame = videos || only_videos,
                             .beside = operation.sample_beside,
                             .video = operation.sample_video,
                             .files = operation.names_files ? std::span<const Output>()
                                                            : std::span(operation.outputs)},
                  .reads_images = images,
                  .reads_videos = videos || frames || only_videos,
                  .takes_first_frame = videos || cuts,
                  .batches = units || operation.takes_sequences(),
                  .shards = many,
                  .repeats_per_input = !units && many,
                  .inputs_form_sequence = frames && !operation.alone,
                  .ranges_are_units = cuts};
  if (operation.alone) return command;
  for (const Output& output : operation.outputs)
    if (output.share != Share::kPerInput || (output.picture && videos))
      command.shared_files.push_back(output.name);
  return command;
}

}  // namespace fovea::cli
