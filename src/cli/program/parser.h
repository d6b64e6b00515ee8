// Turns the words of a command line into a verb with its options set.
#pragma once
#include <fovea/io/image_io.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/journal.h"
#include "cli/program/command.h"

namespace fovea::cli {

// Options that every verb takes. Commands that compute nothing take only the last three, and those
// that read no images or videos do not take what concerns these.
struct CommonOptions {
  Exec exec{};
  bool json = false;                              // the result as JSON on standard output
  ProgressStyle progress = ProgressStyle::kAuto;  // how progress is shown on standard error
  std::string config{};                           // a JSON file of options to start from
  std::vector<std::string> set{};                 // single options, each key=value
  bool overwrite = false;                         // results may replace their own inputs
  std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels;  // larger images are refused
  std::uint64_t memory_bytes = 0;   // of inputs that are worked on at a time; 0: chosen
  io::HardwareDecoding hardware{};  // decoder of video files
  VideoLimits videos{};
  bool each = false;      // several inputs are no sequence
  int unit_frames = 100;  // frames of a sequence that are a unit of work
  JournalOptions journal{};
  bool print_config = false;  // print the options as JSON and stop
  bool quiet = false;         // no progress and no notes
  bool verbose = false;       // say more on standard error
  bool help = false;          // print help and stop
};
void describe_common(OptionVisitor& visit, CommonOptions& options, const Command& command);

// A parsed command line. The fields point into the request and the common options.
struct Invocation {
  const Command* command = nullptr;
  std::unique_ptr<Request> request;
  std::unique_ptr<CommonOptions> common;
  std::vector<std::string> inputs;

  std::vector<OptionField> own_fields() const;
  std::vector<OptionField> common_fields() const;
  // Those that results depend on.
  std::vector<OptionField> result_fields() const;
  // The options that affect a result, as one JSON object, which --config accepts.
  std::string options_json() const;
  // All of them, with the names of outputs: what runs must have in common to be shards of one job.
  std::string job_json() const;
};

// The command with all options at their defaults.
Invocation default_invocation(const Command& command);

// Parses what follows the verb. Throws InvalidArgument with a one-line message for anything that is
// not valid, and IoError or FormatError for a configuration file. After --help, nothing else is
// checked.
Invocation parse(const Command& command, std::span<const std::string> words);

// What the command runs with.
Context context_of(const Invocation& invocation, Console& console);

// Returns 'o' for output, 'q' for quiet and so on; 0 where an option has no short form.
char short_form(const OptionField& option);
// Returns a line such as "fovea ops gradient INPUT... [-o OUT] [options]".
std::string usage_line(const Command& command);

}  // namespace fovea::cli
