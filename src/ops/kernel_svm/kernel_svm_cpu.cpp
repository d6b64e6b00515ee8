// A tile of scalar products. Four rows of one matrix meet four of the other, so that two loads
// serve four multiply-adds each; rows are taken in pieces that stay in the cache while the whole
// tile reads them.
#include "ops/kernel_svm/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernel_svm/kernel_svm_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
constexpr int kSide = 4;      // rows of either matrix that meet in registers
constexpr int kPiece = 1024;  // numbers of a row; 128 such pieces fit into a second-level cache

// Adds the products of kSide x kSide rows over `count` numbers. Every sum has the same order,
// whichever row comes first, because a product of two numbers does not depend on theirs.
HWY_INLINE void add_products(const float* const* a, const float* const* b, int count,
                             float (&sums)[kSide][kSide]) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  hn::Vec<Floats> s00 = hn::Zero(d), s01 = s00, s02 = s00, s03 = s00;
  hn::Vec<Floats> s10 = s00, s11 = s00, s12 = s00, s13 = s00;
  hn::Vec<Floats> s20 = s00, s21 = s00, s22 = s00, s23 = s00;
  hn::Vec<Floats> s30 = s00, s31 = s00, s32 = s00, s33 = s00;
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto b0 = hn::LoadU(d, b[0] + i), b1 = hn::LoadU(d, b[1] + i);
    const auto b2 = hn::LoadU(d, b[2] + i), b3 = hn::LoadU(d, b[3] + i);
    const auto a0 = hn::LoadU(d, a[0] + i), a1 = hn::LoadU(d, a[1] + i);
    s00 = hn::MulAdd(a0, b0, s00), s01 = hn::MulAdd(a0, b1, s01);
    s02 = hn::MulAdd(a0, b2, s02), s03 = hn::MulAdd(a0, b3, s03);
    s10 = hn::MulAdd(a1, b0, s10), s11 = hn::MulAdd(a1, b1, s11);
    s12 = hn::MulAdd(a1, b2, s12), s13 = hn::MulAdd(a1, b3, s13);
    const auto a2 = hn::LoadU(d, a[2] + i), a3 = hn::LoadU(d, a[3] + i);
    s20 = hn::MulAdd(a2, b0, s20), s21 = hn::MulAdd(a2, b1, s21);
    s22 = hn::MulAdd(a2, b2, s22), s23 = hn::MulAdd(a2, b3, s23);
    s30 = hn::MulAdd(a3, b0, s30), s31 = hn::MulAdd(a3, b1, s31);
    s32 = hn::MulAdd(a3, b2, s32), s33 = hn::MulAdd(a3, b3, s33);
  }
  const auto total = [&](hn::Vec<Floats> sum, int y, int x) HWY_ATTR {
    float rest = hn::GetLane(hn::SumOfLanes(d, sum));
    for (int k = i; k < count; ++k) rest += a[y][k] * b[x][k];
    sums[y][x] += rest;
  };
  total(s00, 0, 0), total(s01, 0, 1), total(s02, 0, 2), total(s03, 0, 3);
  total(s10, 1, 0), total(s11, 1, 1), total(s12, 1, 2), total(s13, 1, 3);
  total(s20, 2, 0), total(s21, 2, 1), total(s22, 2, 2), total(s23, 2, 3);
  total(s30, 3, 0), total(s31, 3, 1), total(s32, 3, 2), total(s33, 3, 3);
}

// Rows beyond the last are the last one again; their products are not stored.
void point_at(ImageView<const float> rows, int first, int offset, const float* (&to)[kSide]) {
  for (int k = 0; k < kSide; ++k) to[k] = rows.row(std::min(first + k, rows.height - 1)) + offset;
}

void row_products(const ImageView<const float>& a, const ImageView<const float>& b,
                  const ImageView<float>& products) {
  for (int y = 0; y < a.height; ++y) std::fill_n(products.row(y), b.height, 0.F);
  for (int begin = 0; begin < a.width; begin += kPiece) {
    const int count = std::min(kPiece, a.width - begin);
    for (int y = 0; y < a.height; y += kSide) {
      const float* left[kSide];
      point_at(a, y, begin, left);
      for (int x = 0; x < b.height; x += kSide) {
        const float* right[kSide];
        point_at(b, x, begin, right);
        float sums[kSide][kSide] = {};
        add_products(left, right, count, sums);
        for (int j = 0; j < std::min(kSide, a.height - y); ++j)
          for (int i = 0; i < std::min(kSide, b.height - x); ++i)
            products.at(x + i, y + j) += sums[j][i];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {
HWY_EXPORT(row_products);
}  // namespace

void row_products(ImageView<const float> a, ImageView<const float> b, ImageView<float> products) {
  HWY_DYNAMIC_DISPATCH(row_products)(a, b, products);
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
