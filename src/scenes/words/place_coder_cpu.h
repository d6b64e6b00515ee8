// Codes places on the CPU, kCodeBlock of them at a time: projection, scores and weights of words,
// and whole-number sums.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/describe/describe_cpu.h"
#include "scenes/words/code_plan.h"

namespace fovea::scenes::cpu {

constexpr int kCodeBlock = 48;  // a multiple of what a loop over any vectors takes at once

// How many images, whose sums take so many bytes each, are summed up at a time.
constexpr std::size_t group_images(std::size_t image_bytes) {
  constexpr std::size_t kMostImages = 64, kMostBytes = std::size_t{1} << 29;
  return std::clamp<std::size_t>(kMostBytes / image_bytes, 1, kMostImages);
}

// Linear functions with four outputs next to each other, for planes of kCodeBlock places.
struct PreparedMap {
  int inputs = 0;
  int outputs = 0;  // a multiple of four
  std::vector<float> factors;
  std::vector<float> bias;
};
PreparedMap prepare_map(const LinearMap& map);
// Plane j of `out` gets value j of every place.
void apply_map(const PreparedMap& map, const float* in, float* out);
// Rounds planes of projected numbers to whole units, in place. Their squares go to `squares`, and
// the units to rows of places, `components` apart.
void round_planes(float* planes, float* squares, std::int32_t* units, int components);

// The code of a dictionary, which threads share.
struct PlaceCode {
  explicit PlaceCode(const CodePlan& plan);

  CodeShape shape;
  PreparedMap projection, scores;
};

// A place after coding.
struct CodedPlace {
  const float* weights = nullptr;       // of the words, kCodeBlock apart: whole numbers
  const std::int32_t* units = nullptr;  // its projected numbers
};

// The memory of one thread.
class PlaceCoder {
 public:
  explicit PlaceCoder(const PlaceCode& code);

  // Adds the places of a block to sums. `cells` has the start of the sums of each place's cell.
  void add(const PlaceBlock& block, std::span<const std::int64_t> cells, std::int64_t* sums);
  // Calls `use` for the places of a block, in their order.
  void each(const PlaceBlock& block, FunctionRef<void(const CodedPlace&)> use);

 private:
  void load(const PlaceBlock& block, int first, int count);
  void add_place(const CodedPlace& place, std::int64_t* sums) const;

  const PlaceCode& code_;
  std::vector<float> points_, numbers_, scores_;
  std::vector<std::int32_t> units_;
};

}  // namespace fovea::scenes::cpu
