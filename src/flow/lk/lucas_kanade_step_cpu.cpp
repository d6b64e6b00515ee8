// One step of Lucas-Kanade. A tile is processed from top to bottom: a row is warped, and its
// products are summed along the row into a ring of rows that stays in the cache. As soon as the
// ring holds the height of a window, it is summed down the columns and solved. Only the flow leaves
// the cache.
#include <algorithm>
#include <array>

#include "flow/lk/lucas_kanade_cpu.h"
#include "flow/lk/lucas_kanade_tiles_cpu.h"

#ifndef FOVEA_FLOW_STEP_JOB
#define FOVEA_FLOW_STEP_JOB
namespace fovea::flow::cpu {
namespace {

constexpr int kSums = 5;  // xx, xy, yy, xt, yt

constexpr int kMostChannels = 3;

// A warped row of a tile with its margins, of one channel: sums of both images, differences,
// weights.
struct WarpedRow {
  float* sum;
  float* difference;
  float* weight;
};

// Warps pixels [begin, end) of row y; the rows of `out`, one per channel, start at `begin`.
struct WarpJob {
  const StepRequest& request;
  int y, begin, end;
  const WarpedRow* out;
  // Scratch: positions in the second image, whether they are inside, and the values there.
  std::int32_t* places;
  std::uint32_t* quads;
  float* fractions_x;
  float* fractions_y;
  float* inside;
};

// Computes the products of a row's pixels; each kind is `plane` floats after the one before.
struct ProductJob {
  const float* above;  // rows of sums
  const float* below;
  WarpedRow row;
  int width;  // number of pixels in the row
  float* products;
  std::ptrdiff_t plane;
  bool add;  // to the products of the channels before
};
// Sums the products along the row.
struct AlongJob {
  const float* in;  // begins `radius` elements before the first pixel
  float* out;
  std::ptrdiff_t plane;
  int width;
  const float* taps;
  int tap_count;
};
// Sums down the columns and solves for the step.
struct SolveJob {
  const float* const* rows;  // one per tap
  std::ptrdiff_t plane;
  const float* taps;
  int tap_count;
  int width;
  lk::SolveParams solve;
  const float* u_in;
  const float* v_in;
  float* u_out;
  float* v_out;
  float* eigenvalues;  // may be null
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/lucas_kanade_step_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "flow/lk/lucas_kanade_gather-inl.h"

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
// Computes lk::landing for consecutive pixels or rows.
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

// Computes where the row's pixels land in the second image.
HWY_INLINE void land_row(const WarpJob& job) {
  const D d;
  const DI integers;
  const int lanes = static_cast<int>(hn::Lanes(d)), count = job.end - job.begin;
  const Plane<std::uint8_t>& second = job.request.second.features;
  const int width = second.width(), height = second.height();
  const float* HWY_RESTRICT u = job.request.in.u.row(job.y) + job.begin;
  const float* HWY_RESTRICT v = job.request.in.v.row(job.y) + job.begin;
  std::int32_t* HWY_RESTRICT places = job.places;
  float* HWY_RESTRICT fractions_x = job.fractions_x;
  float* HWY_RESTRICT fractions_y = job.fractions_y;
  float* HWY_RESTRICT inside = job.inside;
  const auto stride = hn::Set(integers, static_cast<std::int32_t>(second.stride()));
  const auto row = hn::Set(integers, job.y), step = hn::Set(integers, lanes);
  // The systems of several channels are averaged.
  const auto share = hn::Set(d, 1.0F / static_cast<float>(job.request.first.channels()));
  auto column = hn::Iota(integers, job.begin);
  for (int k = 0; k < count; k += lanes) {
    const auto x = landings(d, column, hn::LoadU(d, u + k), width);
    const auto y = landings(d, row, hn::LoadU(d, v + k), height);
    column = hn::Add(column, step);
    hn::StoreU(hn::Add(hn::Mul(y.index, stride), x.index), integers, places + k);
    hn::StoreU(x.fraction, d, fractions_x + k);
    hn::StoreU(y.fraction, d, fractions_y + k);
    hn::StoreU(hn::IfThenElseZero(hn::And(x.inside, y.inside), share), d, inside + k);
  }
}

HWY_INLINE void warp_channel(const WarpJob& job, int channel) {
  const int count = job.end - job.begin;
  gather_row(job.request.second.channel(channel), job.places, count, job.quads);
  const D d;
  const DI integers;
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint8_t, D> bytes;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto byte = hn::Set(words, 255);
  const auto as_float = [&](hn::Vec<decltype(words)> values) {
    return hn::ConvertTo(d, hn::BitCast(integers, values));
  };
  const std::uint32_t* HWY_RESTRICT quads = job.quads;
  const float* HWY_RESTRICT fractions_x = job.fractions_x;
  const float* HWY_RESTRICT fractions_y = job.fractions_y;
  const std::uint8_t* HWY_RESTRICT first =
      job.request.first.channel(channel).row(job.y) + job.begin;
  const float* HWY_RESTRICT inside = job.inside;
  float* HWY_RESTRICT sums = job.out[channel].sum;
  float* HWY_RESTRICT differences = job.out[channel].difference;
  float* HWY_RESTRICT weights = job.out[channel].weight;
  const auto robust = hn::Set(d, job.request.robust);
  for (int k = 0; k < count; k += lanes) {
    const auto quad = hn::LoadU(words, quads + k);
    const auto a = as_float(hn::And(quad, byte));
    const auto b = as_float(hn::And(hn::ShiftRight<8>(quad), byte));
    const auto c = as_float(hn::And(hn::ShiftRight<16>(quad), byte));
    const auto e = as_float(hn::ShiftRight<24>(quad));
    const auto fx = hn::LoadU(d, fractions_x + k), fy = hn::LoadU(d, fractions_y + k);
    const auto above = hn::MulAdd(hn::Sub(b, a), fx, a);
    const auto under = hn::MulAdd(hn::Sub(e, c), fx, c);
    const auto warped = hn::MulAdd(hn::Sub(under, above), fy, above);
    const auto here = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, first + k)));
    const auto difference = hn::Sub(warped, here);
    const auto weight = hn::Div(robust, hn::Add(robust, hn::Abs(difference)));
    hn::StoreU(hn::Add(here, warped), d, sums + k);
    hn::StoreU(difference, d, differences + k);
    hn::StoreU(hn::Mul(hn::LoadU(d, inside + k), weight), d, weights + k);
  }
}

void warp_row(const WarpJob& job) {
  land_row(job);
  for (int c = 0; c < job.request.first.channels(); ++c) warp_channel(job, c);
}

template <bool kAdd>
HWY_INLINE void multiply(const ProductJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width;
  const auto quarter = hn::Set(d, 0.25F);
  const float* HWY_RESTRICT above = job.above;
  const float* HWY_RESTRICT below = job.below;
  const float* HWY_RESTRICT sum = job.row.sum;
  const float* HWY_RESTRICT differences = job.row.difference;
  const float* HWY_RESTRICT weights = job.row.weight;
  float* HWY_RESTRICT out = job.products;
  const std::ptrdiff_t plane = job.plane;
  for (int k = 0; k < width; k += lanes) {
    const auto gx = hn::Mul(hn::Sub(hn::LoadU(d, sum + k + 1), hn::LoadU(d, sum + k - 1)), quarter);
    const auto gy = hn::Mul(hn::Sub(hn::LoadU(d, below + k), hn::LoadU(d, above + k)), quarter);
    const auto difference = hn::LoadU(d, differences + k), weight = hn::LoadU(d, weights + k);
    const auto wx = hn::Mul(weight, gx), wy = hn::Mul(weight, gy);
    const auto put = [&](V product, float* to) HWY_ATTR {
      if constexpr (kAdd) hn::StoreU(hn::Add(hn::LoadU(d, to), product), d, to);
      else hn::StoreU(product, d, to);
    };
    put(hn::Mul(wx, gx), out + k);
    put(hn::Mul(wx, gy), out + plane + k);
    put(hn::Mul(wy, gy), out + 2 * plane + k);
    put(hn::Mul(wx, difference), out + 3 * plane + k);
    put(hn::Mul(wy, difference), out + 4 * plane + k);
  }
}
void multiply_row(const ProductJob& job) {
  if (job.add) multiply<true>(job);
  else multiply<false>(job);
}

// Adds two vectors of each of the five sums: enough independent chains to keep the multipliers
// busy.
HWY_INLINE void add_tap(D d, V tap, const float* HWY_RESTRICT from, std::ptrdiff_t plane, V* low,
                        V* high) {
  const std::size_t lanes = hn::Lanes(d);
  for (int c = 0; c < kSums; ++c) {
    low[c] = hn::MulAdd(tap, hn::LoadU(d, from + c * plane), low[c]);
    high[c] = hn::MulAdd(tap, hn::LoadU(d, from + c * plane + lanes), high[c]);
  }
}
HWY_INLINE void first_tap(D d, V tap, const float* HWY_RESTRICT from, std::ptrdiff_t plane, V* low,
                          V* high) {
  const std::size_t lanes = hn::Lanes(d);
  for (int c = 0; c < kSums; ++c) {
    low[c] = hn::Mul(tap, hn::LoadU(d, from + c * plane));
    high[c] = hn::Mul(tap, hn::LoadU(d, from + c * plane + lanes));
  }
}

void sum_along(const AlongJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width, count = job.tap_count;
  const float* HWY_RESTRICT in = job.in;
  const float* HWY_RESTRICT taps = job.taps;
  float* HWY_RESTRICT out = job.out;
  const std::ptrdiff_t plane = job.plane;
  for (int x = 0; x < width; x += 2 * lanes) {
    V low[kSums], high[kSums];
    first_tap(d, hn::Set(d, taps[0]), in + x, plane, low, high);
    for (int k = 1; k < count; ++k) add_tap(d, hn::Set(d, taps[k]), in + x + k, plane, low, high);
    for (int c = 0; c < kSums; ++c) {
      hn::StoreU(low[c], d, out + c * plane + x);
      hn::StoreU(high[c], d, out + c * plane + x + lanes);
    }
  }
}

// Computes lk::solved.
HWY_INLINE void solve(D d, const lk::SolveParams& params, const V* sums, V& du, V& dv) {
  const auto damping = hn::Set(d, params.damping), least = hn::Set(d, params.min_eigenvalue);
  const auto most = hn::Set(d, params.most), negative = hn::Set(d, -params.most);
  const auto a = hn::Add(sums[0], damping), b = sums[1], c = hn::Add(sums[2], damping);
  const auto inverse = hn::Div(hn::Set(d, 1.0F), hn::MulSub(a, c, hn::Mul(b, b)));
  const auto u = hn::Mul(hn::MulSub(b, sums[4], hn::Mul(c, sums[3])), inverse);
  const auto v = hn::Mul(hn::MulSub(b, sums[3], hn::Mul(a, sums[4])), inverse);
  const auto xx = hn::Sub(sums[0], least), yy = hn::Sub(sums[2], least), zero = hn::Zero(d);
  const auto posed =
      hn::And(hn::And(hn::Gt(xx, zero), hn::Gt(yy, zero)), hn::Gt(hn::Mul(xx, yy), hn::Mul(b, b)));
  du = hn::IfThenElseZero(posed, hn::Min(hn::Max(u, negative), most));
  dv = hn::IfThenElseZero(posed, hn::Min(hn::Max(v, negative), most));
}

HWY_INLINE V smaller_eigenvalues(D d, const V* sums) {
  const auto difference = hn::Sub(sums[0], sums[2]), twice = hn::Add(sums[1], sums[1]);
  const auto root = hn::Sqrt(hn::MulAdd(difference, difference, hn::Mul(twice, twice)));
  return hn::Mul(hn::Sub(hn::Add(sums[0], sums[2]), root), hn::Set(d, 0.5F));
}

void solve_row(const SolveJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width, count = job.tap_count;
  const lk::SolveParams params = job.solve;
  const float* const* HWY_RESTRICT rows = job.rows;
  const float* HWY_RESTRICT taps = job.taps;
  const float* HWY_RESTRICT u_in = job.u_in;
  const float* HWY_RESTRICT v_in = job.v_in;
  float* HWY_RESTRICT u_out = job.u_out;
  float* HWY_RESTRICT v_out = job.v_out;
  float* HWY_RESTRICT eigenvalues = job.eigenvalues;
  const std::ptrdiff_t plane = job.plane;
  for (int x = 0; x < width; x += 2 * lanes) {
    V low[kSums], high[kSums];
    first_tap(d, hn::Set(d, taps[0]), rows[0] + x, plane, low, high);
    for (int k = 1; k < count; ++k) add_tap(d, hn::Set(d, taps[k]), rows[k] + x, plane, low, high);
    const auto finish = [&](const V* of, int at) {
      V du, dv;
      solve(d, params, of, du, dv);
      hn::StoreU(hn::Add(hn::LoadU(d, u_in + at), du), d, u_out + at);
      hn::StoreU(hn::Add(hn::LoadU(d, v_in + at), dv), d, v_out + at);
      if (eigenvalues != nullptr) hn::StoreU(smaller_eigenvalues(d, of), d, eigenvalues + at);
    };
    finish(low, x);
    if (x + lanes < width) finish(high, x + lanes);
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

constexpr int kPad =
    32;  // floats that loops may write past the end of a tile's row, including a border column

// The rows that are in memory while a tile is processed.
class TileRows {
 public:
  TileRows(const StepRequest& request, const Tile& tile)
      : request_(request),
        tile_(tile),
        channels_(request.first.channels()),
        radius_(static_cast<int>(request.taps.size()) / 2),
        width_(request.first.features.width()),
        height_(request.first.features.height()),
        begin_(std::max(0, tile.x0 - radius_ - 1)),
        end_(std::min(width_, tile.x1 + radius_ + 1)),
        plane_(tile.x1 - tile.x0 + 2 * (radius_ + 1) + 2 * kPad) {
    const auto lines =
        static_cast<std::size_t>(3 * kWarped * channels_) + kSums + request.taps.size() * kSums + 5;
    memory_.resize(static_cast<std::size_t>(plane_) * lines);
    float* next = memory_.data() + kPad;
    const auto take = [&](int count) { return std::exchange(next, next + count * plane_); };
    for (auto& channels : warped_)
      for (int c = 0; c < channels_; ++c) channels[c] = {take(1), take(1), take(1)};
    products_ = take(kSums);
    for (std::size_t k = 0; k < request.taps.size(); ++k) ring_.push_back(take(kSums));
    places_ = reinterpret_cast<std::int32_t*>(take(1));
    quads_ = reinterpret_cast<std::uint32_t*>(take(1));
    fractions_x_ = take(1);
    fractions_y_ = take(1);
    inside_ = take(1);
  }

  void run() {
    const int ring = 2 * radius_ + 1, across = tile_.x1 - tile_.x0;
    std::vector<const float*> rows(ring_.size());
    for (int y = tile_.y0 - radius_; y < tile_.y1 + radius_; ++y) {
      add_row(y, ring_[static_cast<std::size_t>((y - tile_.y0 + radius_) % ring)]);
      const int out = y - radius_;
      if (out < tile_.y0) continue;
      for (int k = 0; k < ring; ++k)
        rows[static_cast<std::size_t>(k)] =
            ring_[static_cast<std::size_t>((out - tile_.y0 + k) % ring)];
      HWY_DYNAMIC_DISPATCH(solve_row)
      ({rows.data(), plane_, request_.taps.data(), ring, across, request_.solve,
        request_.in.u.row(out) + tile_.x0, request_.in.v.row(out) + tile_.x0, u_line(), v_line(),
        request_.eigenvalues ? eigen_line() : nullptr});
      std::copy_n(u_line(), across, request_.out.u.row(out) + tile_.x0);
      std::copy_n(v_line(), across, request_.out.v.row(out) + tile_.x0);
      if (request_.eigenvalues)
        std::copy_n(eigen_line(), across, request_.eigenvalues->row(out) + tile_.x0);
      if (request_.first.masked()) keep_masked(out);
    }
  }

 private:
  static constexpr int kWarped = 4;  // rows that are kept, of which three are needed at a time

  // Pixels that the mask leaves out keep their flow, however the image is divided.
  void keep_masked(int y) const {
    const std::uint8_t* mask = request_.first.mask.row(y);
    for (int x = tile_.x0; x < tile_.x1; ++x) {
      if (mask[x] != 0) continue;
      request_.out.u.row(y)[x] = request_.in.u.row(y)[x];
      request_.out.v.row(y)[x] = request_.in.v.row(y)[x];
      if (request_.eigenvalues) request_.eigenvalues->row(y)[x] = 0;
    }
  }

  // Results are first written to the warp's scratch: whole vectors are written, and these must not
  // reach the neighbors of a tile.
  float* u_line() { return fractions_x_; }
  float* v_line() { return fractions_y_; }
  float* eigen_line() { return reinterpret_cast<float*>(quads_); }

  // Returns the row of each channel.
  const WarpedRow* warped(int y) {
    const WarpedRow* rows = warped_[static_cast<std::size_t>(y) % kWarped].data();
    if (y <= last_warped_) return rows;
    last_warped_ = y;
    HWY_DYNAMIC_DISPATCH(warp_row)
    ({request_, y, begin_, end_, rows, places_, quads_, fractions_x_, fractions_y_, inside_});
    for (int c = 0; c < channels_; ++c) {
      const WarpedRow& row = rows[c];
      if (request_.first.masked()) leave_out(request_.first.mask.row(y) + begin_, row.weight);
      if (request_.second.masked()) leave_out_second(row.weight);
      if (begin_ == 0) row.sum[-1] = row.sum[0];
      if (end_ == width_) row.sum[end_ - begin_] = row.sum[end_ - begin_ - 1];
    }
    return rows;
  }
  void leave_out(const std::uint8_t* mask, float* weight) const {
    for (int k = 0; k < end_ - begin_; ++k)
      if (mask[k] == 0) weight[k] = 0;
  }
  void leave_out_second(float* weight) const {
    // The mask has the size and so the stride of the features, whose places these are.
    const std::uint8_t* mask = request_.second.mask.row(0);
    for (int k = 0; k < end_ - begin_; ++k)
      if (mask[places_[k]] == 0) weight[k] = 0;
  }

  void add_row(int y, float* out) {
    const int across = tile_.x1 - tile_.x0;
    if (y < 0 || y >= height_) {
      for (int c = 0; c < kSums; ++c) std::fill_n(out + c * plane_, across, 0.0F);
      return;
    }
    const int above = std::max(y - 1, 0), below = std::min(y + 1, height_ - 1);
    const WarpedRow* above_rows = warped(above);
    const WarpedRow* rows = warped(y);
    const WarpedRow* below_rows = warped(below);
    // Products begin one column after the warped pixels, except at the border of the image.
    const int first = begin_ == 0 ? 0 : 1;
    const int count = end_ - begin_ - first - (end_ == width_ ? 0 : 1);
    const int lead = begin_ + first - (tile_.x0 - radius_);  // number of elements outside the image
    const int span = std::max(across + 2 * radius_, lead + count);
    for (int c = 0; c < channels_; ++c) HWY_DYNAMIC_DISPATCH(multiply_row)
    ({above_rows[c].sum + first,
      below_rows[c].sum + first,
      {rows[c].sum + first, rows[c].difference + first, rows[c].weight + first},
      count,
      products_ + lead,
      plane_,
      c > 0});
    for (int c = 0; c < kSums; ++c) {
      float* line = products_ + c * plane_;
      std::fill_n(line, lead, 0.0F);
      std::fill(line + lead + count, line + span, 0.0F);
    }
    HWY_DYNAMIC_DISPATCH(sum_along)
    ({products_, out, plane_, across, request_.taps.data(), 2 * radius_ + 1});
  }

  const StepRequest& request_;
  const Tile tile_;
  const int channels_, radius_, width_, height_;
  const int begin_, end_;  // range of columns that are warped
  const std::ptrdiff_t plane_;
  int last_warped_ = -1;
  std::vector<float> memory_;
  std::array<std::array<WarpedRow, kMostChannels>, kWarped> warped_{};
  float* products_ = nullptr;
  std::vector<float*> ring_;
  std::int32_t* places_ = nullptr;
  std::uint32_t* quads_ = nullptr;
  float* fractions_x_ = nullptr;
  float* fractions_y_ = nullptr;
  float* inside_ = nullptr;
};

}  // namespace

void step(const StepRequest& request, const Exec& exec) {
  for_each_tile(request.first, exec, [&](const Tile& tile, bool needed) {
    if (needed) {
      TileRows(request, tile).run();
      return;
    }
    copy_tile(request.in, request.out, tile);
    for (int y = tile.y0; request.eigenvalues && y < tile.y1; ++y)
      std::fill(request.eigenvalues->row(y) + tile.x0, request.eigenvalues->row(y) + tile.x1, 0.0F);
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
