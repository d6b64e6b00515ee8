// One round of propagation: nine flows are tried at each pixel, its own and those of eight pixels
// some way off. A tile is worked through row by row; for each trial seven rows of sums along the
// row are kept, and their sum down the columns is carried on: integers, so that it is exact.
#include <algorithm>
#include <array>
#include <cstring>

#include "flow/lk/kernels.h"
#include "flow/lk/tiles_cpu.h"

#ifndef FOVEA_FLOW_TRIAL_JOB
#define FOVEA_FLOW_TRIAL_JOB
namespace fovea::flow::cpu {
namespace {

constexpr int kFlows = lk::kTrials + 1;
constexpr int kSide = 2 * lk::kTrialRadius + 1;

struct TrialScratch {
  std::int32_t* places;
  std::uint32_t* quads;
  std::uint16_t* fractions_x;
  std::uint16_t* fractions_y;
  std::uint16_t* outside;  // least difference: kTrialMost where the flow leaves the image
};

// Differences of pixels [begin, begin + count) of row y under the flow in u and v.
struct TrialJob {
  const FrameLevel& first;
  const FrameLevel& second;
  const float* u;
  const float* v;
  int y, begin, count;
  TrialScratch scratch;
  std::uint16_t* out;
};

// Sums of kSide differences along the row, into a ring of rows and the sums down the columns.
struct TrialSumJob {
  const std::uint16_t* differences;  // from kTrialRadius places before the first
  int width;
  std::uint16_t* oldest;  // replaced
  std::uint16_t* total;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/propagate_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using Shorts = hn::ScalableTag<std::uint16_t>;

struct TrialPlaces {
  hn::Vec<DI> index, fraction;
  hn::Mask<DI> inside;
};
HWY_INLINE TrialPlaces trial_places(D d, hn::Vec<DI> x, hn::Vec<D> flow, int size) {
  const DI integers;
  const auto units = hn::MulAdd(flow, hn::Set(d, lk::kTrialUnits), hn::Set(d, 0.5F));
  const auto position = hn::ConvertTo(integers, hn::Floor(units));
  const auto i = hn::Add(x, hn::ShiftRight<4>(position));
  const auto last = hn::Set(integers, size - 1);
  const auto index = hn::Min(hn::Max(i, hn::Zero(integers)), last);
  const auto inside = hn::Eq(i, index);
  const auto fraction = hn::And(position, hn::Set(integers, lk::kTrialUnits - 1));
  return {index, hn::IfThenElseZero(hn::And(inside, hn::Lt(i, last)), fraction), inside};
}

void try_row(const TrialJob& job) {
  const D d;
  const DI integers;
  const hn::Rebind<std::uint16_t, DI> halves;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Plane<std::uint8_t>& second = job.second.features;
  const TrialScratch& to = job.scratch;
  const auto stride = hn::Set(integers, static_cast<std::int32_t>(second.stride()));
  const auto row = hn::Set(integers, job.y);
  const auto worst = hn::Set(integers, lk::kTrialMost);
  for (int k = 0; k < job.count; k += lanes) {
    const auto x = trial_places(d, hn::Iota(integers, job.begin + k),
                                hn::LoadU(d, job.u + job.begin + k), second.width());
    const auto y = trial_places(d, row, hn::LoadU(d, job.v + job.begin + k), second.height());
    hn::StoreU(hn::Add(hn::Mul(y.index, stride), x.index), integers, to.places + k);
    hn::StoreU(hn::DemoteTo(halves, x.fraction), halves, to.fractions_x + k);
    hn::StoreU(hn::DemoteTo(halves, y.fraction), halves, to.fractions_y + k);
    const auto outside = hn::IfThenZeroElse(hn::And(x.inside, y.inside), worst);
    hn::StoreU(hn::DemoteTo(halves, outside), halves, to.outside + k);
  }
  const std::uint8_t* base = second.row(0);
  const std::ptrdiff_t below = second.stride();
  for (int k = 0; k < job.count; ++k) {
    const std::uint8_t* at = base + to.places[k];
    std::uint16_t upper, lower;
    std::memcpy(&upper, at, 2);
    std::memcpy(&lower, at + below, 2);
    to.quads[k] = upper | static_cast<std::uint32_t>(lower) << 16;
  }
  const Shorts shorts;
  const hn::Rebind<std::uint8_t, Shorts> bytes;
  const int step = static_cast<int>(hn::Lanes(shorts));
  const std::uint8_t* first = job.first.features.row(job.y) + job.begin;
  const auto byte = hn::Set(shorts, 255);
  for (int k = 0; k < job.count; k += step) {
    auto upper = hn::Zero(shorts), lower = upper;
    hn::LoadInterleaved2(shorts, reinterpret_cast<const std::uint16_t*>(to.quads + k), upper,
                         lower);
    const auto fx = hn::LoadU(shorts, to.fractions_x + k);
    const auto fy = hn::LoadU(shorts, to.fractions_y + k);
    // Wrapping differences: only the blend has to fit.
    const auto along = [&](hn::Vec<Shorts> pair) {
      const auto a = hn::And(pair, byte), b = hn::ShiftRight<8>(pair);
      return hn::Add(hn::ShiftLeft<4>(a), hn::Mul(hn::Sub(b, a), fx));
    };
    const auto above = along(upper), under = along(lower);
    const auto warped = hn::Add(hn::ShiftLeft<4>(above), hn::Mul(hn::Sub(under, above), fy));
    const auto here = hn::ShiftLeft<8>(hn::PromoteTo(shorts, hn::LoadU(bytes, first + k)));
    const auto difference =
        hn::ShiftRight<6>(hn::Sub(hn::Max(warped, here), hn::Min(warped, here)));
    hn::StoreU(hn::Max(difference, hn::LoadU(shorts, to.outside + k)), shorts, job.out + k);
  }
}

void sum_trial(const TrialSumJob& job) {
  const Shorts d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < job.width; x += lanes) {
    auto sum = hn::LoadU(d, job.differences + x);
    for (int k = 1; k < kSide; ++k) sum = hn::Add(sum, hn::LoadU(d, job.differences + x + k));
    const auto gone = hn::LoadU(d, job.oldest + x);
    hn::StoreU(sum, d, job.oldest + x);
    hn::StoreU(hn::Add(hn::LoadU(d, job.total + x), hn::Sub(sum, gone)), d, job.total + x);
  }
}

// The first trial among those of the least sum.
void find_best(const std::array<std::uint16_t*, kFlows>& totals, int width, std::uint16_t* best) {
  const Shorts d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    auto least = hn::LoadU(d, totals[0] + x), index = hn::Zero(d);
    for (int k = 1; k < kFlows; ++k) {
      const auto total = hn::LoadU(d, totals[k] + x);
      index =
          hn::IfThenElse(hn::Lt(total, least), hn::Set(d, static_cast<std::uint16_t>(k)), index);
      least = hn::Min(least, total);
    }
    hn::StoreU(index, d, best + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(try_row);
HWY_EXPORT(sum_trial);
HWY_EXPORT(find_best);

constexpr int kPad = 64;  // elements that loops may run past a row of a tile

class TrialTile {
 public:
  TrialTile(const PropagateRequest& request, const Tile& tile)
      : request_(request),
        tile_(tile),
        width_(request.first.features.width()),
        height_(request.first.features.height()),
        begin_(std::max(0, tile.x0 - lk::kTrialRadius)),
        end_(std::min(width_, tile.x1 + lk::kTrialRadius)) {
    const int row = tile.x1 - tile.x0 + 2 * lk::kTrialRadius + kPad;
    shorts_.resize(static_cast<std::size_t>(row) * (kFlows * (kSide + 1) + 5));
    words_.resize(static_cast<std::size_t>(row) * 2);
    std::uint16_t* next = shorts_.data();
    const auto take = [&] { return std::exchange(next, next + row); };
    for (auto& ring : rings_)
      for (std::uint16_t*& line : ring) line = take();
    for (std::uint16_t*& line : totals_) line = take();
    differences_ = take();
    best_ = take();
    scratch_ = {reinterpret_cast<std::int32_t*>(words_.data()), words_.data() + row, take(), take(),
                take()};
  }

  void run() {
    for (int y = tile_.y0 - lk::kTrialRadius; y < tile_.y1 + lk::kTrialRadius; ++y) {
      add_row(y);
      if (const int out = y - lk::kTrialRadius; out >= tile_.y0) choose(out);
    }
  }

 private:
  // The row whose flow trial k takes for row y, from where pixel 0 finds its own.
  std::ptrdiff_t shifted(int y, int k) const {
    if (k == 0) return y * request_.in.u.stride();
    const lk::Offset offset = lk::kTrialOffsets[k - 1];
    return lk::clamped(y + offset.y * request_.distance, height_) * request_.in.u.stride() +
           offset.x * request_.distance;
  }

  void add_row(int y) {
    const int across = tile_.x1 - tile_.x0;
    const int slot = (y - tile_.y0 + lk::kTrialRadius) % kSide;
    const int lead = begin_ - (tile_.x0 - lk::kTrialRadius), count = end_ - begin_;
    for (int k = 0; k < kFlows; ++k) {
      if (y < 0 || y >= height_) {
        std::fill_n(differences_, across + 2 * lk::kTrialRadius, std::uint16_t{0});
      } else {
        const std::ptrdiff_t at = shifted(y, k);
        HWY_DYNAMIC_DISPATCH(try_row)
        ({request_.first, request_.second, request_.in.u.row(0) + at, request_.in.v.row(0) + at, y,
          begin_, count, scratch_, differences_ + lead});
        std::fill_n(differences_, lead, std::uint16_t{0});
        std::fill(differences_ + lead + count,
                  differences_ + std::max(across + 2 * lk::kTrialRadius, lead + count),
                  std::uint16_t{0});
        if (request_.first.masked()) {
          const std::uint8_t* mask = request_.first.mask.row(y) + begin_;
          for (int x = 0; x < count; ++x)
            if (mask[x] == 0) differences_[lead + x] = 0;
        }
      }
      HWY_DYNAMIC_DISPATCH(sum_trial)({differences_, across, rings_[k][slot], totals_[k]});
    }
  }

  void choose(int y) {
    HWY_DYNAMIC_DISPATCH(find_best)(totals_, tile_.x1 - tile_.x0, best_);
    std::array<std::ptrdiff_t, kFlows> from;
    for (int k = 0; k < kFlows; ++k) from[k] = shifted(y, k);
    const float* u = request_.in.u.row(0);
    const float* v = request_.in.v.row(0);
    float* u_out = request_.out.u.row(y);
    float* v_out = request_.out.v.row(y);
    for (int x = tile_.x0; x < tile_.x1; ++x) {
      const std::ptrdiff_t at = from[best_[x - tile_.x0]] + x;
      u_out[x] = u[at];
      v_out[x] = v[at];
    }
  }

  const PropagateRequest& request_;
  const Tile tile_;
  const int width_, height_;
  const int begin_, end_;  // columns that are compared
  std::vector<std::uint16_t> shorts_;
  std::vector<std::uint32_t> words_;
  std::array<std::array<std::uint16_t*, kSide>, kFlows> rings_{};
  std::array<std::uint16_t*, kFlows> totals_{};
  std::uint16_t* differences_ = nullptr;
  std::uint16_t* best_ = nullptr;
  TrialScratch scratch_{};
};

void repeat_margins(Plane<float>& plane, int places, const Exec& exec) {
  const int width = plane.width();
  parallel_for(exec, plane.height(), 256, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      float* row = plane.row(y);
      std::fill_n(row - places, places, row[0]);
      std::fill_n(row + width, places, row[width - 1]);
    }
  });
}

}  // namespace

void propagate(const PropagateRequest& request, const Exec& exec) {
  repeat_margins(request.in.u, request.distance, exec);
  repeat_margins(request.in.v, request.distance, exec);
  for_each_tile(request.first, exec, [&](const Tile& tile, bool needed) {
    if (needed) {
      TrialTile(request, tile).run();
      return;
    }
    copy_tile(request.in, request.out, tile);
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
