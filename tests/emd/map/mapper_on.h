#pragma once
#include <fovea/emd/map.h>

#include <span>

namespace fovea::emd {

// A mapper under a ground distance, whatever the other options are.
inline Mapper mapper_on(const GroundDistance& ground, std::span<const double> target,
                        MapOptions options = {}) {
  options.ground = ground;
  return Mapper(target, options);
}

}  // namespace fovea::emd
