// The stages of the variational refinement on the CPU. Each value depends on its neighborhood alone
// and relaxations have the order of a checkerboard, so that no result depends on how rows are
// divided among threads.
#pragma once
#include <array>

#include "flow/lk/lucas_kanade_cpu.h"
#include "flow/refine/refine_plan.h"

namespace fovea::flow::cpu {

// One level of an image: gray levels, whose margins repeat the border, and which pixels count.
struct RefineLevel {
  Plane<float> gray;
  Plane<std::uint8_t> mask;  // 0 or 1; empty if every pixel counts
  bool masked() const { return mask.width() > 0; }
};
// Converts gray units of a level; what the mask leaves out is 0 there.
void to_refine_level(const Gray& units, bool masked, RefineLevel& out, const Exec& exec);

// A plane whose red and black pixels lie apart: element k of row y of color c is pixel
// 2 k + (y + c) % 2, so that the neighbors of consecutive elements are consecutive.
struct Board {
  std::array<Plane<float>, 2> color;
  void resize(int width, int height) {
    for (Plane<float>& plane : color) plane.resize((width + 1) / 2, height);
  }
};
// The linear system of a level.
struct Boards {
  static constexpr int kCount = 9;
  enum Which { kU, kV, kRight, kDown, kCross, kWantU, kWantV, kInverseU, kInverseV };
  std::array<Board, kCount> board;
  void resize(int width, int height) {
    for (Board& one : board) one.resize(width, height);
  }
};

// What is kept from level to level.
struct RefineSpace {
  Field base;                             // the flow of the warp
  Plane<float> mean, difference, dx, dy;  // of the first image and the warped second one
  Plane<float> valid;                     // 1 where both images have data, else 0
  Boards boards;
  Field median;
};

struct RefineRequest {
  const RefineLevel& first;
  const RefineLevel& second;
  refine::Work work;
  refine::Energy energy;
};
// Refines `field` in place.
void refine_level(const RefineRequest& request, Field& field, RefineSpace& space, const Exec& exec);

// Its parts. Warps the second image by space.base and derives.
void refine_warp(const RefineRequest& request, RefineSpace& space, const Exec& exec);
// Writes the system for `field`, whose values the boards take too.
void refine_systems(const RefineRequest& request, Field& field, RefineSpace& space,
                    const Exec& exec);
// Writes the weighted median of `field` to space.median. The warp is that of the flow before the
// last round.
void mend_level(const RefineRequest& request, Field& field, RefineSpace& space, const Exec& exec);
void relax_boards(Boards& boards, int relaxations, float omega, const Exec& exec);

}  // namespace fovea::flow::cpu
