// Where axes are marked, and how numbers are written.
#pragma once
#include <string>
#include <vector>

namespace fovea::report {

struct Tick {
  double value = 0;
  std::string label;  // empty: a minor tick
};

struct Scale {
  double low = 0;
  double high = 1;
  bool log = false;

  // 0 at low, 1 at high.
  double position(double value) const;
  // Whether the value has a place on such an axis: finite and, of a logarithmic one, positive.
  bool holds(double value) const;
};

// Multiples of 1, 2 or 5 times a power of ten, about `target` of them, within the scale; of a
// logarithmic one the decades (and what lies between them, unlabeled, where they are few).
std::vector<Tick> ticks(const Scale& scale, int target);
// Widened to whole ticks. Ends that are not finite or alike (or, for logarithms, not positive) are
// replaced by a range that can be drawn.
Scale nice_scale(Scale scale, int target);

// "0.25", "12 500" as 12.5k, "3×10⁻⁵": short, for labels; `digits` that count.
std::string short_number(double value, int digits = 4);
// As many decimals as the step of an axis needs.
std::string tick_label(double value, double step);

}  // namespace fovea::report
