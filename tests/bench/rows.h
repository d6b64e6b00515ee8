// The rows that fovea bench measures.
#pragma once
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {

// One run of `bench WORDS...` on a thread of the CPU: "name size; " of each row, all of which took
// some time.
inline std::string measured_rows(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(),
               {"--repeats", "1", "--device", "cpu", "--threads", "1", "--json", "--quiet"});
  const Ended ended = run_here(words);
  EXPECT_EQ(ended.status, kDone) << ended.err;
  std::string names;
  if (ended.status != kDone) return names;
  const nlohmann::json report = nlohmann::json::parse(ended.out);
  for (const nlohmann::json& row : report["rows"]) {
    names += row["name"].get<std::string>() + " " + row["size"].get<std::string>() + "; ";
    EXPECT_GT(row["seconds"].get<double>(), 0);
  }
  return names;
}

}  // namespace fovea::cli
