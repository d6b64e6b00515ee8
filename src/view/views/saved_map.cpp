#include "view/views/saved_map.h"

#include <fovea/emd/map_result.h>

namespace fovea::view {

std::string saved_map(const Task& task, Extent size, const emd::SceneMapper& mapper,
                      const emd::RegionSet* found) {
  const std::int64_t number = task.run.frame_number();
  emd::MapResult result{.input = task.run.input(),
                        .size = size,
                        .frames = 1,
                        .mapper = facts_of(mapper),
                        .stats = mapper.mapper().report()};
  if (found != nullptr) result.add_regions(number, {found->regions, found->threshold, {}});
  else result.frame_stats.emplace().push_back({.frame = number});
  result.frame_stats->front().stats = result.stats;
  return task.saved_of_all("emd map", record_ref(result));
}

}  // namespace fovea::view
