// From words of a command line to a verb with its options set.
#pragma once
#include <fovea/io/image_io.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// Options that every verb takes. Commands that compute nothing take only the last three, and those
// that read no images take no max_pixels.
struct CommonOptions {
  Exec exec{};
  bool json = false;                              // the result as JSON on standard output
  ProgressStyle progress = ProgressStyle::kAuto;  // how progress is shown on standard error
  std::string config{};                           // a JSON file of options to start from
  std::vector<std::string> set{};                 // single options, each key=value
  bool overwrite = false;                         // results may replace their own inputs
  std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels;  // larger images are refused
  std::uint64_t memory_bytes = 0;  // of inputs that are worked on at a time; 0: chosen
  bool print_config = false;       // print the options as JSON and stop
  bool quiet = false;              // no progress and no notes
  bool verbose = false;            // say more on standard error
  bool help = false;               // print help and stop
};
void describe_common(OptionVisitor& visit, CommonOptions& options, const Command& command);

// A command line understood. The fields point into the request and the common options.
struct Invocation {
  const Command* command = nullptr;
  std::unique_ptr<Request> request;
  std::unique_ptr<CommonOptions> common;
  std::vector<std::string> inputs;

  std::vector<OptionField> own_fields() const;
  std::vector<OptionField> common_fields() const;
  // The options that decide a result, as one JSON object; --config takes it back.
  std::string options_json() const;
};

// The command with every option at its default.
Invocation default_invocation(const Command& command);

// Reads what follows the verb. Throws InvalidArgument with a one-line message for anything that
// cannot be meant, IoError or FormatError for a configuration file. After --help nothing else is
// looked at.
Invocation parse(const Command& command, std::span<const std::string> words);

// 'o' for output, 'q' for quiet, ...; 0 where an option has no short form.
char short_form(const OptionField& option);
// "fovea ops gradient INPUT... [-o OUT] [options]".
std::string usage_line(const Command& command);

}  // namespace fovea::cli
