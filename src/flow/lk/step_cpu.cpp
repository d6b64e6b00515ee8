// One step of Lucas-Kanade. A tile is worked on from top to bottom: a row is warped, its products
// are summed along the row into a ring of rows that stays in the cache, and as soon as the ring
// holds a window's height it is summed down the columns and solved. Nothing but the flow leaves the
// cache.
#include <algorithm>
#include <array>
#include <cstring>

#include "flow/lk/kernels.h"
#include "flow/lk/tiles_cpu.h"

#ifndef FOVEA_FLOW_STEP_JOB
#define FOVEA_FLOW_STEP_JOB
namespace fovea::flow::cpu {
namespace {

constexpr int kSums = 5;  // xx, xy, yy, xt, yt

// A row of a tile and its margins, as warped: sums of both images, differences, weights.
struct WarpedRow {
  float* sum;
  float* difference;
  float* weight;
};

// Pixels [begin, end) of row y; the rows of `out` start at `begin`.
struct WarpJob {
  const StepRequest& request;
  int y, begin, end;
  WarpedRow out;
  // Scratch: places in the second image, and what lies there.
  std::int32_t* places;
  std::uint32_t* quads;
  float* fractions_x;
  float* fractions_y;
};

// The products of a row's pixels, summed along the row.
struct ProductJob {
  const float* above;  // rows of sums
  const float* below;
  WarpedRow row;
  int width;  // pixels that the row has
  std::array<float*, kSums> products;
};
struct AlongJob {
  std::array<const float*, kSums> in;  // `radius` places before the first
  std::array<float*, kSums> out;
  int width;
  const float* taps;
  int tap_count;
};

// Down the columns, and the step that follows.
struct SolveJob {
  const float* const* rows;  // kSums pointers a row
  const float* taps;
  int tap_count;
  int width;
  lk::SolveParams solve;
  const float* u_in;
  const float* v_in;
  float* u_out;
  float* v_out;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/step_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

struct Landings {
  VI index;
  V fraction;
  hn::Mask<D> inside;
};
// lk::landing of consecutive pixels or rows.
HWY_INLINE Landings landings(D d, VI x, V flow, int size) {
  const DI integers;
  const auto whole = hn::Floor(flow);
  const auto i = hn::Add(x, hn::ConvertTo(integers, whole));
  const auto last = hn::Set(integers, size - 1);
  const auto index = hn::Min(hn::Max(i, hn::Zero(integers)), last);
  const auto inside = hn::Eq(i, index);
  const auto between = hn::And(inside, hn::Lt(i, last));
  return {index, hn::IfThenElseZero(hn::RebindMask(d, between), hn::Sub(flow, whole)),
          hn::RebindMask(d, inside)};
}

void warp_row(const WarpJob& job) {
  const D d;
  const DI integers;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Plane<std::uint8_t>& second = job.request.second.features;
  const float* u = job.request.in.u.row(job.y) + job.begin;
  const float* v = job.request.in.v.row(job.y) + job.begin;
  const int count = job.end - job.begin;
  const auto stride = hn::Set(integers, static_cast<std::int32_t>(second.stride()));
  const auto row = hn::Set(integers, job.y);
  const auto one = hn::Set(d, 1.0F);
  for (int k = 0; k < count; k += lanes) {
    const auto x =
        landings(d, hn::Iota(integers, job.begin + k), hn::LoadU(d, u + k), second.width());
    const auto y = landings(d, row, hn::LoadU(d, v + k), second.height());
    hn::StoreU(hn::Add(hn::Mul(y.index, stride), x.index), integers, job.places + k);
    hn::StoreU(x.fraction, d, job.fractions_x + k);
    hn::StoreU(y.fraction, d, job.fractions_y + k);
    hn::StoreU(hn::IfThenElseZero(hn::And(x.inside, y.inside), one), d, job.out.weight + k);
  }
  // Two neighbours at a time, as no instruction gathers bytes.
  const std::uint8_t* base = second.row(0);
  const std::ptrdiff_t below = second.stride();
  for (int k = 0; k < count; ++k) {
    const std::uint8_t* at = base + job.places[k];
    std::uint16_t upper, lower;
    std::memcpy(&upper, at, 2);
    std::memcpy(&lower, at + below, 2);
    job.quads[k] = upper | static_cast<std::uint32_t>(lower) << 16;
  }
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint8_t, D> bytes;
  const auto byte = hn::Set(words, 255);
  const auto as_float = [&](hn::Vec<decltype(words)> values) {
    return hn::ConvertTo(d, hn::BitCast(integers, values));
  };
  const std::uint8_t* first = job.request.first.features.row(job.y) + job.begin;
  const auto robust = hn::Set(d, job.request.robust);
  for (int k = 0; k < count; k += lanes) {
    const auto quad = hn::LoadU(words, job.quads + k);
    const auto a = as_float(hn::And(quad, byte));
    const auto b = as_float(hn::And(hn::ShiftRight<8>(quad), byte));
    const auto c = as_float(hn::And(hn::ShiftRight<16>(quad), byte));
    const auto e = as_float(hn::ShiftRight<24>(quad));
    const auto fx = hn::LoadU(d, job.fractions_x + k), fy = hn::LoadU(d, job.fractions_y + k);
    const auto above = hn::MulAdd(hn::Sub(b, a), fx, a);
    const auto under = hn::MulAdd(hn::Sub(e, c), fx, c);
    const auto warped = hn::MulAdd(hn::Sub(under, above), fy, above);
    const auto here = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, first + k)));
    const auto difference = hn::Sub(warped, here);
    const auto weight = hn::Div(robust, hn::Add(robust, hn::Abs(difference)));
    hn::StoreU(hn::Add(here, warped), d, job.out.sum + k);
    hn::StoreU(difference, d, job.out.difference + k);
    hn::StoreU(hn::Mul(hn::LoadU(d, job.out.weight + k), weight), d, job.out.weight + k);
  }
}

void multiply_row(const ProductJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto quarter = hn::Set(d, 0.25F);
  for (int k = 0; k < job.width; k += lanes) {
    const auto gx = hn::Mul(
        hn::Sub(hn::LoadU(d, job.row.sum + k + 1), hn::LoadU(d, job.row.sum + k - 1)), quarter);
    const auto gy =
        hn::Mul(hn::Sub(hn::LoadU(d, job.below + k), hn::LoadU(d, job.above + k)), quarter);
    const auto difference = hn::LoadU(d, job.row.difference + k);
    const auto weight = hn::LoadU(d, job.row.weight + k);
    const auto wx = hn::Mul(weight, gx), wy = hn::Mul(weight, gy);
    hn::StoreU(hn::Mul(wx, gx), d, job.products[0] + k);
    hn::StoreU(hn::Mul(wx, gy), d, job.products[1] + k);
    hn::StoreU(hn::Mul(wy, gy), d, job.products[2] + k);
    hn::StoreU(hn::Mul(wx, difference), d, job.products[3] + k);
    hn::StoreU(hn::Mul(wy, difference), d, job.products[4] + k);
  }
}

void sum_along(const AlongJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < job.width; x += 2 * lanes) {
    auto tap = hn::Set(d, job.taps[0]);
    V low[kSums], high[kSums];
    for (int c = 0; c < kSums; ++c) {
      low[c] = hn::Mul(tap, hn::LoadU(d, job.in[c] + x));
      high[c] = hn::Mul(tap, hn::LoadU(d, job.in[c] + x + lanes));
    }
    for (int k = 1; k < job.tap_count; ++k) {
      tap = hn::Set(d, job.taps[k]);
      for (int c = 0; c < kSums; ++c) {
        low[c] = hn::MulAdd(tap, hn::LoadU(d, job.in[c] + x + k), low[c]);
        high[c] = hn::MulAdd(tap, hn::LoadU(d, job.in[c] + x + lanes + k), high[c]);
      }
    }
    for (int c = 0; c < kSums; ++c) {
      hn::StoreU(low[c], d, job.out[c] + x);
      hn::StoreU(high[c], d, job.out[c] + x + lanes);
    }
  }
}

void solve_row(const SolveJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto damping = hn::Set(d, job.solve.damping), most = hn::Set(d, job.solve.most);
  const auto least = hn::Set(d, job.solve.min_eigenvalue), zero = hn::Zero(d);
  const auto one = hn::Set(d, 1.0F), negative = hn::Neg(most);
  for (int x = 0; x < job.width; x += lanes) {
    auto tap = hn::Set(d, job.taps[0]);
    V sums[kSums];
    for (int c = 0; c < kSums; ++c) sums[c] = hn::Mul(tap, hn::LoadU(d, job.rows[c] + x));
    for (int k = 1; k < job.tap_count; ++k) {
      tap = hn::Set(d, job.taps[k]);
      for (int c = 0; c < kSums; ++c)
        sums[c] = hn::MulAdd(tap, hn::LoadU(d, job.rows[k * kSums + c] + x), sums[c]);
    }
    const auto a = hn::Add(sums[0], damping), b = sums[1], c = hn::Add(sums[2], damping);
    const auto inverse = hn::Div(one, hn::MulSub(a, c, hn::Mul(b, b)));
    const auto u = hn::Mul(hn::MulSub(b, sums[4], hn::Mul(c, sums[3])), inverse);
    const auto v = hn::Mul(hn::MulSub(b, sums[3], hn::Mul(a, sums[4])), inverse);
    const auto xx = hn::Sub(sums[0], least), yy = hn::Sub(sums[2], least);
    const auto posed = hn::And(hn::And(hn::Gt(xx, zero), hn::Gt(yy, zero)),
                               hn::Gt(hn::Mul(xx, yy), hn::Mul(b, b)));
    const auto du = hn::IfThenElseZero(posed, hn::Min(hn::Max(u, negative), most));
    const auto dv = hn::IfThenElseZero(posed, hn::Min(hn::Max(v, negative), most));
    hn::StoreU(hn::Add(hn::LoadU(d, job.u_in + x), du), d, job.u_out + x);
    hn::StoreU(hn::Add(hn::LoadU(d, job.v_in + x), dv), d, job.v_out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(warp_row);
HWY_EXPORT(multiply_row);
HWY_EXPORT(sum_along);
HWY_EXPORT(solve_row);

constexpr int kPad = 32;  // floats that loops may run past a row of a tile, and a border's column

// The rows that a tile is worked through with.
class TileRows {
 public:
  TileRows(const StepRequest& request, const Tile& tile)
      : request_(request),
        tile_(tile),
        radius_(static_cast<int>(request.taps.size()) / 2),
        width_(request.first.features.width()),
        height_(request.first.features.height()),
        begin_(std::max(0, tile.x0 - radius_ - 1)),
        end_(std::min(width_, tile.x1 + radius_ + 1)) {
    const int row = tile.x1 - tile.x0 + 2 * (radius_ + 1) + 2 * kPad;
    const int ring = static_cast<int>(request.taps.size());
    memory_.resize(static_cast<std::size_t>(row) *
                   (3 * kWarped + kSums + static_cast<std::size_t>(ring) * kSums + 4));
    std::fill(memory_.begin(), memory_.end(), 0.0F);
    float* next = memory_.data() + kPad;
    const auto take = [&] { return std::exchange(next, next + row); };
    for (WarpedRow& warped : warped_) warped = {take(), take(), take()};
    for (float*& line : products_) line = take();
    ring_.resize(static_cast<std::size_t>(ring) * kSums);
    for (float*& line : ring_) line = take();
    places_ = reinterpret_cast<std::int32_t*>(take());
    quads_ = reinterpret_cast<std::uint32_t*>(take());
    fractions_x_ = take();
    fractions_y_ = take();
  }

  void run() {
    const int ring = 2 * radius_ + 1;
    std::vector<const float*> rows(ring_.size());
    for (int y = tile_.y0 - radius_; y < tile_.y1 + radius_; ++y) {
      add_row(y, (y - tile_.y0 + radius_) % ring);
      const int out = y - radius_;
      if (out < tile_.y0) continue;
      for (int k = 0; k < ring; ++k) {
        const int slot = (out - tile_.y0 + k) % ring;
        std::copy_n(ring_.data() + slot * kSums, kSums, rows.data() + k * kSums);
      }
      HWY_DYNAMIC_DISPATCH(solve_row)
      ({rows.data(), request_.taps.data(), ring, tile_.x1 - tile_.x0, request_.solve,
        request_.in.u.row(out) + tile_.x0, request_.in.v.row(out) + tile_.x0, u_line(), v_line()});
      std::copy_n(u_line(), tile_.x1 - tile_.x0, request_.out.u.row(out) + tile_.x0);
      std::copy_n(v_line(), tile_.x1 - tile_.x0, request_.out.v.row(out) + tile_.x0);
    }
  }

 private:
  static constexpr int kWarped = 4;  // rows kept: three are needed

  // Scratch of the warp serves for results: whole vectors are written, a tile's neighbours not.
  float* u_line() { return fractions_x_; }
  float* v_line() { return fractions_y_; }

  const WarpedRow& warped(int y) {
    const WarpedRow& row = warped_[static_cast<std::size_t>(y) % kWarped];
    if (y <= last_warped_) return row;
    last_warped_ = y;
    HWY_DYNAMIC_DISPATCH(warp_row)
    ({request_, y, begin_, end_, row, places_, quads_, fractions_x_, fractions_y_});
    if (request_.first.masked()) leave_out(request_.first.mask.row(y) + begin_, row.weight);
    if (request_.second.masked()) leave_out_second(row.weight);
    if (begin_ == 0) row.sum[-1] = row.sum[0];
    if (end_ == width_) row.sum[end_ - begin_] = row.sum[end_ - begin_ - 1];
    return row;
  }
  void leave_out(const std::uint8_t* mask, float* weight) const {
    for (int k = 0; k < end_ - begin_; ++k)
      if (mask[k] == 0) weight[k] = 0;
  }
  void leave_out_second(float* weight) const {
    const auto& mask = request_.second.mask;
    const std::ptrdiff_t stride = request_.second.features.stride();
    for (int k = 0; k < end_ - begin_; ++k) {
      const auto y = static_cast<int>(places_[k] / stride),
                 x = static_cast<int>(places_[k] % stride);
      if (mask.row(y)[x] == 0) weight[k] = 0;
    }
  }

  void add_row(int y, int slot) {
    float** out = ring_.data() + slot * kSums;
    const int across = tile_.x1 - tile_.x0;
    if (y < 0 || y >= height_) {
      for (int c = 0; c < kSums; ++c) std::fill_n(out[c], across, 0.0F);
      return;
    }
    const int above = std::max(y - 1, 0), below = std::min(y + 1, height_ - 1);
    const float* above_sum = warped(above).sum;
    const WarpedRow row = warped(y);
    const float* below_sum = warped(below).sum;
    // Products begin a column after what was warped, but at the image's border.
    const int first = begin_ == 0 ? 0 : 1;
    const int last = end_ - begin_ - (end_ == width_ ? 0 : 1);
    const int lead = begin_ + first - (tile_.x0 - radius_);  // places outside the image
    const int span = across + 2 * radius_;
    ProductJob job{above_sum + first,
                   below_sum + first,
                   {row.sum + first, row.difference + first, row.weight + first},
                   last - first,
                   {}};
    AlongJob along{{}, {}, across, request_.taps.data(), 2 * radius_ + 1};
    for (int c = 0; c < kSums; ++c) {
      job.products[c] = products_[c] + lead;
      along.in[c] = products_[c];
      along.out[c] = out[c];
    }
    HWY_DYNAMIC_DISPATCH(multiply_row)(job);
    for (float* line : products_) {
      std::fill_n(line, lead, 0.0F);
      std::fill(line + lead + last - first, line + std::max(span, lead + last - first), 0.0F);
    }
    HWY_DYNAMIC_DISPATCH(sum_along)(along);
  }

  const StepRequest& request_;
  const Tile tile_;
  const int radius_, width_, height_;
  const int begin_, end_;  // columns that are warped
  int last_warped_ = -1;
  std::vector<float> memory_;
  std::array<WarpedRow, kWarped> warped_{};
  std::array<float*, kSums> products_{};
  std::vector<float*> ring_;
  std::int32_t* places_ = nullptr;
  std::uint32_t* quads_ = nullptr;
  float* fractions_x_ = nullptr;
  float* fractions_y_ = nullptr;
};

}  // namespace

void step(const StepRequest& request, const Exec& exec) {
  for_each_tile(request.first, exec, [&](const Tile& tile, bool needed) {
    if (needed) {
      TileRows(request, tile).run();
      return;
    }
    copy_tile(request.in, request.out, tile);
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
