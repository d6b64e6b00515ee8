// CPU twin of spectral signatures. A tile of a row is worked on group by group, one pixel per lane
// and double by double, in the order of signature_math.h, so that every instruction set gives the
// same masses.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "emd/detect/backend.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_SIGNATURE_JOB
#define FOVEA_SIGNATURE_JOB
namespace fovea::emd::cpu {
namespace {

constexpr int kTile = SignatureTile::kPixels;

// The buffers of a tile: values and strengths group by group, kTile apart.
struct SignatureJob {
  const detail::SignatureParams& p;
  double* values;
  double* strengths;
  double* missing;
  int count;
};
// The rows of all bands from the tile's first pixel on.
struct SignatureRows {
  const float* const* rows;
};
// The sums of a band over the columns of a window, from `radius` columns before the first pixel on.
struct SignatureLine {
  const double* line;
  double* to;
};

}  // namespace
}  // namespace fovea::emd::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emd/detect/signature_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<Doubles>;
constexpr Doubles kDoubles;

// See detail::counted().
HWY_INLINE DoubleVec counted_lanes(DoubleVec sum, DoubleVec scale) {
  const auto zero = hn::Zero(kDoubles);
  const auto value = hn::Mul(sum, scale);
  return hn::Add(hn::IfThenElseZero(hn::Gt(value, zero), value), hn::Mul(value, zero));
}

// See detail::log_of(). The exponent becomes a double by the bits of 2^52 + exponent.
HWY_INLINE DoubleVec log_lanes(DoubleVec x) {
  const hn::RebindToUnsigned<Doubles> whole;
  const auto constant = [](double value) { return hn::Set(kDoubles, value); };
  const auto bits = hn::Add(hn::BitCast(whole, x), hn::Set(whole, detail::kToRoot));
  const auto large = hn::Or(hn::ShiftRight<52>(bits), hn::Set(whole, 0x4330000000000000));
  const auto exponent = hn::Sub(hn::BitCast(kDoubles, large), constant(0x1p52 + 1023));
  const auto mantissa =
      hn::Add(hn::And(bits, hn::Set(whole, detail::kMantissa)), hn::Set(whole, detail::kRootHalf));
  const auto f = hn::Sub(hn::BitCast(kDoubles, mantissa), constant(1));
  const auto s = hn::Div(f, hn::Add(f, constant(2))), z = hn::Mul(s, s);
  auto sum = constant(detail::atanh_term(detail::kAtanhTerms - 1));
  for (int i = detail::kAtanhTerms - 2; i >= 0; --i)
    sum = hn::Add(hn::Mul(sum, z), constant(detail::atanh_term(i)));
  const auto small =
      hn::Add(hn::Mul(hn::Mul(s, z), sum), hn::Mul(exponent, constant(detail::kLn2Low)));
  return hn::Add(hn::Mul(exponent, constant(detail::kLn2High)),
                 hn::Add(hn::Mul(constant(2), s), small));
}

void group_sums(const SignatureJob& job, const SignatureRows& from) {
  const hn::Rebind<float, Doubles> floats;
  const auto one = hn::Set(kDoubles, 1);
  const int lanes = static_cast<int>(hn::Lanes(kDoubles));
  for (int g = 0; g < job.p.groups; ++g) {
    double* const to = job.values + g * kTile;
    const int first = job.p.first_band(g), last = job.p.first_band(g + 1);
    int x = 0;
    for (; x + lanes <= job.count; x += lanes) {
      auto sum = hn::Zero(kDoubles);
      for (int b = first; b < last; ++b) {
        const auto value = hn::PromoteTo(kDoubles, hn::LoadU(floats, from.rows[b] + x));
        sum = hn::Add(sum, counted_lanes(value, one));
      }
      hn::StoreU(sum, kDoubles, to + x);
    }
    for (; x < job.count; ++x) {
      double sum = 0;
      for (int b = first; b < last; ++b)
        sum += detail::counted(static_cast<double>(from.rows[b][x]), 1);
      to[x] = sum;
    }
  }
}

// Adds a band's means over windows to the sums of its group.
void add_means(const SignatureJob& job, const SignatureLine& band) {
  const auto scale = hn::Set(kDoubles, job.p.scale());
  for (int x = 0; x < job.count; x += static_cast<int>(hn::Lanes(kDoubles))) {
    auto sum = hn::Zero(kDoubles);
    for (int dx = 0; dx <= 2 * job.p.radius; ++dx)
      sum = hn::Add(sum, hn::LoadU(kDoubles, band.line + x + dx));
    hn::StoreU(hn::Add(hn::LoadU(kDoubles, band.to + x), counted_lanes(sum, scale)), kDoubles,
               band.to + x);
  }
}

void find_missing(const SignatureJob& job) {
  for (int x = 0; x < job.count; x += static_cast<int>(hn::Lanes(kDoubles))) {
    auto missing = hn::Zero(kDoubles);
    for (int g = 0; g < job.p.groups; ++g)
      missing = hn::Add(
          missing, hn::Mul(hn::LoadU(kDoubles, job.values + g * kTile + x), hn::Zero(kDoubles)));
    hn::StoreU(missing, kDoubles, job.missing + x);
  }
}

void logarithms(const SignatureJob& job) {
  const auto one = hn::Set(kDoubles, 1);
  for (int g = 0; g < job.p.groups; ++g) {
    const auto dark = hn::Set(kDoubles, job.p.dark[g]), mean = hn::Set(kDoubles, job.p.mean[g]);
    const bool dim = !(job.p.dark[g] > 0);
    double* const values = job.values + g * kTile;
    for (int x = 0; x < job.count; x += static_cast<int>(hn::Lanes(kDoubles))) {
      const auto sum = hn::LoadU(kDoubles, values + x);
      const auto log = dim ? hn::Zero(kDoubles) : log_lanes(hn::Add(one, hn::Div(sum, dark)));
      hn::StoreU(hn::Sub(log, mean), kDoubles, values + x);
    }
  }
}

// |value|^power where twice the power is a whole number.
HWY_INLINE DoubleVec strength_lanes(const detail::SignatureParams& p, DoubleVec value) {
  const auto size = hn::Abs(value);
  auto product = p.half_powers % 2 == 1 ? hn::Sqrt(size) : hn::Set(kDoubles, 1);
  for (int i = 0; i < p.half_powers / 2; ++i) product = hn::Mul(product, size);
  return product;
}

void weigh(const SignatureJob& job) {
  const detail::SignatureParams& p = job.p;
  const int lanes = static_cast<int>(hn::Lanes(kDoubles));
  for (int i = 0; i < p.groups; ++i) {
    double* const to = job.strengths + i * kTile;
    for (int x = 0; x < job.count; x += lanes) {
      auto sum = hn::Zero(kDoubles);
      for (int j = 0; j < p.groups; ++j)
        sum = hn::Add(sum, hn::Mul(hn::Set(kDoubles, p.white[i * p.groups + j]),
                                   hn::LoadU(kDoubles, job.values + j * kTile + x)));
      if (p.half_powers == 0) {
        hn::StoreU(sum, kDoubles, to + x);
        continue;
      }
      const auto mass = strength_lanes(p, sum);
      hn::StoreU(hn::IfThenElse(hn::Gt(sum, hn::Zero(kDoubles)), mass, hn::Neg(mass)), kDoubles,
                 to + x);
    }
    if (p.half_powers != 0) continue;
    for (int x = 0; x < job.count; ++x) {
      const double mass = detail::strength(p, to[x]);
      to[x] = to[x] > 0 ? mass : -mass;
    }
  }
}

// Calls next(bin, mass) for all bins of the pixels from x on; see detail::sign_pixel().
template <class Next>
HWY_INLINE void for_each_mass(const SignatureJob& job, int x, Next next) {
  const detail::SignatureParams& p = job.p;
  const auto zero = hn::Zero(kDoubles);
  if (!p.contrast) {
    for (int g = 0; g < p.groups; ++g) next(g, hn::LoadU(kDoubles, job.values + g * kTile + x));
    return;
  }
  for (int i = 0; i < p.groups; ++i) {
    const auto value = hn::LoadU(kDoubles, job.strengths + i * kTile + x);
    next(i, hn::IfThenElseZero(hn::Gt(value, zero), value));
  }
  for (int i = 0; i < p.groups; ++i) {
    const auto value = hn::LoadU(kDoubles, job.strengths + i * kTile + x);
    next(p.groups + i, hn::IfThenZeroElse(hn::Gt(value, zero), hn::Neg(value)));
  }
  next(2 * p.groups, hn::Set(kDoubles, p.plain_mass));
}

void put_masses(const SignatureJob& job, std::uint16_t* to) {
  const auto most = hn::Set(kDoubles, 1.7976931348623157e308);
  const int lanes = static_cast<int>(hn::Lanes(kDoubles)), bins = job.p.bins();
  HWY_ALIGN double now[hn::MaxLanes(kDoubles)];
  for (int x = 0; x < job.count; x += lanes) {
    const int some = std::min(lanes, job.count - x);
    const auto put = [&](int bin, DoubleVec masses) {
      hn::Store(masses, kDoubles, now);
      for (int i = 0; i < some; ++i)
        to[(x + i) * bins + bin] = static_cast<std::uint16_t>(static_cast<int>(now[i]));
    };
    auto total = hn::LoadU(kDoubles, job.missing + x);
    if (job.p.mass == 0) {
      const auto known = hn::Eq(total, hn::Zero(kDoubles));
      const auto limit = hn::Set(kDoubles, detail::kMostBinMass);
      for_each_mass(job, x, [&](int bin, DoubleVec mass) {
        const auto bounded = hn::IfThenElse(hn::Lt(mass, limit), mass, limit);
        put(bin, hn::IfThenElseZero(known, hn::Round(bounded)));
      });
      continue;
    }
    for_each_mass(job, x, [&](int, DoubleVec mass) { total = hn::Add(total, mass); });
    const auto scale = hn::Div(hn::Set(kDoubles, job.p.mass), total);
    const auto any = hn::And(hn::Gt(scale, hn::Zero(kDoubles)), hn::Le(scale, most));
    auto sum = hn::Zero(kDoubles), before = hn::Zero(kDoubles);
    for_each_mass(job, x, [&](int bin, DoubleVec mass) {
      sum = hn::Add(sum, mass);
      const auto whole = hn::Round(hn::Mul(sum, scale));
      put(bin, hn::IfThenElseZero(any, hn::Sub(whole, before)));
      before = whole;
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::emd::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::emd::cpu {
namespace {

HWY_EXPORT(group_sums);
HWY_EXPORT(add_means);
HWY_EXPORT(find_missing);
HWY_EXPORT(logarithms);
HWY_EXPORT(weigh);
HWY_EXPORT(put_masses);

constexpr std::int64_t kSignatureRows = 8;  // per task
constexpr int kSpare = 8;                   // numbers behind a line that vectors may read

}  // namespace

SignatureTile::SignatureTile(StackView<const float> bands, const detail::SignatureParams& params)
    : bands_(bands),
      params_(params),
      values_(static_cast<std::size_t>(params.groups) * kTile),
      strengths_(params.contrast ? values_.size() : 0),
      missing_(kTile),
      line_(static_cast<std::size_t>(kTile + 2 * params.radius + kSpare)),
      rows_(static_cast<std::size_t>(bands.count)) {}

void SignatureTile::load(int y, int first, int count) {
  count_ = count;
  const SignatureJob job{params_, values_.data(), strengths_.data(), missing_.data(), count};
  if (params_.radius == 0) {
    for (int b = 0; b < bands_.count; ++b)
      rows_[static_cast<std::size_t>(b)] = bands_.plane(b).row(y) + first;
    HWY_DYNAMIC_DISPATCH(group_sums)(job, {rows_.data()});
  } else {
    std::fill(values_.begin(), values_.end(), 0.0);
    const int radius = params_.radius;
    for (int g = 0; g < params_.groups; ++g)
      for (int b = params_.first_band(g); b < params_.first_band(g + 1); ++b) {
        std::fill(line_.begin(), line_.end(), 0.0);
        for (int dy = -radius; dy <= radius; ++dy) {
          const float* row = bands_.plane(b).row(std::clamp(y + dy, 0, bands_.height - 1));
          for (int x = 0; x < count + 2 * radius; ++x)
            line_[static_cast<std::size_t>(x)] +=
                static_cast<double>(row[std::clamp(first + x - radius, 0, bands_.width - 1)]);
        }
        HWY_DYNAMIC_DISPATCH(add_means)(job, {line_.data(), values_.data() + g * kTile});
      }
  }
  HWY_DYNAMIC_DISPATCH(find_missing)(job);
}

void SignatureTile::take_logarithms() {
  HWY_DYNAMIC_DISPATCH(logarithms)
  ({params_, values_.data(), strengths_.data(), missing_.data(), count_});
}
void SignatureTile::weigh() {
  HWY_DYNAMIC_DISPATCH(weigh)
  ({params_, values_.data(), strengths_.data(), missing_.data(), count_});
}
void SignatureTile::sign(std::uint16_t* to) {
  if (params_.contrast) {
    take_logarithms();
    weigh();
  }
  HWY_DYNAMIC_DISPATCH(put_masses)
  ({params_, values_.data(), strengths_.data(), missing_.data(), count_}, to);
}

void signatures(StackView<const float> bands, const detail::SignatureParams& params,
                ImageView<std::uint16_t> out, const Exec& exec) {
  parallel_for(exec, bands.height, kSignatureRows, [&](std::int64_t begin, std::int64_t end) {
    SignatureTile tile(bands, params);
    for (auto y = static_cast<int>(begin); y < end; ++y)
      for (int x = 0; x < bands.width; x += kTile) {
        tile.load(y, x, std::min(kTile, bands.width - x));
        tile.sign(&out.at(x, y));
      }
  });
}

}  // namespace fovea::emd::cpu
#endif  // HWY_ONCE
