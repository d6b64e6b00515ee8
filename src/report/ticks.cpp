#include "report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fovea::report {
namespace {

// Some distance from the largest double, so that sums, ratios and whole decades stay finite.
constexpr double kLargest = 1e290;

// The least number not below `rough` that is 1, 2 or 5 times a power of ten.
double nice_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
}

std::string power_of_ten(int exponent) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

struct Suffix {
  double factor;
  const char* text;
};
Suffix suffix_for(double largest) {
  if (largest >= 1e12) return {1e12, "T"};
  if (largest >= 1e9) return {1e9, "G"};
  if (largest >= 1e6) return {1e6, "M"};
  if (largest >= 1e4) return {1e3, "k"};
  return {1, ""};
}

std::string scientific(double value, int digits) {
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  std::string mantissa = without_trailing_zeros(
      fmt::format("{:.{}f}", value / std::pow(10, exponent), std::max(0, digits - 1)));
  if (mantissa == "10" || mantissa == "-10") {  // 9.9996 was rounded up
    mantissa = mantissa[0] == '-' ? "-1" : "1";
    ++exponent;
  }
  if (mantissa == "1") return power_of_ten(exponent);
  if (mantissa == "-1") return "−" + power_of_ten(exponent);
  return with_minus(mantissa) + "×" + power_of_ten(exponent);
}

std::vector<Tick> linear_ticks(const Scale& scale, int target) {
  const double low = std::min(scale.low, scale.high), high = std::max(scale.low, scale.high);
  const double step = nice_step((high - low) / std::max(1, target));
  std::vector<Tick> result;
  if (!(step > 0) || !std::isfinite(step)) return result;
  const double slack = step * 1e-6;
  const double first = std::ceil((low - slack) / step);
  for (int i = 0; i < 1000; ++i) {
    const double value = (first + i) * step;
    if (value > high + slack) break;
    result.push_back({value, tick_label(value, step)});
  }
  return result;
}

std::string decade_label(int exponent, bool plain) {
  return plain ? short_number(std::pow(10, exponent)) : power_of_ten(exponent);
}

std::vector<Tick> log_ticks(const Scale& scale, int target) {
  const double low = std::min(scale.low, scale.high), high = std::max(scale.low, scale.high);
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const int decades = last - first;
  const int every = std::max(1, (decades + std::max(1, target) - 1) / std::max(1, target));
  const bool plain = first >= -4 && last <= 6;
  std::vector<Tick> result;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int lead = 1; lead <= 9; ++lead) {
      if (lead > 1 && every > 1) break;
      const double value = lead * std::pow(10, exponent);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      std::string label;
      if (lead == 1 && exponent % every == 0) label = decade_label(exponent, plain);
      // Within one or two decades, labels at the decades alone would leave the axis nearly empty.
      if ((lead == 2 || lead == 5) && decades <= 2) label = short_number(value);
      result.push_back({value, std::move(label)});
    }
  }
  return result;
}

}  // namespace

std::string with_minus(std::string text) {
  return !text.empty() && text[0] == '-' ? "−" + text.substr(1) : text;
}

double Scale::position(double value) const {
  if (!log) return (value - low) / (high - low);
  return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
}

bool Scale::holds(double value) const {
  return std::abs(value) <= kLargest && (!log || value >= 1 / kLargest);
}

std::vector<Tick> ticks(const Scale& scale, int target) {
  if (!scale.holds(scale.low) || !scale.holds(scale.high) || scale.low == scale.high) return {};
  return scale.log ? log_ticks(scale, target) : linear_ticks(scale, target);
}

Scale nice_scale(Scale scale, int target) {
  if (!scale.holds(scale.low) || !scale.holds(scale.high))
    return scale.log ? Scale{0.1, 10, true} : Scale{0, 1, false};
  if (scale.log) {
    if (scale.low > scale.high) std::swap(scale.low, scale.high);
    const double decades = std::log10(scale.high / scale.low);
    const double unit = decades > 1.5 ? 0 : 1;  // within a decade, the ends are at 1, 2 or 5
    const auto down = [&](double v) {
      const double power = std::pow(10, std::floor(std::log10(v) + 1e-9));
      const double lead = v / power;
      return power * (unit == 0 || lead < 2 ? 1 : lead < 5 ? 2 : 5);
    };
    const auto up = [&](double v) {
      const double power = std::pow(10, std::floor(std::log10(v) + 1e-9));
      const double lead = v / power;
      if (lead <= 1 + 1e-9) return power;
      return power * (unit == 0 || lead > 5 ? 10 : lead > 2 ? 5 : 2);
    };
    scale.low = down(scale.low);
    scale.high = up(scale.high);
    if (!(scale.low < scale.high)) {
      scale.low /= 10;
      scale.high *= 10;
    }
    return scale;
  }
  // Ends that differ only by rounding, or by less than a step could express, count as equal.
  const double size = std::max(std::abs(scale.low), std::abs(scale.high));
  if (std::abs(scale.high - scale.low) <= std::max(size * 1e-12, 1 / kLargest)) {
    const double around = size < 1e-280 ? 1 : size * 0.1;
    scale.low -= around;
    scale.high += around;
  }
  const double step = nice_step(std::abs(scale.high - scale.low) / std::max(1, target));
  const double sign = scale.low < scale.high ? 1 : -1;
  scale.low = sign * std::floor(sign * scale.low / step + 1e-6) * step;
  scale.high = sign * std::ceil(sign * scale.high / step - 1e-6) * step;
  return scale;
}

std::string tick_label(double value, double step) {
  const double size = std::max(std::abs(value), std::abs(step));
  if (std::abs(value) < step * 1e-6) return "0";
  if (size < 1e-3 || size >= 1e15) {
    const double ratio = std::max(1.0, size / step);
    return scientific(value, 1 + static_cast<int>(std::ceil(std::log10(ratio) - 1e-9)));
  }
  const Suffix suffix = suffix_for(size);
  const double unit = step / suffix.factor;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(unit) - 1e-9)), 0, 12);
  std::string text = fmt::format("{:.{}f}", value / suffix.factor, decimals);
  if (suffix.factor > 1) text = without_trailing_zeros(text);
  return with_minus(text) + suffix.text;
}

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "n/a";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 1e-4 || size >= 1e15) return scientific(value, digits);
  Suffix suffix = suffix_for(size);
  if (size >= 1e4 && size < 1e5 && digits >= 5) suffix = {1, ""};
  const double scaled = value / suffix.factor;
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(scaled)))) + 1;
  const int decimals = std::clamp(digits - whole, 0, 12);
  return with_minus(without_trailing_zeros(fmt::format("{:.{}f}", scaled, decimals))) + suffix.text;
}

}  // namespace fovea::report
