// Where the program's words go: results on standard output, everything else as one-line messages on
// standard error, with progress that never mixes with either.
#pragma once
#include <fovea/core/error.h>
#include <fovea/core/exec.h>

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cli/program/progress.h"

namespace fovea::cli {

// Standard output could not be written. Not an IoError, which speaks of the user's files.
class OutputError : public Error {
 public:
  using Error::Error;
};
// The reader of standard output has gone (fovea ... | head): no error, but nothing is left to do.
class ClosedPipe : public Error {
 public:
  ClosedPipe() : Error("the reader of standard output has gone") {}
};

// Buffered text onto an open file descriptor. Results must arrive: a failed write throws
// OutputError or ClosedPipe. Messages are lost silently where nobody can read them.
class DescriptorSink final : public Sink {
 public:
  enum class Holds : unsigned char { kResults, kMessages };
  DescriptorSink(int descriptor, Holds holds) : descriptor_(descriptor), holds_(holds) {}
  void write(std::string_view text) override;
  void flush() override;

 private:
  int descriptor_;
  Holds holds_;
  std::string buffer_;
};

// What a run of the program is given besides its arguments.
struct Streams {
  Sink& out;
  Sink& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;  // and one that can move its cursor
  bool color = false;            // of messages on err
  int columns = 80;              // of err, for progress
  int help_columns = 80;         // of out, for help
  std::stop_token stop{};
};

class Console {
 public:
  explicit Console(const Streams& streams);

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_verbose(bool verbose) { verbose_ = verbose; }
  void set_progress(ProgressStyle style);

  // A piece of the result. Once standard output is taken, each line of it is a note instead.
  void print(std::string_view text);
  // Says that `option` writes data to standard output, which then holds nothing else. Throws
  // InvalidArgument where another option has taken it.
  void take_stdout(std::string_view option);
  // Data for the option that took standard output.
  void print_data(std::string_view text);
  bool stdout_taken() const { return !stdout_taker_.empty(); }
  // "fovea: message": something went wrong. Said even when quiet. The message is cut to about 500
  // characters, and control characters in it are escaped: it may quote what a file holds.
  void complain(std::string_view message);
  // "fovea: message": worth knowing, unless quiet.
  void note(std::string_view message);
  // "fovea: message": only with --verbose.
  void explain(std::string_view message);
  // To hand to the library; lives as long as the console.
  ProgressFn progress();
  // Takes the bar off the screen.
  void end_progress() { progress_.clear(); }
  // Hands on what was printed, so that a reader of a pipe sees it now.
  void flush_results() { streams_.out.flush(); }
  void flush();

  std::size_t help_columns() const { return static_cast<std::size_t>(streams_.help_columns); }
  int columns() const { return streams_.columns; }

 private:
  void message(std::string_view text);

  Streams streams_;
  bool quiet_ = false;
  bool verbose_ = false;
  std::string stdout_taker_;  // the option that writes data to standard output
  ProgressPrinter progress_;
};

}  // namespace fovea::cli
