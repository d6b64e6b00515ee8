#include "cli/bench/pipeline_rivals.h"

#include <fovea/core/system.h>

#include <algorithm>
#include <memory>

namespace fovea::cli::pipeline {

Image<std::uint8_t> path_rows(const std::vector<std::string>& paths, int bytes) {
  Image<std::uint8_t> rows(bytes, static_cast<int>(paths.size()));
  for (int y = 0; y < rows.height(); ++y) {
    const std::string& path = paths[static_cast<std::size_t>(y)];
    std::fill_n(rows.row(y), bytes, std::uint8_t{0});
    std::copy(path.begin(), path.end(), rows.row(y));
  }
  return rows;
}

BenchCase files_case(const std::string& name, const RivalFiles& files) {
  std::size_t longest = 0;
  for (const auto* paths : {&files.inputs, &files.outputs})
    for (const std::string& path : *paths) longest = std::max(longest, path.size());
  const int bytes = static_cast<int>(longest) + 1;
  const auto rows = [&](const std::vector<std::string>& paths) {
    return paths.empty() ? nullptr
                         : std::make_shared<const Image<std::uint8_t>>(path_rows(paths, bytes));
  };
  BenchCase made{.name = name,
                 .shape = {.width = bytes,
                           .height = static_cast<int>(files.inputs.size()),
                           .to_width = files.to.width,
                           .to_height = files.to.height,
                           .ratio = files.ratio},
                 .prepare = {}};
  made.image = rows(files.inputs);
  made.second = rows(files.outputs);
  return made;
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
