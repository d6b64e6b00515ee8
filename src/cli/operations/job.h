// One run of an operation as a verb: its inputs, its files, its device, and why its result is what
// it is. What comes between, the work on the inputs, is run_inputs.
#pragma once
#include <fovea/io/frames.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "operations/operation.h"

namespace fovea::cli {

using operations::NamedOutput;

// A picture that is asked for.
struct AskedPicture {
  std::size_t output = 0;
  std::size_t kind = 0;
  std::string path{};
};

struct Job {
  const operations::Operation& operation;
  operations::Call& call;
  std::vector<NamedOutput> named;  // one per output
  Context& context;
  operations::Plan plan{};

  const std::vector<operations::Output>& outputs() const { return operation.outputs; }
  bool takes_videos() const { return operation.input == operations::InputKind::kImageOrVideo; }
  // Whether the input has frames, of which each has a result.
  bool has_frames(const std::string& input) const;
  bool has_one_result() const { return operation.has_one_result(); }
  // Whether there are frames of which each has a result.
  bool is_sequence() const {
    return operation.input == operations::InputKind::kFrames && !call.is_still(plan.inputs);
  }

  // Checks all options and files before anything is read, and chooses the device.
  void settle();
  // Explains the result of one input instead of writing it.
  int explain();
  // Prints and draws why the item is what it is.
  int print_why(const std::shared_ptr<void>& item);

  // The input of this number, with the names of its files; none has a name where there is none.
  // Where all inputs have one result, two of them are a pair.
  operations::Source source_of(std::size_t input) const;
  // The file that an output has for one input; empty where no option names it.
  std::string file_at(std::size_t output, std::size_t input) const;
  // Whether each input has a file of its own of the output, with a name that follows from its own.
  // The file of a single video is named by the option: it may be a folder or a pattern of pictures.
  bool names_by_input(const operations::Output& output) const;
  // Whether an option names the output, and it is a file of a still or of each step, no picture.
  bool writes_own(std::size_t output) const;
  // The pictures of a still or a sequence.
  std::vector<AskedPicture> pictures() const;
  // The most workers that there may be; 0 where as many as there are processors.
  int most_workers() const;
  io::FrameWorkers workers_for(std::int64_t items) const;
  Exec exec_of(const io::FrameWorkers& workers) const;
  void note(const std::string& text) const {
    if (!text.empty()) context.console.note(text);
  }

 private:
  void choose_device();
  void check_names();
  void sort_by_ending();
  void plan_inputs();
  void plan_files();
  void refuse_obstacles() const;
  void check_files();
};

// The files of all inputs or frames that are asked for, or those of all frames of one video.
class SharedFiles {
 public:
  // `writes` is false where another run writes them.
  SharedFiles(const Job& job, bool writes);
  SharedFiles(const Job& job, std::size_t video);
  bool wanted() const { return wanted_; }
  void add(const io::Place& place, RecordRef result);
  void commit(const std::string& origin);
  std::int64_t added() const { return added_; }

 private:
  bool wanted_ = false;
  std::vector<std::unique_ptr<operations::SharedFile>> files_{};
  std::int64_t added_ = 0;
};

// Whether the input is a video. A pipe or a device carries y4m, as the standard input does.
bool is_video(const std::string& input);

// ", a.png, b.png" at the end of a line, or nothing.
std::string files_text(const std::vector<std::string>& files);

}  // namespace fovea::cli
