#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::emd {

// What is known of a ground distance, from the most special form it has. It decides how a problem
// is solved: all but the general one have closed forms.
enum class GroundForm : unsigned char {
  kDiscrete,  // 0 between equal bins, one constant between others: half the sum of differences
  kLine,      // |x_i - x_j| of rising positions x: differences of cumulative sums
  kMonge,     // c(i,j) + c(i+1,j+1) <= c(i,j+1) + c(i+1,j), as |i - j|^p for p >= 1: a walk along
              // both histograms
  kCircle,    // steps on a closed line of equal bins: cumulative sums about their median
  kGeneral    // anything else: the simplex
};
FOVEA_API const char* to_string(GroundForm form);

// What it costs to move one unit of mass from bin i of the first histogram to bin j of the second.
// Held as whole multiples of unit(), a power of two: exactly where costs are such multiples (whole
// numbers, halves), else rounded up to the next 2^-40 of the greatest cost, which keeps a metric a
// metric. So costs of whole masses are whole multiples of unit() too, exact, and equal on every
// device.
class FOVEA_API GroundDistance {
 public:
  // rows * columns costs, row after row, 1 to 64 each. InvalidArgument for a cost that is negative
  // or not finite, or another count of them.
  GroundDistance(int rows, int columns, std::span<const double> costs);

  // Bins along a line, one unit apart.
  static GroundDistance l1(int bins);                            // |i - j|
  static GroundDistance l2(int bins);                            // the same, on a line
  static GroundDistance squared(int bins);                       // (i - j)^2
  static GroundDistance thresholded(int bins, double greatest);  // min(|i - j|, greatest)
  static GroundDistance circular(int bins);                      // min(|i - j|, bins - |i - j|)
  static GroundDistance discrete(int bins);                      // 0 or 1
  // Between two sets of points (colors), `dimensions` coordinates each, point after point:
  // Euclidean, at most `greatest`.
  static GroundDistance between(std::span<const float> first, std::span<const float> second,
                                int dimensions, double greatest);
  // As the program names it: l1, l2, squared, threshold:3, circular, discrete, or a file: .json (a
  // list of rows), .npy, .csv or text of numbers. A file must have `bins` rows and columns where
  // bins > 0.
  static GroundDistance named(std::string_view name, int bins);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double cost(int row, int column) const;
  double greatest() const;  // of all costs

  double unit() const { return unit_; }
  std::span<const std::int64_t> units() const { return units_; }  // costs / unit(), row after row
  bool exact() const { return exact_; }                           // whether no cost was rounded

  GroundForm form() const { return form_; }
  // Square, 0 from each bin to itself, no detour cheaper (symmetric or not): mass that both
  // histograms have in a bin need not move.
  bool metric() const { return metric_; }
  // For kLine the positions of the bins in units, for other forms empty.
  std::span<const std::int64_t> positions() const { return positions_; }

  bool operator==(const GroundDistance&) const = default;

 private:
  void analyze();

  int rows_ = 0;
  int columns_ = 0;
  double unit_ = 1;
  bool exact_ = true;
  bool metric_ = false;
  GroundForm form_ = GroundForm::kGeneral;
  std::vector<std::int64_t> units_;
  std::vector<std::int64_t> positions_;
};

}  // namespace fovea::emd
