// The stages of dense Lucas-Kanade on the CPU. Each is a function of a pixel's neighborhood, so
// that no result depends on how the image is divided among threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "flow/lk/lucas_kanade_plan.h"
#include "flow/lk/lucas_kanade_plane.h"

namespace fovea::flow::cpu {

using lk::Plane;

// Calls body(first row, last row) for parts of a plane of 8 to 32 rows, so that every thread gets
// several where the plane allows it.
inline void for_rows(const Exec& exec, int height,
                     FunctionRef<void(std::int64_t, std::int64_t)> body) {
  constexpr int kLeast = 8, kMost = 32, kPartsPerThread = 4;
  const int rows = std::clamp(height / (kPartsPerThread * thread_count(exec)), kLeast, kMost);
  parallel_for(exec, height, rows, body);
}

// One level of a frame. `features` has one more column and one more row than the level, which
// repeat the last: a pixel's right and lower neighbors are always readable.
struct FrameLevel {
  Plane<std::uint8_t> features;
  std::vector<Plane<std::uint8_t>> colors{};  // of the second and third channel, or empty
  Plane<std::uint8_t> mask;                   // 0 or 1; empty if every pixel counts
  bool masked() const { return mask.width() > 0; }
  int channels() const { return 1 + static_cast<int>(colors.size()); }
  const Plane<std::uint8_t>& channel(int c) const {
    return c == 0 ? features : colors[static_cast<std::size_t>(c) - 1];
  }
};

struct Field {
  Plane<float> u, v;
  void resize(int width, int height) {
    u.resize(width, height);
    v.resize(width, height);
  }
};

// The gray units of a level, with mirrored margins; kNoGray where the mask is 0.
using Gray = Plane<std::uint16_t>;
void quantize(ImageView<const float> gray, ImageView<const std::uint8_t> mask, Gray& out,
              const Exec& exec);
void halve(const Gray& gray, bool masked, Gray& out, const Exec& exec);
// Writes the features of the first channel, and the mask.
void find_features(const Gray& gray, bool masked, bool rank, FrameLevel& out, const Exec& exec);
// Writes the features of any channel.
void find_features(const Gray& gray, bool masked, bool rank, Plane<std::uint8_t>& out,
                   const Exec& exec);

// Refines `in` to `out` by one step. Writes the smaller eigenvalue of each pixel's system if it is
// requested.
struct StepRequest {
  const FrameLevel& first;
  const FrameLevel& second;
  const Field& in;
  Field& out;
  Plane<float>* eigenvalues;
  std::span<const float> taps;
  float robust;
  lk::SolveParams solve;
};
void step(const StepRequest& request, const Exec& exec);

// Each pixel of `out` gets the flow of `in` that fits best among its own and those of up to eight
// pixels that are `distance`, at most 16, away. The margins of `in` are written.
struct PropagateRequest {
  const FrameLevel& first;
  const FrameLevel& second;
  Field& in;
  Field& out;
  int distance;
  int first_trial, last_trial;  // indices into lk::kTrialOffsets
};
void propagate(const PropagateRequest& request, const Exec& exec);

// Sums lk::trial_difference over 7x7 pixels under a flow.
struct ResidualRequest {
  const FrameLevel& first;
  const FrameLevel& second;
  const Field& flow;
  Plane<std::uint16_t>& out;
};
void find_residuals(const ResidualRequest& request, const Exec& exec);

// Computes how much a level's flow can be trusted. `backward` is the flow from the second image to
// the first, on the same level, or null.
struct AssessRequest {
  const FrameLevel& first;
  const FrameLevel& second;
  const Field& flow;
  const Plane<std::uint16_t>& residuals;
  const Plane<float>& eigenvalues;  // of the last step
  const Field* backward;
  float min_eigenvalue;
  float pixel;  // size of the level's pixels: 1, 2, 4, ...
};
void assess(const AssessRequest& request, Plane<float>& confidence, const Exec& exec);
// Returns the distance in pixels between a pixel and the place where the backward flow leads from
// its landing.
float there_and_back(const Field& flow, const Field& backward, int x, int y);

// Which parts of a level matter: those whose flow can reach a pixel that counts. Without a mask all
// do.
class NearPixels {
 public:
  static constexpr int kSide = 32;  // of a part, in pixels
  NearPixels() = default;
  // `reach` is how many pixels of the level the flow may travel.
  NearPixels(const FrameLevel& level, int reach, const Exec& exec);

  bool all() const { return near_.empty(); }
  bool at(int column, int row) const {
    return near_[static_cast<std::size_t>(row) * columns_ + column];
  }
  int columns() const { return columns_; }
  int rows() const { return rows_; }

 private:
  int columns_ = 0, rows_ = 0;
  std::vector<std::uint8_t> near_{};
};

// Computes the median of (2 radius + 1)^2 pixels, radius 1 or 2; the border repeats. Parts that do
// not matter are copied.
void median(const Plane<float>& in, Plane<float>& out, int radius, const Exec& exec);
void median(const Plane<float>& in, Plane<float>& out, int radius, const NearPixels& near,
            const Exec& exec);

// Enlarges to a level of twice the size, whose pixels are half as large: flow is doubled,
// confidence is not.
enum class Enlarge : unsigned char { kFlow, kConfidence };
void enlarge(ImageView<const float> in, ImageView<float> out, Enlarge what, const Exec& exec);

}  // namespace fovea::flow::cpu
