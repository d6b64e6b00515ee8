// Where the results of a verb go, with checks that no result replaces an input by accident.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

struct Invocation;

// Whether --overwrite allows results to replace inputs. In a job with a manifest it does not: after
// a kill an input could be worked on twice.
inline bool may_replace_inputs(const Context& context) {
  return context.overwrite && context.journal == nullptr;
}

// The file that each input's result is written to.
//   A folder (it exists, ends in '/', or is a new name without an ending) is made where it is
//   missing. Its files have the names of the inputs and end in `extension` where one is given;
//   otherwise they end as their inputs do, and standard input, BMP and WebP end in .png. Inputs of
//   one name keep the folders they came from, below the folder that all inputs share.
//   A pattern such as "out/{}.png" names one file per input; {} stands for the input's name without
//   its ending.
//   Anything else is one file, for one input.
// Throws InvalidArgument where two results would share a file, and where a result would replace one
// of the inputs, or with a context any file that the run reads (ReadFiles).
std::vector<std::string> output_paths(const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension = "");
// The same, but with --overwrite results may replace inputs, and messages name the option.
std::vector<std::string> output_paths(const Context& context, const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension = "",
                                      std::string_view option = "-o");

enum class OutputUse {
  kFile,     // one file, or a folder of files that have the names of the inputs
  kFrames,   // a folder gets numbered frames
  kResults,  // a folder gets files of names that the verb knows
};
// A file that an option names. An empty path stands for an option that was not given.
struct OutputFile {
  std::string_view option;  // "-o", "--picture"
  std::string path;
  OutputUse use = OutputUse::kFile;
};
// Checks the files that a verb writes before it reads anything. Throws InvalidArgument where two
// options name one file, where two results would go to standard output and, unless --overwrite is
// given, where a file is one that the run reads (ReadFiles) or of `other_inputs`, which options do
// not name, or a folder has them.
void check_outputs(Context& context, const std::vector<OutputFile>& outputs,
                   const std::vector<std::string>& other_inputs = {});
// A file or folder that the options of any verb name to be written.
struct OutputOption {
  std::string flag{};
  std::string path{};
  OutputUse use = OutputUse::kFile;
};
std::vector<OutputOption> named_outputs(const Invocation& invocation);
// The same checks for all of these, before the verb runs. What a folder or a
// pattern stands for is checked when output_paths() gives it names.
void check_named_outputs(const Invocation& invocation, Context& context);

}  // namespace fovea::cli
