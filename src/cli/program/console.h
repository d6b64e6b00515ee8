// The program's output: results on standard output, and everything else as one-line messages on
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

// Thrown where standard output cannot be written. It is not an IoError, which is about the user's
// files.
class OutputError : public Error {
 public:
  using Error::Error;
};
// Thrown where the reader of standard output has gone (fovea ... | head). This is not an error, but
// the program ends.
class ClosedPipe : public Error {
 public:
  ClosedPipe() : Error("the reader of standard output has gone") {}
};

// Writes buffered text to an open file descriptor. Results must arrive, so a failed write throws
// OutputError or ClosedPipe. Messages that cannot be written are dropped.
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

// The streams of a run of the program and their properties.
struct Streams {
  Sink& out;
  Sink& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;  // and whether the terminal can move its cursor
  bool color = false;            // whether messages on err have colors
  int columns = 80;              // width of err, for progress
  int help_columns = 80;         // width of out, for help
  std::stop_token stop{};
};

class Console {
 public:
  explicit Console(const Streams& streams);
  // One whose results go elsewhere, without progress.
  Console with_output(Sink& out) const;

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_verbose(bool verbose) { verbose_ = verbose; }
  void set_progress(ProgressStyle style);

  // Prints a piece of the result. After take_stdout(), each line of it becomes a note instead.
  void print(std::string_view text);
  // The same, seen by the reader of a pipe now and not when a buffer is full.
  void print_at_once(std::string_view text) {
    print(text);
    streams_.out.flush();
  }
  // Declares that `option` writes data to standard output, which then holds nothing else. Throws
  // InvalidArgument where another option has taken it.
  void take_stdout(std::string_view option);
  // Prints data for the option that took standard output.
  void print_data(std::string_view text);
  bool stdout_taken() const { return !stdout_taker_.empty(); }
  // Prints "fovea: message" for something that went wrong, even when quiet. The message is cut to
  // about 500 characters, and control characters in it are escaped, because it may quote a file.
  void complain(std::string_view message);
  // Prints "fovea: message" unless quiet.
  void note(std::string_view message);
  // Prints "fovea: message" only with --verbose.
  void explain(std::string_view message);
  // The progress callback for the library, which must not outlive the console.
  ProgressFn progress();
  // Removes the progress bar from the screen.
  void end_progress() { progress_.clear(); }
  void flush();

  std::size_t help_columns() const { return static_cast<std::size_t>(streams_.help_columns); }
  int columns() const { return streams_.columns; }
  bool out_is_terminal() const { return streams_.out_is_terminal; }

 private:
  void message(std::string_view text);

  Streams streams_;
  bool quiet_ = false;
  bool verbose_ = false;
  std::string stdout_taker_;  // the option that writes data to standard output
  ProgressPrinter progress_;
};

}  // namespace fovea::cli
