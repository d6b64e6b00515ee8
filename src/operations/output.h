// The files that an operation can write, each described once.
#pragma once
#include <fovea/core/options.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::operations {

// Whether an output is a file of each input's own, or one that all inputs share.
enum class Share : unsigned char { kPerInput, kOneFile, kOneFolder };

// What - as the name of an output stands for.
enum class Dash : unsigned char {
  kRefused,
  kText,    // Call::text() is printed
  kWriter,  // whoever writes the file writes to the standard output
};

// Whether an output is the list of all results, one row each. A name that ends in .csv gets the
// rows and one that ends in .json what --json prints; where there is no name, the rows are printed.
enum class List : unsigned char {
  kNo,
  kRows,
  kLines,  // on a terminal the lines for people are printed in place of rows
};

// A file that can be written. From its entry follow the option with its help, the checks of its
// name before any work is done, and what results and manifests say of it.
struct Output {
  std::string_view name;      // of the option, and of the member of results: "seg"
  std::string_view help;      // of the option
  std::string_view result{};  // what it holds, for the description of results
  Share share = Share::kPerInput;
  std::string_view ending{};                // of files in a folder; empty: as their inputs end
  std::vector<std::string_view> endings{};  // that names may have; empty: others too
  std::string_view what{};                  // "a mesh", where there are `endings`
  Dash dash = Dash::kRefused;
  bool picture = false;  // an image of images, and a video of videos, which the driver writes
  std::vector<std::string_view> kinds{};  // of pictures, of which each may be asked for by its word
  List list = List::kNo;
  bool evaluation = false;   // Call::evaluation(), which the driver writes
  std::string_view after{};  // the option behind which help has it; empty: before all options
};

// What an output was given.
struct NamedOutput {
  std::string path{};
  std::vector<WordAndFile> kinds{};  // where it has several

  bool empty() const { return path.empty() && kinds.empty(); }
};

// The output of all inputs that a name such as all.csv belongs to by its ending, also where it is
// given as that of a picture; null where there is none.
inline const Output* table_of(std::span<const Output> outputs, std::string_view name) {
  for (const Output& output : outputs)
    if (output.share == Share::kOneFile && !output.ending.empty() && name.ends_with(output.ending))
      return &output;
  return nullptr;
}

// Throws InvalidArgument for a name that ends otherwise.
void check_ending(const Output& output, const std::string& path);

}  // namespace fovea::operations
