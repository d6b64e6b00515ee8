// What a step of Lucas-Kanade reads at a pixel.
#pragma once
#include "flow/lk/lucas_kanade_cuda.cuh"

namespace fovea::flow::cuda {

struct Warped {
  float sum, difference, weight;
};

__device__ inline Warped warped_at(const DeviceStep& job, int x, int y) {
  const DevicePlane<std::uint8_t>& second = job.second.features;
  const lk::Landing across = lk::landing(x, job.in.u.at(x, y), second.width);
  const lk::Landing down = lk::landing(y, job.in.v.at(x, y), second.height);
  const std::uint8_t* above = second.row(down.index);
  const std::uint8_t* below = second.row(lk::least(down.index + 1, second.height - 1));
  const int next = lk::least(across.index + 1, second.width - 1);
  const float upper = lk::blended(above[across.index], above[next], across.fraction);
  const float lower = lk::blended(below[across.index], below[next], across.fraction);
  const float value = lk::blended(upper, lower, down.fraction);
  const float here = job.first.features.at(x, y);
  const float difference = value - here;
  bool counts = across.inside && down.inside;
  if (job.first.mask.data != nullptr) counts = counts && job.first.mask.at(x, y) != 0;
  if (job.second.mask.data != nullptr)
    counts = counts && job.second.mask.at(across.index, down.index) != 0;
  return {here + value, difference, counts ? lk::robust_weight(difference, job.robust) : 0.0F};
}

}  // namespace fovea::flow::cuda
