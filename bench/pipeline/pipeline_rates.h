// The rows of fovea bench pipeline. On a CPU the parts of a command share the cores, so that the
// times of all parts add up to the least time of the whole; on a GPU the work runs beside decoding
// and encoding, and the slower of both is the bound.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/pipeline/pipeline_jobs.h"
#include "bench/pipeline/pipeline_rivals.h"

namespace fovea::cli::pipeline {

// Items per second; 0 where a part is missing.
struct Rates {
  std::string name{};
  std::string device{};
  int threads = 1;
  double decode = 0, work = 0, encode = 0, whole = 0;
  Encoding encoding = Encoding::kBeside;
  RivalRates rival{};

  double bound() const;
  // A ratio over 1 means that ours is faster than the rival's pool.
  std::optional<double> ratio() const {
    return rival.pool > 0 ? std::optional(whole / rival.pool) : std::nullopt;
  }
};

// A table for people, or one for documents.
std::string rates_table(const std::vector<Rates>& rows, bool markdown);

}  // namespace fovea::cli::pipeline
