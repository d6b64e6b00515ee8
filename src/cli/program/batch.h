// One verb over many inputs: what is printed, what runs at the same time, and what happens when
// some fail.
#pragma once
#include <fovea/io/frames.h>
#include <fovea/io/sink.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/units.h"
#include "cli/program/command.h"
#include "cli/program/output_paths.h"
#include "operations/totals.h"

namespace fovea::cli {

// Chooses the device once and reports it: a GPU that auto has found is noted, any other device is
// reported with --verbose only. Where work is done on the CPU alone, for a reason such as "fields
// are divided", auto is the CPU, and InvalidArgument is thrown for a GPU.
Device resolve_device(Context& context, std::string_view cpu_only = {});

// The result of one input.
struct Outcome {
  std::string line{};     // for people, such as the name of the file written; may be empty
  std::string members{};  // for programs: JSON members, such as "\"width\": 3"
  // Why the input ended early, such as a video that breaks off: it counts as failed, or as
  // interrupted where this is Cancelled, and `line` and `members` tell what was found before.
  std::exception_ptr fault{};
  std::vector<std::string> files{};  // that it has written for itself alone
};

// One of the inputs that are worked on at a time.
template <class Value>
struct BatchItem {
  std::size_t input = 0;  // its number
  Value value{};          // what is made of it
  Outcome outcome{};
};

// What a list of results in JSON has besides them.
struct BatchJson {
  std::string before{};                                           // members, or nothing
  std::function<std::string(const operations::Totals&)> after{};  // the same, behind the list
  io::Sink file{};  // gets the list too, also without --json; empty: none
};

// Goes through the inputs in order. A failing one is named on standard error and the others are
// still done. Each result is printed as soon as it and all before it are there, as a line or as an
// element of one JSON object with --json. After a request to stop, inputs that are finished are
// still printed, even if one before them was cancelled.
class Batch {
 public:
  Batch(Context& context, const std::vector<std::string>& inputs, BatchJson json = {});

  // The next input, alone.
  void run_alone(const std::function<Outcome()>& work);
  // The next `count` inputs, several at a time. `prepare` reads and decodes one, `complete` encodes
  // it, writes its own files and fills the outcome, and `write` adds it to files that all inputs
  // share; there is no `read`. An input that fails in a step skips those behind it.
  template <class Value, class Worker>
  void run_together(std::size_t count, std::span<Worker> workers, const io::FrameWorkers& plan,
                    const FrameSteps<BatchItem<Value>, Worker>& steps);

  // Prints JSON members of an input that runs alone before it is done, so that the frames of a long
  // video need not be kept; print_more() continues them. Such members come before those of its
  // outcome. Only with --json.
  void print_members(const std::string& members);
  void print_more(const std::string& text);

  // Tells what the input that is being added, or that runs alone, adds to files that all inputs
  // share, so that a resumed or merged run can add it again.
  void record(std::string_view shared);
  // Called instead of working on an input that is done already, in the order of the inputs, with
  // what record() was told.
  void on_replay(std::function<void(std::size_t input, std::string_view shared)> replay) {
    replay_ = std::move(replay);
  }

  // Ends the output and returns the exit status: done, kSomeFailed, or the status of the first
  // failure where nothing succeeded. Throws Cancelled where a stop was requested.
  int finish();
  // What became of the inputs that were given up to now.
  operations::Totals totals() const;
  // Whether a stop was requested: what is left is not to be begun.
  bool stopped() const { return stopped_; }
  std::size_t next() const { return units_.next(); }

 private:
  // What is known of an input while it is worked on.
  struct Entry {
    Units::Task task{};
    Outcome outcome{};
    bool failed = false;
  };
  // Calls `step` unless the input has failed. Errors of the input, and too little memory for it,
  // stay with it; those of the program's own output end the batch.
  static void guard(Entry& entry, const std::function<void()>& step);
  // The next `count` inputs that are to be worked on.
  std::vector<std::size_t> open_inputs(std::size_t count) const {
    return units_.open(next(), next() + count);
  }
  // Hashes what the input has read and written, where that is recorded.
  void measure(Entry& entry) const;
  // Takes the entry of the next input.
  void take(Entry& entry);
  // Prints what an input has given now, or before this run, and counts it.
  void give(std::size_t input, const UnitResult& result);
  void print_given(const UnitResult& result);
  void end_run(const io::FrameRun& run);
  io::FrameRunOptions options_of(const io::FrameWorkers& plan) const;
  void print_element(const std::string& members);
  void print(const std::string& text);
  bool makes_json() const;
  void print_json(const std::string& text);
  void report_progress(std::size_t done) const;  // those of all shards count

  Context& context_;
  BatchJson json_;
  double start_;
  std::size_t given_ = 0;
  Units units_;
  std::size_t failures_ = 0;
  int first_failure_;
  bool stopped_ = false;
  bool first_element_ = true;
  bool element_open_ = false;
  std::string early_{};   // JSON of the input that runs alone, where it is recorded
  std::string shared_{};  // what record() was told about the current input
  std::function<void(std::size_t, std::string_view)> replay_{};
};

template <class Value, class Worker>
void Batch::run_together(std::size_t count, std::span<Worker> workers, const io::FrameWorkers& plan,
                         const FrameSteps<BatchItem<Value>, Worker>& steps) {
  struct Shared {
    Entry entry{};
    BatchItem<Value> item{};
  };
  const std::vector<std::size_t> open = open_inputs(count);
  std::size_t begun = 0;
  const std::size_t end = next() + count;
  const auto guarded = [](Shared& shared, const auto& step) {
    guard(shared.entry, [&] { step(shared.item); });
  };
  FrameSteps<Shared, Worker> frames{
      .read =
          [&](Shared& shared) {
            if (begun == open.size()) return false;
            shared.entry = {units_.begin(open[begun])};
            shared.item = {.input = open[begun++]};
            return true;
          },
      .prepare =
          [&](Shared& shared) {
            guarded(shared, [&](BatchItem<Value>& item) {
              if (steps.bytes) io::require_memory(steps.bytes(item), context_.most_bytes);
              if (steps.prepare) steps.prepare(item);
            });
          },
      .complete =
          [&](Shared& shared) {
            if (steps.complete) guarded(shared, steps.complete);
            if (!shared.entry.failed) shared.entry.outcome = std::move(shared.item.outcome);
            measure(shared.entry);
          },
      .write =
          [&](Shared& shared) {
            units_.give_recorded(shared.item.input);
            if (steps.write) guarded(shared, steps.write);
            take(shared.entry);
            shared.item = {};  // a large input does not keep its memory
          }};
  if (steps.work)
    frames.work = [&](Worker& worker, Shared& shared) {
      guard(shared.entry, [&] { steps.work(worker, shared.item); });
    };
  if (steps.bytes) frames.bytes = [&](const Shared& shared) { return steps.bytes(shared.item); };
  end_run(io::run_frames<Shared, Worker>(workers, frames, options_of(plan)));
  if (!stopped_) units_.give_recorded(end);
}

}  // namespace fovea::cli
