// Faces wait in buckets of distance and are visited again if their distance decreases. This needs
// no heap and gives the same distances as Dijkstra's algorithm.
#include "mesh/divide/patch_engine.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "mesh/graph/surface_math.h"

namespace fovea::mesh::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Buckets {
 public:
  explicit Buckets(float width) : by_(1 / width) {}
  void put(std::int32_t face, float far) { list_[place(far)].push_back(face); }
  // Calls visit(face) for each face, near ones first; it may put in more faces, none of them nearer
  // than itself.
  template <class Visit>
  void empty(const Visit& visit) {
    for (std::vector<std::int32_t>& bucket : list_) {
      // NOLINTNEXTLINE(modernize-loop-convert): the bucket may grow during the loop
      for (std::size_t i = 0; i < bucket.size(); ++i) visit(bucket[i]);
      bucket.clear();
    }
  }

 private:
  std::size_t place(float far) const {
    return static_cast<std::size_t>(std::min(far * by_, static_cast<float>(kCount - 1)));
  }
  static constexpr int kCount = 512;
  float by_;
  std::vector<std::vector<std::int32_t>> list_ = std::vector<std::vector<std::int32_t>>(kCount);
};

class CpuPatches final : public PatchEngine {
 public:
  explicit CpuPatches(const PatchSteps& steps)
      : steps_(steps), distance_(steps.faces(), kInfinity) {}

  std::vector<std::int32_t> spread_in_space(std::span<const std::array<float, 3>> points,
                                            int count) override;
  void add(std::span<const std::int32_t> seeds) override {
    seeds_.insert(seeds_.end(), seeds.begin(), seeds.end());
    relax(seeds, 1, distance_, [](std::size_t, const PatchStep& step) { return step.cost; });
  }
  std::vector<PatchPeak> peaks(float share) override;
  void finish(std::vector<std::int32_t>& of, std::vector<float>& inner) override;

 private:
  std::span<const PatchStep> steps(std::size_t face) const {
    return {steps_.steps.data() + steps_.first[face],
            static_cast<std::size_t>(steps_.first[face + 1] - steps_.first[face])};
  }
  // Returns the face before this one on the path from its seed, or -1 if no seed reaches it.
  std::int32_t before(std::size_t face) const {
    for (const PatchStep& step : steps(face))
      if (path_step(distance_[static_cast<std::size_t>(step.face)], step.cost) == distance_[face])
        return distance_[face] < kInfinity ? step.face : -1;
    return -1;
  }
  // Lowers distances to those from `sources`; cost(face, step) may be infinite.
  template <class Cost>
  void relax(std::span<const std::int32_t> sources, float width, std::vector<float>& distance,
             const Cost& cost) {
    Buckets buckets(width);
    std::vector<float> looked(distance.size(), kInfinity);  // distance at the last visit
    for (const std::int32_t face : sources) {
      distance[static_cast<std::size_t>(face)] = 0;
      buckets.put(face, 0);
    }
    buckets.empty([&](std::int32_t number) {
      const auto face = static_cast<std::size_t>(number);
      const float far = distance[face];
      if (!(far < looked[face])) return;
      looked[face] = far;
      for (const PatchStep& step : steps(face)) {
        const float there = path_step(far, cost(face, step));
        float& known = distance[static_cast<std::size_t>(step.face)];
        if (!(there < known)) continue;
        known = there;
        buckets.put(step.face, there);
      }
    });
  }

  const PatchSteps& steps_;
  std::vector<float> distance_;
  std::vector<std::int32_t> seeds_;
};

// Distances are compared as the bits of nonnegative floats, which have the same order, so that the
// compiler vectorizes the search for minimum and maximum.
std::vector<std::int32_t> CpuPatches::spread_in_space(std::span<const std::array<float, 3>> points,
                                                      int count) {
  const std::size_t faces = points.size();
  std::vector<float> x(faces);
  std::vector<float> y(faces);
  std::vector<float> z(faces);
  for (std::size_t face = 0; face < faces; ++face) {
    x[face] = points[face][0];
    y[face] = points[face][1];
    z[face] = points[face][2];
  }
  std::vector<std::int32_t> nearest(faces, std::bit_cast<std::int32_t>(kInfinity));
  std::vector<std::int32_t> seeds;
  std::size_t latest = 0;
  for (int i = 0; i <= count; ++i) {
    std::int32_t most = 0;
    const float cx = x[latest], cy = y[latest], cz = z[latest];
    for (std::size_t face = 0; face < faces; ++face) {
      const float squared = squared_length(x[face] - cx, y[face] - cy, z[face] - cz);
      nearest[face] = std::min(nearest[face], std::bit_cast<std::int32_t>(squared));
      most = std::max(most, nearest[face]);
    }
    if (i > 0) seeds.push_back(static_cast<std::int32_t>(latest));
    if (i > 0 && most == 0) break;
    latest =
        static_cast<std::size_t>(std::find(nearest.begin(), nearest.end(), most) - nearest.begin());
    if (i == 0) std::fill(nearest.begin(), nearest.end(), std::bit_cast<std::int32_t>(kInfinity));
  }
  return seeds;
}

std::vector<PatchPeak> CpuPatches::peaks(float share) {
  const float least = share * *std::max_element(distance_.begin(), distance_.end());
  std::vector<PatchPeak> result;
  for (std::size_t face = 0; face < distance_.size(); ++face) {
    const float far = distance_[face];
    if (!(far >= least)) continue;
    const auto number = static_cast<std::int32_t>(face);
    const bool peak = std::ranges::all_of(steps(face), [&](const PatchStep& step) {
      const float other = distance_[static_cast<std::size_t>(step.face)];
      return other < far || (other == far && step.face > number);
    });
    if (peak) result.push_back({far, number});
  }
  return result;
}

void CpuPatches::finish(std::vector<std::int32_t>& of, std::vector<float>& inner) {
  of.assign(distance_.size(), -1);
  for (std::size_t i = 0; i < seeds_.size(); ++i)
    of[static_cast<std::size_t>(seeds_[i])] = static_cast<std::int32_t>(i);
  std::vector<std::size_t> way;
  for (std::size_t start = 0; start < of.size(); ++start) {
    std::size_t face = start;
    for (way.clear(); of[face] < 0;) {
      way.push_back(face);
      const std::int32_t next = before(face);
      if (next < 0) of[face] = 0;
      else face = static_cast<std::size_t>(next);
    }
    for (const std::size_t each : way) of[each] = of[face];
  }
  inner.assign(distance_.size(), kInfinity);
  relax(seeds_, 0.1F, inner, [&](std::size_t face, const PatchStep& step) {
    return of[static_cast<std::size_t>(step.face)] == of[face] ? step.inner : kInfinity;
  });
}

}  // namespace

std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec&) {
  return std::make_unique<CpuPatches>(steps);
}

}  // namespace fovea::mesh::cpu
