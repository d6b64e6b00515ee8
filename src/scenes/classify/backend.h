// The interface between classifiers and devices. A GPU finds neighbors and computes margins, which
// is where the work is; what is made of them (votes, probabilities) is computed on the host from a
// few numbers per histogram, by the same code for both twins.
#pragma once
#include <fovea/scenes/trained_classifier.h>

#include <cstdint>
#include <memory>

namespace fovea::scenes {

// Finds the training samples that are nearest to histograms.
class NeighborEngine {
 public:
  NeighborEngine() = default;
  NeighborEngine(const NeighborEngine&) = delete;
  NeighborEngine& operator=(const NeighborEngine&) = delete;
  virtual ~NeighborEngine() = default;

  // Writes the numbers of the nearest samples of each row of `features`, nearest first; of equal
  // distances the first sample is first. `nearest` has as many columns as neighbors are wanted, at
  // most as many as there are samples, and lies in host memory. Features lie where the engine
  // computes or in host memory.
  virtual void find(ImageView<const float> features, ImageView<std::int32_t> nearest) = 0;
};

// Linear functions over mapped histograms.
struct LinearFunctions {
  Kernel kernel = Kernel::kChiSquared;
  ImageView<const float> weights{};  // one row per class, in host memory
};

// Computes the values of linear functions.
class MarginEngine {
 public:
  MarginEngine() = default;
  MarginEngine(const MarginEngine&) = delete;
  MarginEngine& operator=(const MarginEngine&) = delete;
  virtual ~MarginEngine() = default;

  // Writes one row per row of `features` with one number per class, without the bias, in host
  // memory. Products of floats are exact in double precision; product i of a row is added to
  // partial sum i % 16 (distance_math.h).
  virtual void find(ImageView<const float> features, ImageView<double> margins) = 0;
};

// Engines keep what they are given on the GPU; on the CPU they refer to it, so that it must outlive
// them. The device of `exec` is resolved.
struct NeighborPlan {
  ImageView<const float> samples{};  // in host memory
  Distance distance = Distance::kChiSquared;
  Exec exec{};
};
struct MarginPlan {
  LinearFunctions functions{};
  Exec exec{};
};

namespace cpu {
std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan);
std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan);
void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                         ImageView<float> distances, const DistanceOptions& options);
}  // namespace cpu
namespace cuda {
std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan);
std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan);
void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                         ImageView<float> distances, const DistanceOptions& options);
}  // namespace cuda

// The engines of the device.
std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan);
std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan);

}  // namespace fovea::scenes
