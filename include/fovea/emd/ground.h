#pragma once
#include <fovea/core/api.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::emd {

// The most special form that a ground distance has. It decides how a problem is solved: every form
// but the general one has a closed-form solution.
enum class GroundForm : unsigned char {
  kDiscrete,  // 0 between equal bins and one constant between others; solved by half the sum of
              // differences
  kLine,      // |x_i - x_j| for rising positions x; solved by differences of cumulative sums
  kMonge,     // c(i,j) + c(i+1,j+1) <= c(i,j+1) + c(i+1,j), such as |i - j|^p for p >= 1; solved by
              // a walk along both histograms
  kCircle,    // steps on a closed line of equal bins; solved by cumulative sums about their median
  kGeneral    // anything else; solved by the simplex method
};
FOVEA_API const char* to_string(GroundForm form);
FOVEA_API std::span<const Choice> choices(GroundForm);

// What it costs to move one unit of mass from bin i of the first histogram to bin j of the second.
// Costs are held as whole multiples of unit(), a power of two. Costs that are such multiples (whole
// numbers, halves) are held exactly; others are rounded up to the next 2^-40 of the greatest cost,
// which keeps a metric a metric. So the cost of moving whole masses is a whole multiple of unit()
// too: it is exact and the same on every device.
class FOVEA_API GroundDistance {
 public:
  // The most bins of a side of a distance that is held as a table, and of any other.
  static constexpr int kMostTableBins = 4096;
  static constexpr int kMostBins = 1 << 20;

  // Takes rows * columns costs, row after row, with 1 to kMostTableBins rows and columns. Throws
  // InvalidArgument for a cost that is negative or not finite, or another number of costs.
  GroundDistance(int rows, int columns, std::span<const double> costs);

  // Bins along a line, one unit apart. All but `thresholded` have a closed form. With more than
  // kMostTableBins bins they have no table, and only what their closed form solves can be solved:
  // equal or normalized masses, without potentials, and with flows for l1, l2 and squared.
  static GroundDistance l1(int bins);                            // |i - j|
  static GroundDistance l2(int bins);                            // equal to l1 on a line
  static GroundDistance squared(int bins);                       // (i - j)^2
  static GroundDistance thresholded(int bins, double greatest);  // min(|i - j|, greatest)
  static GroundDistance circular(int bins);                      // min(|i - j|, bins - |i - j|)
  static GroundDistance discrete(int bins);                      // 0 or 1
  // Euclidean distances between two sets of points (colors), but never more than `greatest`. Each
  // point has `dimensions` coordinates; points follow each other.
  static GroundDistance between(std::span<const float> first, std::span<const float> second,
                                int dimensions, double greatest);
  // A ground distance by its name in the program: l1, l2, squared, threshold:3, circular or
  // discrete; or by the path of a file of costs: .json (a list of rows), .npy, .csv or text. Where
  // bins > 0, a file must have that many rows and columns.
  static GroundDistance named(std::string_view name, int bins);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double cost(int row, int column) const;
  double greatest() const;  // the greatest cost

  double unit() const { return unit_; }
  // costs / unit(), row after row; empty where there is no table.
  std::span<const std::int64_t> units() const { return units_; }
  std::int64_t units(int row, int column) const;
  bool exact() const { return exact_; }  // true where no cost was rounded

  GroundForm form() const { return form_; }
  // Whether the distance is square, is 0 from each bin to itself, and has no detour that is cheaper
  // (it need not be symmetric). Then mass that both histograms have in a bin need not move. Of
  // given costs for more than 64 bins this is not found out, and false.
  bool metric() const { return metric_; }
  // The positions of the bins in units for kLine; empty for other forms.
  std::span<const std::int64_t> positions() const { return positions_; }

  bool operator==(const GroundDistance&) const = default;

 private:
  GroundDistance() = default;
  static GroundDistance closed(GroundForm form, int bins);
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

// What results say of a ground distance.
struct GroundFacts {
  int rows = 0;
  int columns = 0;
  GroundForm form = GroundForm::kGeneral;
  bool metric = false;
  double greatest = 0;
  double unit = 0;
  bool exact = false;
};
FOVEA_API void describe(FieldVisitor& visit, GroundFacts& facts);
FOVEA_API GroundFacts facts_of(const GroundDistance& ground);

// The names that GroundDistance::named() knows, to suggest to users.
FOVEA_API std::vector<std::string_view> ground_words();

// The ground distance of an options struct: a name as GroundDistance::named() takes it, resolved
// for the number of bins at hand, or a ground distance itself.
struct Ground {
  std::string name = "threshold:3";
  std::optional<GroundDistance> distance{};  // where it is set, `name` is not used

  Ground() = default;
  Ground(std::string by_name) : name(std::move(by_name)) {}
  Ground(const char* by_name) : name(by_name) {}
  Ground(GroundDistance itself) : name("given"), distance(std::move(itself)) {}

  GroundDistance resolve(int bins) const {
    return distance ? *distance : GroundDistance::named(name, bins);
  }
};

}  // namespace fovea::emd
