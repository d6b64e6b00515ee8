// Rows of rivals that another program has measured.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "operations/json_file.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

// "cuda" and "cuda:0" name the same device.
std::string device_key(const std::string& text) {
  try {
    return to_string(parse_device(text));
  } catch (const InvalidArgument&) {
    return text;
  }
}

template <class T>
T member(const json& row, const char* key, const std::string& path) {
  try {
    return row.at(key).get<T>();
  } catch (const json::exception&) {
    throw FormatError(fmt::format(
        "{}: a row lacks '{}'; expected name, size, device, rival and seconds in each", path, key));
  }
}

}  // namespace

int merge_rivals(const std::string& path, std::vector<BenchRow>& rows) {
  const json file = operations::read_json(path);
  const json& theirs = file.is_object() && file.contains("rows") ? file["rows"] : file;
  if (!theirs.is_array())
    throw FormatError(path + ": holds no list of rows; expected a list or an object with 'rows'");
  int matched = 0;
  for (const json& row : theirs) {
    const auto name = member<std::string>(row, "name", path);
    const auto size = member<std::string>(row, "size", path);
    const auto device = device_key(member<std::string>(row, "device", path));
    const auto rival = member<std::string>(row, "rival", path);
    const auto seconds = member<double>(row, "seconds", path);
    if (!(seconds > 0))
      throw FormatError(
          fmt::format("{}: '{}' has {} seconds; expected more than 0", path, name, seconds));
    for (BenchRow& ours : rows) {
      const bool same_threads = !row.contains("threads") || !row["threads"].is_number_integer() ||
                                row["threads"].get<int>() == ours.threads;
      if (ours.name != name || ours.size != size || device_key(ours.device) != device ||
          !same_threads)
        continue;
      ++matched;
      if (ours.rival_seconds && *ours.rival_seconds <= seconds) continue;
      ours.rival = rival;
      ours.rival_seconds = seconds;
    }
  }
  return matched;
}

}  // namespace fovea::cli
