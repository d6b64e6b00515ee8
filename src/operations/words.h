// What a user reads about a verb, in help, manual pages and completion.
#pragma once
#include <string_view>
#include <vector>

namespace fovea::operations {

inline constexpr int kAnyNumber = -1;

struct Argument {
  std::string_view name;  // "INPUT"
  std::string_view help;
  int least = 1;
  int most = 1;                           // kAnyNumber is allowed only for the last argument
  std::vector<std::string_view> words{};  // its possible values if known; else it is a file
};

struct Example {
  std::string_view line;  // a whole command line
  std::string_view what;
};

struct Words {
  std::string_view system;  // "mesh"
  std::string_view verb;    // "segment"
  std::string_view summary;
  std::string_view text;  // some sentences for help and the man page
  std::vector<Argument> arguments{};
  std::vector<Example> examples{};
};

}  // namespace fovea::operations
