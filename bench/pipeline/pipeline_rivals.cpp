#include "bench/pipeline/pipeline_rivals.h"

#include <utility>

#include "cli/program/progress.h"

namespace fovea::cli::pipeline {

RivalCase files_case(const std::string& name, RivalFiles files, Extent to, double ratio) {
  return {.name = name,
          .shape = {.to_width = to.width, .to_height = to.height, .ratio = ratio},
          .files = std::move(files)};
}

double RivalClock::rate_of(int count, int threads) {
  const std::vector<Rivals::Work> works = rivals_.prepare(*contest_, threads);
  if (works.empty()) return 0;
  rival_ = works[0].rival;
  const double start = steady_seconds();
  works[0].work();
  return count / (steady_seconds() - start);
}

RivalRates RivalClock::measure(int count, int threads) {
  if (!contest_ || !rivals_.absence().empty()) return {};
  if (!loop_) loop_ = rate_of(count, 1);
  if (*loop_ <= 0) return {};
  const double pool = threads == 1 ? *loop_ : rate_of(count, threads);
  return {rival_, *loop_, pool};
}

}  // namespace fovea::cli::pipeline
