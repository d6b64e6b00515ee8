// One round of propagation: nine flows are tried at each pixel, its own and those of eight pixels
// some distance away. A tile is processed row by row. For each trial seven rows of sums along the
// row are kept, and their sum down the columns is updated from row to row; it is exact, because all
// numbers are integers.
#include <algorithm>
#include <array>
#include <span>

#include "flow/lk/lucas_kanade_cpu.h"
#include "flow/lk/lucas_kanade_tiles_cpu.h"

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
  std::uint16_t* outside;  // least difference: kTrialMost if the flow leaves the image
};

// Computes the differences of pixels [begin, begin + count) of row y under the flow in u and v.
struct TrialJob {
  const FrameLevel& first;
  const FrameLevel& second;
  const float* u;
  const float* v;
  int y, begin, count;
  TrialScratch scratch;
  std::uint16_t* out;
};

// Sums kSide differences along the row into a ring of rows, and updates the sums down the columns.
struct TrialSumJob {
  const std::uint16_t* differences;  // begins kTrialRadius elements before the first pixel
  int width;
  std::uint16_t* oldest;  // the row of the ring that is replaced
  std::uint16_t* total;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/lucas_kanade_propagate_cpu.cpp"
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
using Costs16 = hn::ScalableTag<std::uint16_t>;

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

// Computes where the row's pixels land in the second image.
HWY_INLINE void place_row(const TrialJob& job) {
  const D d;
  const DI integers;
  const hn::Rebind<std::uint16_t, DI> halves;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int width = job.second.features.width(), height = job.second.features.height();
  const int count = job.count;
  const float* HWY_RESTRICT u = job.u + job.begin;
  const float* HWY_RESTRICT v = job.v + job.begin;
  std::int32_t* HWY_RESTRICT places = job.scratch.places;
  std::uint16_t* HWY_RESTRICT fractions_x = job.scratch.fractions_x;
  std::uint16_t* HWY_RESTRICT fractions_y = job.scratch.fractions_y;
  std::uint16_t* HWY_RESTRICT outside = job.scratch.outside;
  const auto stride = hn::Set(integers, static_cast<std::int32_t>(job.second.features.stride()));
  const auto row = hn::Set(integers, job.y), step = hn::Set(integers, lanes);
  const auto worst = hn::Set(integers, lk::kTrialMost);
  auto column = hn::Iota(integers, job.begin);
  for (int k = 0; k < count; k += lanes) {
    const auto x = trial_places(d, column, hn::LoadU(d, u + k), width);
    const auto y = trial_places(d, row, hn::LoadU(d, v + k), height);
    column = hn::Add(column, step);
    hn::StoreU(hn::Add(hn::Mul(y.index, stride), x.index), integers, places + k);
    hn::StoreU(hn::DemoteTo(halves, x.fraction), halves, fractions_x + k);
    hn::StoreU(hn::DemoteTo(halves, y.fraction), halves, fractions_y + k);
    const auto beyond = hn::IfThenZeroElse(hn::And(x.inside, y.inside), worst);
    hn::StoreU(hn::DemoteTo(halves, beyond), halves, outside + k);
  }
}

// Which channel is compared: the only one, or the first, a middle or the last of several, whose
// differences are averaged.
enum class Turn : unsigned char { kOnly, kFirst, kMiddle, kLast };

// Computes the third of a sum of three differences, each at most 1020, without rest.
HWY_INLINE hn::Vec<Costs16> third_of(hn::Vec<Costs16> sum) {
  return hn::MulHigh(sum, hn::Set(Costs16(), lk::kThird));
}

template <Turn kTurn>
HWY_INLINE void try_channel(const TrialJob& job, int channel) {
  gather_row(job.second.channel(channel), job.scratch.places, job.count, job.scratch.quads);
  const Costs16 d;
  const hn::Rebind<std::uint8_t, Costs16> bytes;
  const int lanes = static_cast<int>(hn::Lanes(d)), count = job.count;
  const auto* HWY_RESTRICT quads = reinterpret_cast<const std::uint16_t*>(job.scratch.quads);
  const std::uint8_t* HWY_RESTRICT first = job.first.channel(channel).row(job.y) + job.begin;
  const std::uint16_t* HWY_RESTRICT fractions_x = job.scratch.fractions_x;
  const std::uint16_t* HWY_RESTRICT fractions_y = job.scratch.fractions_y;
  const std::uint16_t* HWY_RESTRICT outside = job.scratch.outside;
  std::uint16_t* HWY_RESTRICT out = job.out;
  const auto byte = hn::Set(d, 255);
  for (int k = 0; k < count; k += lanes) {
    auto upper = hn::Zero(d), lower = upper;
    hn::LoadInterleaved2(d, quads + 2 * k, upper, lower);
    const auto fx = hn::LoadU(d, fractions_x + k), fy = hn::LoadU(d, fractions_y + k);
    // Differences may wrap around: only the blended result has to fit.
    const auto along = [&](hn::Vec<Costs16> pair) {
      const auto a = hn::And(pair, byte), b = hn::ShiftRight<8>(pair);
      return hn::Add(hn::ShiftLeft<4>(a), hn::Mul(hn::Sub(b, a), fx));
    };
    const auto above = along(upper), under = along(lower);
    const auto warped = hn::Add(hn::ShiftLeft<4>(above), hn::Mul(hn::Sub(under, above), fy));
    const auto here = hn::ShiftLeft<8>(hn::PromoteTo(d, hn::LoadU(bytes, first + k)));
    const auto difference = hn::Sub(hn::Max(warped, here), hn::Min(warped, here));
    auto total = hn::ShiftRight<6>(difference);
    if constexpr (kTurn == Turn::kMiddle || kTurn == Turn::kLast)
      total = hn::Add(total, hn::LoadU(d, out + k));
    if constexpr (kTurn == Turn::kLast) total = third_of(total);
    if constexpr (kTurn == Turn::kOnly || kTurn == Turn::kLast)
      total = hn::Max(total, hn::LoadU(d, outside + k));
    hn::StoreU(total, d, out + k);
  }
}

void try_row(const TrialJob& job) {
  place_row(job);
  if (job.first.channels() == 1) return try_channel<Turn::kOnly>(job, 0);
  try_channel<Turn::kFirst>(job, 0);
  try_channel<Turn::kMiddle>(job, 1);
  try_channel<Turn::kLast>(job, 2);
}

void sum_trial(const TrialSumJob& job) {
  const Costs16 d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width;
  const std::uint16_t* HWY_RESTRICT differences = job.differences;
  std::uint16_t* HWY_RESTRICT oldest = job.oldest;
  std::uint16_t* HWY_RESTRICT total = job.total;
  for (int x = 0; x < width; x += lanes) {
    auto sum = hn::LoadU(d, differences + x);
    for (int k = 1; k < kSide; ++k) sum = hn::Add(sum, hn::LoadU(d, differences + x + k));
    const auto gone = hn::LoadU(d, oldest + x);
    hn::StoreU(sum, d, oldest + x);
    hn::StoreU(hn::Add(hn::LoadU(d, total + x), hn::Sub(sum, gone)), d, total + x);
  }
}

// Finds the trial with the least sum, the first of equals.
void find_best(std::span<std::uint16_t* const> totals, int width, std::uint16_t* best) {
  const Costs16 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    auto least = hn::LoadU(d, totals[0] + x), index = hn::Zero(d);
    for (std::size_t k = 1; k < totals.size(); ++k) {
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

constexpr int kPad = 64;  // elements that loops may write past the end of a tile's row

// The flows that are tried at each pixel: its own, then those of pixels some distance away.
struct Trials {
  const FrameLevel& first;
  const FrameLevel& second;
  const Field& flow;
  std::vector<lk::Offset> offsets;
};

class TrialTile {
 public:
  TrialTile(const Trials& trials, const Tile& tile)
      : trials_(trials),
        tile_(tile),
        width_(trials.first.features.width()),
        height_(trials.first.features.height()),
        begin_(std::max(0, tile.x0 - lk::kTrialRadius)),
        end_(std::min(width_, tile.x1 + lk::kTrialRadius)),
        flows_(static_cast<int>(trials.offsets.size())) {
    const int row = tile.x1 - tile.x0 + 2 * lk::kTrialRadius + kPad;
    shorts_.resize(static_cast<std::size_t>(row) * (trials.offsets.size() * (kSide + 1) + 5));
    words_.resize(static_cast<std::size_t>(row) * 2);
    std::uint16_t* next = shorts_.data();
    const auto take = [&] { return std::exchange(next, next + row); };
    for (int k = 0; k < flows_; ++k) {
      for (std::uint16_t*& line : rings_[k]) line = take();
      totals_[k] = take();
    }
    differences_ = take();
    best_ = take();
    scratch_ = {reinterpret_cast<std::int32_t*>(words_.data()), words_.data() + row, take(), take(),
                take()};
  }

  // Calls finish(y, sums), where the sums are those of the trials' differences around each pixel of
  // the row.
  template <class Finish>
  void run(const Finish& finish) {
    for (int y = tile_.y0 - lk::kTrialRadius; y < tile_.y1 + lk::kTrialRadius; ++y) {
      for (int k = 0; k < flows_; ++k) add_row(y, k);
      if (const int out = y - lk::kTrialRadius; out >= tile_.y0)
        finish(out, std::span<std::uint16_t* const>(totals_.data(), trials_.offsets.size()));
    }
  }

  void choose(int y, std::span<std::uint16_t* const> totals, Field& out) {
    HWY_DYNAMIC_DISPATCH(find_best)(totals, tile_.x1 - tile_.x0, best_);
    std::array<std::ptrdiff_t, kFlows> from{};
    for (int k = 0; k < flows_; ++k) from[k] = shifted(y, k);
    const float* u = trials_.flow.u.row(0);
    const float* v = trials_.flow.v.row(0);
    float* u_out = out.u.row(y);
    float* v_out = out.v.row(y);
    const std::uint8_t* mask = trials_.first.masked() ? trials_.first.mask.row(y) : nullptr;
    for (int x = tile_.x0; x < tile_.x1; ++x) {
      // Pixels that the mask leaves out keep their flow, however the image is divided.
      const bool counts = mask == nullptr || mask[x] != 0;
      const std::ptrdiff_t at = from[counts ? best_[x - tile_.x0] : 0] + x;
      u_out[x] = u[at];
      v_out[x] = v[at];
    }
  }

 private:
  // Returns the offset from the field's first pixel to the one whose flow is tried at pixel 0 of
  // row y.
  std::ptrdiff_t shifted(int y, int k) const {
    const lk::Offset offset = trials_.offsets[static_cast<std::size_t>(k)];
    return lk::clamped(y + offset.y, height_) * trials_.flow.u.stride() + offset.x;
  }

  void add_row(int y, int k) {
    const int across = tile_.x1 - tile_.x0, span = across + 2 * lk::kTrialRadius;
    const int slot = (y - tile_.y0 + lk::kTrialRadius) % kSide;
    const int lead = begin_ - (tile_.x0 - lk::kTrialRadius), count = end_ - begin_;
    if (y < 0 || y >= height_) {
      std::fill_n(differences_, span, std::uint16_t{0});
    } else {
      const std::ptrdiff_t at = shifted(y, k);
      HWY_DYNAMIC_DISPATCH(try_row)
      ({trials_.first, trials_.second, trials_.flow.u.row(0) + at, trials_.flow.v.row(0) + at, y,
        begin_, count, scratch_, differences_ + lead});
      std::fill_n(differences_, lead, std::uint16_t{0});
      std::fill(differences_ + lead + count, differences_ + std::max(span, lead + count),
                std::uint16_t{0});
      if (trials_.first.masked()) {
        const std::uint8_t* mask = trials_.first.mask.row(y) + begin_;
        for (int x = 0; x < count; ++x)
          if (mask[x] == 0) differences_[lead + x] = 0;
      }
    }
    HWY_DYNAMIC_DISPATCH(sum_trial)
    ({differences_, across, rings_[k][static_cast<std::size_t>(slot)], totals_[k]});
  }

  const Trials& trials_;
  const Tile tile_;
  const int width_, height_;
  const int begin_, end_;  // range of columns that are compared
  const int flows_;
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
  Trials trials{request.first, request.second, request.in, {{0, 0}}};
  for (int k = request.first_trial; k < request.last_trial; ++k)
    trials.offsets.push_back(
        {lk::kTrialOffsets[k].x * request.distance, lk::kTrialOffsets[k].y * request.distance});
  for_each_tile(request.first, exec, [&](const Tile& tile, bool needed) {
    if (!needed) return copy_tile(request.in, request.out, tile);
    TrialTile rows(trials, tile);
    rows.run([&](int y, auto totals) { rows.choose(y, totals, request.out); });
  });
}

void find_residuals(const ResidualRequest& request, const Exec& exec) {
  const Trials trials{request.first, request.second, request.flow, {{0, 0}}};
  for_each_tile(request.first, exec, [&](const Tile& tile, bool needed) {
    if (!needed) return;
    TrialTile rows(trials, tile);
    rows.run([&](int y, auto totals) {
      std::copy_n(totals[0], tile.x1 - tile.x0, request.out.row(y) + tile.x0);
    });
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
