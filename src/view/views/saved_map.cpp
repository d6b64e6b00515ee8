#include "view/views/saved_map.h"

#include <fovea/emd/map_result.h>

#include <fmt/format.h>

namespace fovea::view {

std::string saved_map(const Run& run, SavedCall call, const emd::SceneMapper& mapper,
                      const emd::RegionSet* found) {
  const std::int64_t number = run.frames.empty() ? run.frame : run.frames.front().number;
  emd::MapResult result{.input = run.inputs.front()->name(),
                        .frames = 1,
                        .mapper = facts_of(mapper),
                        .stats = mapper.mapper().report()};
  if (found != nullptr) {
    emd::RegionSet kept{found->regions, found->threshold, {}};
    result.add_regions(number, std::move(kept));
  } else {
    result.frame_stats.emplace().push_back({.frame = number});
  }
  result.frame_stats->front().stats = result.stats;
  const auto picture =
      run.frames.empty() ? run.inputs.front()->frame(run.frame) : run.frames.front().picture;
  result.size = {picture->width(), picture->height()};
  const std::string target =
      fmt::format("{},{},{},{}", run.box->x, run.box->y, run.box->width, run.box->height);
  call.target = target;
  return saved_whole_json(call, record_ref(result));
}

}  // namespace fovea::view
