// A frame's levels: grey units, halved from level to level, and their rank transform, all in 16-bit
// lanes. The rows of a level carry mirrored margins, so that no loop tests for a border.
#include <algorithm>
#include <array>

#include "flow/lk/lucas_kanade_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/lucas_kanade_features_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row of grey levels in units; fills its margins.
void quantise_row(const float* HWY_RESTRICT in, int width, std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<std::uint16_t, decltype(d)> shorts;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, 0.5F), units = hn::Set(d, lk::kGreyUnits);
  const auto most = hn::Set(d, lk::kGreyMost);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto value = hn::Add(hn::Mul(hn::LoadU(d, in + x), units), half);
    // A NaN fails the comparison.
    const auto positive = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);
    const auto whole = hn::ConvertTo(integers, hn::Min(positive, most));
    hn::StoreU(hn::DemoteTo(shorts, whole), shorts, out + x);
  }
  for (; x < width; ++x) out[x] = static_cast<std::uint16_t>(lk::quantised(in[x]));
}

// [1 4 6 4 1] of five rows.
void halve_columns(const std::array<const std::uint16_t*, 5>& rows, int width,
                   std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto outer = hn::Add(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[4] + x));
    const auto inner = hn::Add(hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[3] + x));
    const auto centre = hn::LoadU(d, rows[2] + x);
    const auto six = hn::Add(hn::ShiftLeft<2>(centre), hn::ShiftLeft<1>(centre));
    hn::StoreU(hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six), d, out + x);
  }
}

// The same along a row, every second place; `in` starts two places before the first.
void halve_along(const std::uint16_t* HWY_RESTRICT in, int out_width,
                 std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<std::uint16_t, decltype(d)> shorts;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto low = hn::Set(d, 0xFFFF);
  const auto pairs = [&](const std::uint16_t* from) {
    return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint16_t, decltype(d)>(), from));
  };
  for (int x = 0; x < out_width; x += lanes) {
    const auto p0 = pairs(in + 2 * x), p1 = pairs(in + 2 * x + 2), p2 = pairs(in + 2 * x + 4);
    const auto outer = hn::Add(hn::And(p0, low), hn::And(p2, low));
    const auto inner = hn::Add(hn::ShiftRight<16>(p0), hn::ShiftRight<16>(p1));
    const auto centre = hn::And(p1, low);
    const auto six = hn::Add(hn::ShiftLeft<2>(centre), hn::ShiftLeft<1>(centre));
    const auto sum = hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six);
    const auto rounded = hn::ShiftRight<8>(hn::Add(sum, hn::Set(d, 128)));
    hn::StoreU(hn::DemoteTo(shorts, hn::BitCast(integers, rounded)), shorts, out + x);
  }
}

using RankRows = std::array<const std::uint16_t*, 2 * lk::kRankRadius + 1>;

// Votes are summed as what they leave of the neighbour: sum of clamp(n, c - soft, c + soft), which
// may wrap and still differs from 49 c by the sum of votes.
void rank_row(const RankRows& rows, int width, std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto soft = hn::Set(d, lk::kRankSoft), offset = hn::Set(d, lk::kRankOffset);
  const auto count = hn::Set(d, lk::kRankNeighbours + 1);
  for (int x = 0; x < width; x += lanes) {
    const auto centre = hn::LoadU(d, rows[lk::kRankRadius] + x);
    const auto low = hn::SaturatedSub(centre, soft), high = hn::Add(centre, soft);
    auto sum0 = hn::Zero(d), sum1 = sum0;
    for (const std::uint16_t* row : rows) {
      const auto kept = [&](int k) {
        return hn::Min(hn::Max(hn::LoadU(d, row + x + k), low), high);
      };
      sum0 = hn::Add(sum0, hn::Add(kept(-3), kept(-2)));
      sum1 = hn::Add(sum1, hn::Add(kept(-1), kept(0)));
      sum0 = hn::Add(sum0, hn::Add(kept(1), kept(2)));
      sum1 = hn::Add(sum1, kept(3));
    }
    const auto votes = hn::Sub(hn::Mul(centre, count), hn::Add(sum0, sum1));
    const auto ranked = hn::ShiftRight<lk::kRankShift>(hn::Add(votes, offset));
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(integers, ranked)), bytes, out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(quantise_row);
HWY_EXPORT(halve_columns);
HWY_EXPORT(halve_along);
HWY_EXPORT(rank_row);

constexpr int kRowsPerTask = 32;
constexpr int kMirrored = 4;  // places of a margin that are read as pixels

void mirror_margins(std::uint16_t* row, int width) {
  for (int k = 1; k <= kMirrored; ++k) {
    row[-k] = row[lk::mirrored(-k, width)];
    row[width - 1 + k] = row[lk::mirrored(width - 1 + k, width)];
  }
}

// A pixel of a level whose finer level has a mask: the mean of those that count, if any does.
std::uint16_t masked_half(const Grey& grey, int x, int y) {
  int sum = 0, weights = 0;
  for (int j = 0; j < 5; ++j) {
    const std::uint16_t* row = grey.row(lk::mirrored(2 * y + j - 2, grey.height()));
    for (int i = 0; i < 5; ++i) {
      const int value = row[lk::mirrored(2 * x + i - 2, grey.width())];
      if (value == lk::kNoGrey) continue;
      const int weight = lk::kHalveTaps[i] * lk::kHalveTaps[j];
      sum += weight * value;
      weights += weight;
    }
  }
  return static_cast<std::uint16_t>(weights == 0 ? lk::kNoGrey : (sum + weights / 2) / weights);
}

std::uint8_t masked_rank(const Grey& grey, int x, int y) {
  const int centre = grey.row(y)[x];
  if (centre == lk::kNoGrey) return 0;
  int votes = 0, neighbours = -1;  // less the pixel itself
  for (int j = -lk::kRankRadius; j <= lk::kRankRadius; ++j) {
    const std::uint16_t* row = grey.row(lk::mirrored(y + j, grey.height())) + x;
    for (int i = -lk::kRankRadius; i <= lk::kRankRadius; ++i) {
      if (row[i] == lk::kNoGrey) continue;
      votes += lk::rank_vote(centre, row[i]);
      ++neighbours;
    }
  }
  return static_cast<std::uint8_t>(lk::ranked(lk::whole_votes(votes, neighbours)));
}

}  // namespace

void quantise(ImageView<const float> grey, ImageView<const std::uint8_t> mask, Grey& out,
              const Exec& exec) {
  out.resize(grey.width, grey.height);
  parallel_for(exec, grey.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint16_t* row = out.row(y);
      HWY_DYNAMIC_DISPATCH(quantise_row)(grey.row(y), grey.width, row);
      for (int x = 0; x < mask.width; ++x)
        if (mask.at(x, y) == 0) row[x] = lk::kNoGrey;
      mirror_margins(row, grey.width);
    }
  });
}

void halve(const Grey& grey, bool masked, Grey& out, const Exec& exec) {
  out.resize((grey.width() + 1) / 2, (grey.height() + 1) / 2);
  parallel_for(exec, out.height(), kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    Plane<std::uint16_t> line;
    line.resize(grey.width(), 1);
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint16_t* row = out.row(y);
      if (masked) {
        for (int x = 0; x < out.width(); ++x) row[x] = masked_half(grey, x, y);
      } else {
        std::array<const std::uint16_t*, 5> rows;
        for (int k = 0; k < 5; ++k) rows[k] = grey.row(lk::mirrored(2 * y + k - 2, grey.height()));
        HWY_DYNAMIC_DISPATCH(halve_columns)(rows, grey.width(), line.row(0));
        mirror_margins(line.row(0), grey.width());
        HWY_DYNAMIC_DISPATCH(halve_along)(line.row(0) - 2, out.width(), row);
      }
      mirror_margins(row, out.width());
    }
  });
}

void find_features(const Grey& grey, bool masked, bool rank, FrameLevel& out, const Exec& exec) {
  const int width = grey.width(), height = grey.height();
  out.features.resize(width, height);
  if (masked) out.mask.resize(width, height);
  else out.mask.release();
  parallel_for(exec, height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint8_t* row = out.features.row(y);
      const std::uint16_t* centre = grey.row(y);
      if (masked && rank) {
        for (int x = 0; x < width; ++x) row[x] = masked_rank(grey, x, y);
      } else if (rank) {
        std::array<const std::uint16_t*, 2 * lk::kRankRadius + 1> rows;
        for (int k = -lk::kRankRadius; k <= lk::kRankRadius; ++k)
          rows[k + lk::kRankRadius] = grey.row(lk::mirrored(y + k, height));
        HWY_DYNAMIC_DISPATCH(rank_row)(rows, width, row);
      } else {
        for (int x = 0; x < width; ++x)
          row[x] = static_cast<std::uint8_t>(lk::least(lk::unranked(centre[x]), 255));
      }
      for (int x = 0; masked && x < width; ++x)
        out.mask.row(y)[x] = centre[x] == lk::kNoGrey ? 0 : 1;
      row[width] = row[width - 1];
    }
  });
  std::copy_n(out.features.row(height - 1), width + 1, out.features.row(height));
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
