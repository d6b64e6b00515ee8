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

struct Job {
  const operations::Operation& operation;
  operations::Call& call;
  std::vector<std::string> named;  // what each output was given
  Context& context;
  operations::Plan plan{};

  const std::vector<operations::Output>& outputs() const { return operation.outputs; }
  bool takes_videos() const { return operation.input == operations::InputKind::kImageOrVideo; }

  // Checks all options and files before anything is read, and chooses the device.
  void settle();
  // Explains the result of one input instead of writing it.
  int explain();

  // The input of this number, with the names of its files; none has a name where there is none.
  operations::Source source_of(std::size_t input) const;
  // The file of an output that belongs to one input; empty where none was asked for.
  std::string file_at(std::size_t output, std::size_t input) const;
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
  void check_files();
};

// Whether the input is a video. A pipe or a device carries y4m, as the standard input does.
bool is_video(const std::string& input);

// ", a.png, b.png" at the end of a line, or nothing.
std::string files_text(const std::vector<std::string>& files);

}  // namespace fovea::cli
