// A frame's levels: gray units, halved from level to level, and their rank transform, all in 16-bit
// lanes. The rows of a level have mirrored margins, so that no loop tests for a border.
#include <algorithm>
#include <array>
#include <optional>

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

// Converts a row of gray levels to units and fills its margins.
void quantize_row(const float* HWY_RESTRICT in, int width, std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<std::uint16_t, decltype(d)> shorts;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, 0.5F), units = hn::Set(d, lk::kGrayUnits);
  const auto most = hn::Set(d, lk::kGrayMost);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto value = hn::Add(hn::Mul(hn::LoadU(d, in + x), units), half);
    // A NaN fails the comparison.
    const auto positive = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);
    const auto whole = hn::ConvertTo(integers, hn::Min(positive, most));
    hn::StoreU(hn::DemoteTo(shorts, whole), shorts, out + x);
  }
  for (; x < width; ++x) out[x] = static_cast<std::uint16_t>(lk::quantized(in[x]));
}

// Weights five rows by [1 4 6 4 1].
void halve_columns(const std::array<const std::uint16_t*, 5>& rows, int width,
                   std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint16_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto outer = hn::Add(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[4] + x));
    const auto inner = hn::Add(hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[3] + x));
    const auto center = hn::LoadU(d, rows[2] + x);
    const auto six = hn::Add(hn::ShiftLeft<2>(center), hn::ShiftLeft<1>(center));
    hn::StoreU(hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six), d, out + x);
  }
}

// Does the same along a row, for every second pixel; `in` starts two pixels before the first.
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
    const auto center = hn::And(p1, low);
    const auto six = hn::Add(hn::ShiftLeft<2>(center), hn::ShiftLeft<1>(center));
    const auto sum = hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six);
    const auto rounded = hn::ShiftRight<8>(hn::Add(sum, hn::Set(d, 128)));
    hn::StoreU(hn::DemoteTo(shorts, hn::BitCast(integers, rounded)), shorts, out + x);
  }
}

using RankRows = std::array<const std::uint16_t*, 2 * lk::kRankRadius + 1>;

// Instead of votes this sums clamp(n, c - soft, c + soft) over the neighbors n. The sum may wrap
// around; its difference from 49 c is still the sum of votes.
void rank_row(const RankRows& rows, int width, std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto soft = hn::Set(d, lk::kRankSoft), offset = hn::Set(d, lk::kRankOffset);
  const auto count = hn::Set(d, lk::kRankNeighbors + 1);
  for (int x = 0; x < width; x += lanes) {
    const auto center = hn::LoadU(d, rows[lk::kRankRadius] + x);
    const auto low = hn::SaturatedSub(center, soft), high = hn::Add(center, soft);
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
    const auto votes = hn::Sub(hn::Mul(center, count), hn::Add(sum0, sum1));
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

HWY_EXPORT(quantize_row);
HWY_EXPORT(halve_columns);
HWY_EXPORT(halve_along);
HWY_EXPORT(rank_row);

using RankRowsOf = std::array<const std::uint16_t*, 2 * lk::kRankRadius + 1>;

constexpr int kMirrored = 4;  // elements of a margin that are read as pixels

void mirror_margins(std::uint16_t* row, int width) {
  for (int k = 1; k <= kMirrored; ++k) {
    row[-k] = row[lk::mirrored(-k, width)];
    row[width - 1 + k] = row[lk::mirrored(width - 1 + k, width)];
  }
}

// Computes a pixel of a level whose finer level has a mask: the mean of the pixels that count, if
// there are any.
std::uint16_t masked_half(const Gray& gray, int x, int y) {
  int sum = 0, weights = 0;
  for (int j = 0; j < 5; ++j) {
    const std::uint16_t* row = gray.row(lk::mirrored(2 * y + j - 2, gray.height()));
    for (int i = 0; i < 5; ++i) {
      const int value = row[lk::mirrored(2 * x + i - 2, gray.width())];
      if (value == lk::kNoGray) continue;
      const int weight = lk::kHalveTaps[i] * lk::kHalveTaps[j];
      sum += weight * value;
      weights += weight;
    }
  }
  return static_cast<std::uint16_t>(weights == 0 ? lk::kNoGray : (sum + weights / 2) / weights);
}

// Whether pixels count in parts of the rows and a little around them. Where all or none do, the
// mask costs nothing.
class CountingParts {
 public:
  static constexpr int kLength = 32;  // pixels; a multiple of every vector
  static constexpr int kAround = 3;

  CountingParts(const Gray& gray, const Exec& exec)
      : height_(gray.height()), parts_((gray.width() + kLength - 1) / kLength) {
    some_.resize(static_cast<std::size_t>(parts_) * height_);
    const int width = gray.width();
    for_rows(exec, height_, [&](std::int64_t first, std::int64_t last) {
      for (int y = static_cast<int>(first); y < last; ++y)
        for (int k = 0; k < parts_; ++k) {
          const std::uint16_t* row = gray.row(y);
          int left_out = 0;
          const int begin = k * kLength - kAround;
          const int end = std::min((k + 1) * kLength, width) + kAround;
          for (int x = begin; x < end; ++x) left_out += row[x] == lk::kNoGray ? 1 : 0;
          some_[at(k, y)] = static_cast<std::uint8_t>((left_out < end - begin ? kCounts : 0) |
                                                      (left_out > 0 ? kLeftOut : 0));
        }
    });
  }
  // What there is in parts [first, last] of rows [top, bottom], which are mirrored at the border.
  int in(int first, int last, int top, int bottom) const {
    int found = 0;
    for (int y = top; y <= bottom; ++y)
      for (int k = first; k <= std::min(last, parts_ - 1); ++k)
        found |= some_[at(k, lk::mirrored(y, height_))];
    return found;
  }
  static constexpr int kCounts = 1, kLeftOut = 2;

 private:
  std::size_t at(int k, int y) const { return static_cast<std::size_t>(y) * parts_ + k; }
  int height_, parts_;
  std::vector<std::uint8_t> some_;
};

// Calls body(first pixel, number of pixels, what(part)) for runs of parts that are alike.
template <class What, class Body>
void for_runs(int width, const What& what, const Body& body) {
  constexpr int kLength = CountingParts::kLength;
  for (int x = 0; x < width;) {
    const int kind = what(x / kLength);
    int end = x + kLength;
    while (end < width && what(end / kLength) == kind) end += kLength;
    body(x, std::min(end, width) - x, kind);
    x = end;
  }
}

std::uint8_t masked_rank(const Gray& gray, int x, int y) {
  const int center = gray.row(y)[x];
  if (center == lk::kNoGray) return 0;
  int votes = 0, neighbors = -1;  // -1: the pixel itself is not counted
  for (int j = -lk::kRankRadius; j <= lk::kRankRadius; ++j) {
    const std::uint16_t* row = gray.row(lk::mirrored(y + j, gray.height())) + x;
    for (int i = -lk::kRankRadius; i <= lk::kRankRadius; ++i) {
      if (row[i] == lk::kNoGray) continue;
      votes += lk::rank_vote(center, row[i]);
      ++neighbors;
    }
  }
  return static_cast<std::uint8_t>(lk::ranked(lk::whole_votes(votes, neighbors)));
}

}  // namespace

void quantize(ImageView<const float> gray, ImageView<const std::uint8_t> mask, Gray& out,
              const Exec& exec) {
  out.resize(gray.width, gray.height);
  for_rows(exec, gray.height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint16_t* row = out.row(y);
      HWY_DYNAMIC_DISPATCH(quantize_row)(gray.row(y), gray.width, row);
      const std::uint8_t* counts = mask.empty() ? nullptr : mask.row(y);
      for (int x = 0; x < mask.width; ++x)
        row[x] = counts[x] == 0 ? static_cast<std::uint16_t>(lk::kNoGray) : row[x];
      mirror_margins(row, gray.width);
    }
  });
}

void halve(const Gray& gray, bool masked, Gray& out, const Exec& exec) {
  out.resize((gray.width() + 1) / 2, (gray.height() + 1) / 2);
  std::optional<CountingParts> parts;
  if (masked) parts.emplace(gray, exec);
  for_rows(exec, out.height(), [&](std::int64_t first, std::int64_t last) {
    Plane<std::uint16_t> line;
    line.resize(gray.width() + 4, 1);
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint16_t* row = out.row(y);
      std::array<const std::uint16_t*, 5> rows;
      // The columns begin two pixels before the first, in the mirrored margin.
      const auto halve_run = [&](int x, int count) {
        for (int k = 0; k < 5; ++k)
          rows[k] = gray.row(lk::mirrored(2 * y + k - 2, gray.height())) + 2 * x - 2;
        HWY_DYNAMIC_DISPATCH(halve_columns)(rows, 2 * count + 3, line.row(0));
        HWY_DYNAMIC_DISPATCH(halve_along)(line.row(0), count, row + x);
      };
      if (!masked) {
        halve_run(0, out.width());
      } else {
        const auto what = [&](int k) { return parts->in(2 * k, 2 * k + 1, 2 * y - 2, 2 * y + 2); };
        for_runs(out.width(), what, [&](int x, int count, int kind) {
          if (kind == CountingParts::kCounts) return halve_run(x, count);
          const bool none = (kind & CountingParts::kCounts) == 0;
          for (int i = x; i < x + count; ++i)
            row[i] = none ? std::uint16_t{lk::kNoGray} : masked_half(gray, i, y);
        });
      }
      mirror_margins(row, out.width());
    }
  });
}

void find_features(const Gray& gray, bool masked, bool rank, FrameLevel& out, const Exec& exec) {
  const int width = gray.width(), height = gray.height();
  find_features(gray, masked, rank, out.features, exec);
  if (!masked) return out.mask.release();
  out.mask.resize(width, height);
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y)
      for (int x = 0; x < width; ++x) out.mask.row(y)[x] = gray.row(y)[x] == lk::kNoGray ? 0 : 1;
  });
}

void find_features(const Gray& gray, bool masked, bool rank, Plane<std::uint8_t>& out,
                   const Exec& exec) {
  const int width = gray.width(), height = gray.height();
  constexpr int kRadius = lk::kRankRadius;
  out.resize(width, height);
  std::optional<CountingParts> parts;
  if (masked && rank) parts.emplace(gray, exec);
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint8_t* row = out.row(y);
      const auto rank_run = [&](int x, int count) {
        RankRowsOf rows;
        for (int k = -kRadius; k <= kRadius; ++k)
          rows[k + kRadius] = gray.row(lk::mirrored(y + k, height)) + x;
        HWY_DYNAMIC_DISPATCH(rank_row)(rows, count, row + x);
      };
      if (masked && rank) {
        const auto what = [&](int k) { return parts->in(k, k, y - kRadius, y + kRadius); };
        for_runs(width, what, [&](int x, int count, int kind) {
          if (kind == CountingParts::kCounts) return rank_run(x, count);
          const bool none = (kind & CountingParts::kCounts) == 0;
          for (int i = x; i < x + count; ++i) row[i] = none ? 0 : masked_rank(gray, i, y);
        });
      } else if (rank) {
        rank_run(0, width);
      } else {
        const std::uint16_t* center = gray.row(y);
        for (int x = 0; x < width; ++x)
          row[x] = static_cast<std::uint8_t>(lk::least(lk::unranked(center[x]), 255));
      }
      row[width] = row[width - 1];
    }
  });
  std::copy_n(out.row(height - 1), width + 1, out.row(height));
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
