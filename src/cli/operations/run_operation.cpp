#include "cli/operations/run_operation.h"

#include <utility>

#include "cli/operations/job.h"
#include "cli/operations/run_inputs.h"

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

  void visit_options(OptionVisitor& visit) override {
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const Output& output = operation_.outputs[i];
      visit.path(output.name, named_[i],
                 output.share == Share::kOneFolder ? TextUse::kFolder : TextUse::kOutput,
                 output.help);
    }
    call_->visit_options(visit);
  }
  void apply_preset() override {}  // no operation has one
  int run(Context& context) override {
    Job job{operation_, *call_, named_, context};
    call_->check();
    if (call_->explains()) return job.explain();
    job.settle();
    return run_inputs(job);
  }

 private:
  const Operation& operation_;
  std::unique_ptr<operations::Call> call_;
  std::vector<std::string> named_;
};

}  // namespace

Command command_of(const Operation& operation) {
  const operations::Words& words = operation.words;
  const bool images = operation.input != InputKind::kMesh;
  const bool videos = operation.input == InputKind::kImageOrVideo;
  Command command{.system = words.system,
                  .verb = words.verb,
                  .summary = words.summary,
                  .text = words.text,
                  .arguments = words.arguments,
                  .examples = words.examples,
                  .request = [&operation] { return std::make_unique<OperationRequest>(operation); },
                  .result = {.record = operation.sample,
                             .per_input = true,
                             .per_frame = videos,
                             .files = operation.outputs},
                  .reads_images = images,
                  .reads_videos = videos,
                  .takes_first_frame = videos,
                  .batches = true,
                  .shards = true};
  for (const Output& output : operation.outputs)
    if (output.share != Share::kPerInput || (output.picture && videos))
      command.shared_files.push_back(output.name);
  return command;
}

}  // namespace fovea::cli
