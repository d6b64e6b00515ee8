// What the page saves of a map of distances: what fovea emd map prints.
#pragma once
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>

#include <string>

#include "view/system.h"

namespace fovea::view {

// `found` is null where no regions were searched for.
std::string saved_map(const Task& task, Extent size, const emd::SceneMapper& mapper,
                      const emd::RegionSet* found);

}  // namespace fovea::view
