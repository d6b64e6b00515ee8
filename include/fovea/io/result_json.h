#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The envelope of every result as JSON: what made it, one object per input, how it ended. The
// program and the page write the same.
namespace fovea::io {

struct ResultOrigin {
  std::string command{};  // "people detect"
  std::string device{};
  std::uint64_t seed = 0;
  std::string options{};  // as a JSON object; empty: none
  std::string models{};   // hashes of models by their names, as a JSON object; empty: none
  std::string beside{};   // members that stand before a list of results; empty: none
};
// "fovea", "command", "device", "seed" and "options", and "model_hashes" where there is a model, as
// members of an object.
FOVEA_API std::string origin_members(const ResultOrigin& origin, std::string_view separator = ", ");

struct ResultsEnd {
  bool interrupted = false;         // a stop was requested
  std::size_t failed = 0;           // how many inputs have failed
  std::optional<double> seconds{};  // how long it took; absent where that varies from run to run
  std::string beside{};             // members that stand behind a list of results; empty: none
};

// The pieces of a list of results, in their order. An element is open until it gets its brace.
FOVEA_API std::string begin_results(const ResultOrigin& origin);
FOVEA_API std::string begin_result_element(std::string_view input, bool first);
FOVEA_API std::string end_results(const ResultsEnd& end);

// The whole list with the result of one input, whose members these are.
FOVEA_API std::string single_result_json(const ResultOrigin& origin, std::string_view input,
                                         std::string_view members, const ResultsEnd& end = {});

}  // namespace fovea::io
