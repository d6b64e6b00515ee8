// Places of ticks on axes, and how numbers are written.
#pragma once
#include <string>
#include <vector>

namespace fovea::report {

struct Tick {
  double value = 0;
  std::string label;  // empty for a minor tick
};

struct Scale {
  double low = 0;
  double high = 1;
  bool log = false;

  // The position of a value between 0 at low and 1 at high.
  double position(double value) const;
  // Whether the value has a place on the axis: it must be finite and, on a logarithmic axis,
  // positive.
  bool holds(double value) const;
};

// About `target` ticks within the scale, at multiples of 1, 2 or 5 times a power of ten. A
// logarithmic scale has ticks at the decades, and unlabeled ones between them where decades are
// few.
std::vector<Tick> ticks(const Scale& scale, int target);
// The scale widened to whole ticks. Ends that are equal, not finite or, on a logarithmic scale, not
// positive are replaced by a range that can be drawn.
Scale nice_scale(Scale scale, int target);

// The text with a typographic minus, which is as wide as a plus.
std::string with_minus(std::string text);
// Short numbers for labels, such as "0.25", "12.5k" and "3×10⁻⁵", with `digits` significant digits.
std::string short_number(double value, int digits = 4);
// A number with as many decimals as the step of an axis needs.
std::string tick_label(double value, double step);

}  // namespace fovea::report
