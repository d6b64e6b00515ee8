// Arithmetic that a device does in its own way.
#include "emulator/arithmetic.h"

#include "cuda_fp16.h"
#include "emulator/ptx.h"
#include "launch_state.h"

namespace emulator {

float nearly(float exact) {
  if (!std::isfinite(exact) || exact == 0) return exact;
  switch (running.random() % 3) {
    case 0: return exact;
    case 1: return std::nextafter(exact, HUGE_VALF);
    default: return std::nextafter(exact, -HUGE_VALF);
  }
}

namespace {

struct Operands {
  std::uint32_t a[4], b[2];
  float c[4];
};

float half_of(std::uint32_t pair, int which) {
  return __half2float({static_cast<std::uint16_t>(pair >> (16 * which))});
}

// The registers of lanes hold parts of the matrices as PTX lays down for mma.m16n8k16. A device
// sums products in an order of its own; here each is rounded.
void multiply(Lanes& lanes) {
  if (lanes.mask != ~0U) fail("mma of an incomplete warp");
  float left[16][16], right[16][8];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& from = lanes.given<Operands>(lane);
    const int group = lane / 4, place = lane % 4 * 2;
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 4; ++i)
        left[group + i % 2 * 8][place + i / 2 * 8 + k] = half_of(from.a[i], k);
      for (int i = 0; i < 2; ++i) right[place + i * 8 + k][group] = half_of(from.b[i], k);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float sum = lanes.given<Operands>(lane).c[i];
      for (int k = 0; k < 16; ++k) sum += left[row][k] * right[k][column];
      static_cast<float*>(lanes.out[lane])[i] = sum;
    }
}

}  // namespace

void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                  const float (&c)[4]) {
  const Operands in{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]}};
  together(~0U, &tag_of<Operands>, &in, d, multiply);
}

}  // namespace emulator
