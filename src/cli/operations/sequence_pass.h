// One pass of an operation over the frames of a sequence: they are decoded while the steps before
// are worked on, drawn and written.
#pragma once
#include <fovea/io/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/frame_units.h"
#include "cli/operations/job.h"
#include "cli/operations/step_reader.h"
#include "cli/program/files.h"

namespace fovea::cli {

// What a range of frames has given.
struct RangeGiven {
  std::int64_t frames = 0, results = 0;
  Extent size{};
  double frame_rate = 0;
};
void describe(FieldVisitor& visit, RangeGiven& range);

// What a step has given to files of all inputs.
struct StepGiven {
  io::Place place{};
  std::string result{};  // packed
};
void describe(FieldVisitor& visit, StepGiven& step);

// A pass over some ranges of frames, whose pictures are joined when all ranges are there.
struct RangePass {
  FrameUnits& units;
  FrameRange frames{};
  const std::vector<PartPictures>& pictures;  // one per picture that is asked for
};

class SequencePass final : public FramePass {
 public:
  explicit SequencePass(Job& job, const std::optional<RangePass>& ranges = {});

  // Of a whole sequence; returns the exit status.
  int run();

  io::FrameRun pass() override;
  UnitResult collect() override;

 private:
  // A step while it is worked on.
  struct Slot {
    operations::Step step{};
    std::shared_ptr<void> item{};
    std::vector<Image<std::uint8_t>> pictures{};  // one per picture that is asked for
    std::vector<std::string> files{};             // that are the step's alone
  };

  bool has_result(const Slot& slot) const {
    return job_.operation.pairs.empty() || slot.step.before != nullptr;
  }
  // The frame that a result belongs to.
  static const operations::Frame& frame_of(const Slot& slot) {
    return slot.step.before ? *slot.step.before : *slot.step.now;
  }
  io::Place place_of(const Slot& slot) const;
  bool read(Slot& slot);
  void make_files(Slot& slot);
  void write(Slot& slot);
  void add(Slot& slot);
  void add_to_range(Slot& slot);
  void note_size();
  std::string numbered_path(std::size_t output, std::int64_t number) const;
  operations::Ended ended(const io::FrameRun& run) const;

  Job& job_;
  operations::Call& call_;
  Context& context_;
  std::optional<RangePass> ranges_;
  StepReader reader_;
  io::FrameWorkers plan_;
  std::vector<std::shared_ptr<void>> workers_{};
  std::vector<AskedPicture> pictures_;
  std::vector<io::VideoWriter> writers_{};
  SharedFiles shared_;
  std::once_flag folders_made_;
  PendingFiles written_{};        // those behind the last step that counts are removed
  std::shared_ptr<void> last_{};  // item, whose result is explained
  std::int64_t results_ = 0;
  Extent size_{};
  RangeGiven range_{};                // that is being worked on
  std::string given_{};               // by its steps, packed
  std::vector<std::string> files_{};  // of that range
};

}  // namespace fovea::cli
