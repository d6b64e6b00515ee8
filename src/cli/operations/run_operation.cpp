#include "cli/operations/run_operation.h"

#include <algorithm>
#include <iterator>
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

  std::vector<OptionField> fields() override {
    std::vector<OptionField> fields = outputs_after("");
    const auto add = [&](const OptionField& field) {
      fields.push_back(field);
      std::ranges::move(outputs_after(field.name), std::back_inserter(fields));
    };
    detail::FieldVisitor<decltype(add)> visitor(add);
    call_->visit_options(visitor);
    return fields;
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
  // The options for outputs that stand behind the option of this name.
  std::vector<OptionField> outputs_after(std::string_view option) {
    std::vector<OptionField> fields;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const Output& output = operation_.outputs[i];
      if (output.after != option) continue;
      const bool folder = output.share == Share::kOneFolder;
      fields.push_back({.name = std::string(output.name),
                        .help = output.help,
                        .value = &named_[i],
                        .traits = {.use = folder ? TextUse::kFolder : TextUse::kOutput}});
    }
    return fields;
  }

  const Operation& operation_;
  std::unique_ptr<operations::Call> call_;
  std::vector<std::string> named_;
};

}  // namespace

Command command_of(const Operation& operation) {
  const operations::Words& words = operation.words;
  const bool images = operation.input != InputKind::kMesh && operation.input != InputKind::kOther;
  const bool many = !words.arguments.empty() && words.arguments.back().most == kAnyNumber;
  const bool videos = operation.input == InputKind::kImageOrVideo;
  Command command{.system = words.system,
                  .verb = words.verb,
                  .summary = words.summary,
                  .text = words.text,
                  .arguments = words.arguments,
                  .examples = words.examples,
                  .request = [&operation] { return std::make_unique<OperationRequest>(operation); },
                  .result = {.record = operation.sample,
                             .per_input = !operation.alone,
                             .per_frame = videos,
                             .files = operation.names_files ? std::span<const Output>()
                                                            : std::span(operation.outputs)},
                  .reads_images = images,
                  .reads_videos = videos,
                  .takes_first_frame = videos,
                  .batches = !operation.alone,
                  .shards = many,
                  .repeats_per_input = operation.alone && many};
  if (operation.alone) return command;
  for (const Output& output : operation.outputs)
    if (output.share != Share::kPerInput || (output.picture && videos))
      command.shared_files.push_back(output.name);
  return command;
}

}  // namespace fovea::cli
