// The motions of a field: cells that follow one motion each are merged with the neighbors that are
// most like them until what is left differs.
#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include "core/parallel.h"
#include "flow/segment/segment_parts.h"

namespace fovea::flow::segment {
namespace {

constexpr float kLeastWeight = 0.1F;  // pixels below it do not shape motions
constexpr double kLeastCover = 0.3;   // share of a cell's pixels that must count

struct Cell {
  Moments moments{};
  double squares = 0;    // of its fit
  bool covered = false;  // whether enough of its pixels count
  bool pure = false;     // follows one motion
};

int cells_across(int pixels, int side) { return (pixels + side - 1) / side; }

std::vector<Cell> cells_of(const WeightedField& field, const SegmentOptions& options) {
  const int side = options.cell;
  const int columns = cells_across(field.width(), side), rows = cells_across(field.height(), side);
  const double near = squared_tolerance(options);
  std::vector<Cell> cells(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  parallel_for(options.exec, rows, 1, [&](std::int64_t first, std::int64_t last) {
    for (int j = static_cast<int>(first); j < last; ++j) {
      for (int i = 0; i < columns; ++i) {
        Cell& cell = cells[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) +
                           static_cast<std::size_t>(i)];
        const int right = std::min((i + 1) * side, field.width());
        const int bottom = std::min((j + 1) * side, field.height());
        int pixels = 0;
        for (int y = j * side; y < bottom; ++y) {
          for (int x = i * side; x < right; ++x) {
            const float weight = field.weight.at(x, y);
            if (weight < kLeastWeight) continue;
            ++pixels;
            cell.moments.add(weight, field.frame.x(x), field.frame.y(y), field.u.at(x, y),
                             field.v.at(x, y));
          }
        }
        const double area = static_cast<double>(right - i * side) * (bottom - j * side);
        cell.covered = pixels >= kLeastCover * area;
        cell.squares = fit_of(cell.moments).squares;
        cell.pure = cell.covered && cell.squares <= near * cell.moments.n;
      }
    }
  });
  return cells;
}

// Merges neighboring sets of cells, the most alike first.
class CellMerger {
 public:
  CellMerger(const std::vector<Cell>& cells, int columns, int rows, double near) : near_(near) {
    moments_.reserve(cells.size());
    for (const Cell& cell : cells) moments_.push_back(cell.moments);
    alive_.resize(cells.size());
    changes_.assign(cells.size(), 0);
    neighbors_.resize(cells.size());
    const auto number = [&](int i, int j) { return j * columns + i; };
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        const int a = number(i, j);
        alive_[static_cast<std::size_t>(a)] = cells[static_cast<std::size_t>(a)].pure;
        if (!cells[static_cast<std::size_t>(a)].pure) continue;
        if (i > 0) link(cells, a, number(i - 1, j));
        if (j > 0) link(cells, a, number(i, j - 1));
      }
    }
  }

  std::vector<Moments> run() {
    while (!queue_.empty()) {
      const Offer offer = queue_.top();
      queue_.pop();
      const auto a = static_cast<std::size_t>(offer.a), b = static_cast<std::size_t>(offer.b);
      if (!alive_[a] || !alive_[b] || changes_[a] + changes_[b] != offer.changes) continue;
      merge(offer.a, offer.b);
    }
    std::vector<Moments> left;
    left.reserve(moments_.size());
    for (std::size_t i = 0; i < moments_.size(); ++i)
      if (alive_[i]) left.push_back(moments_[i]);
    return left;
  }

 private:
  struct Offer {
    double distance;
    int a, b;
    int changes;  // of both sets when the distance was computed
    bool operator<(const Offer& other) const {
      return std::tie(distance, a, b) > std::tie(other.distance, other.a, other.b);
    }
  };

  void link(const std::vector<Cell>& cells, int a, int b) {
    if (!cells[static_cast<std::size_t>(b)].pure) return;
    neighbors_[static_cast<std::size_t>(a)].insert(b);
    neighbors_[static_cast<std::size_t>(b)].insert(a);
    offer(std::min(a, b), std::max(a, b));
  }
  void offer(int a, int b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double distance = distance_between(moments_[i], moments_[j]);
    if (distance <= near_) queue_.push({distance, a, b, changes_[i] + changes_[j]});
  }
  void merge(int a, int b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    moments_[i] += moments_[j];
    alive_[j] = false;
    // Beyond the changes of both, so that no old offer of either counts.
    changes_[i] = changes_[i] + changes_[j] + 1;
    neighbors_[i].insert(neighbors_[j].begin(), neighbors_[j].end());
    neighbors_[i].erase(a);
    neighbors_[i].erase(b);
    for (const int other : neighbors_[j]) {
      if (other == a) continue;
      neighbors_[static_cast<std::size_t>(other)].erase(b);
      neighbors_[static_cast<std::size_t>(other)].insert(a);
    }
    for (const int other : neighbors_[i]) offer(std::min(a, other), std::max(a, other));
  }

  double near_;
  std::vector<Moments> moments_{};
  std::vector<bool> alive_{};
  std::vector<int> changes_{};
  std::vector<std::set<int>> neighbors_{};
  std::priority_queue<Offer> queue_{};
};

}  // namespace

double field_noise(const WeightedField& field, const SegmentOptions& options) {
  const std::vector<Cell> cells = cells_of(field, options);
  std::vector<double> noise;
  noise.reserve(cells.size());
  for (const Cell& cell : cells)
    if (cell.covered && cell.moments.n > 0)
      noise.push_back(std::sqrt(cell.squares / cell.moments.n));
  if (noise.empty()) return 0;
  const auto middle = noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2);
  std::nth_element(noise.begin(), middle, noise.end());
  return *middle;
}

std::vector<Moments> gather_motions(const WeightedField& field, const SegmentOptions& options) {
  const int columns = cells_across(field.width(), options.cell);
  const int rows = cells_across(field.height(), options.cell);
  const std::vector<Cell> cells = cells_of(field, options);
  const double near = squared_tolerance(options);
  std::vector<Moments> motions = CellMerger(cells, columns, rows, near).run();
  std::stable_sort(motions.begin(), motions.end(),
                   [](const Moments& a, const Moments& b) { return a.n > b.n; });
  const double least = least_pixels(options, field.width(), field.height()) / 2;
  while (motions.size() > 1 && (motions.back().n < least || motions.size() > kMostMotions))
    motions.pop_back();
  if (motions.empty()) {  // no cell follows one motion: that of the whole field is a start
    Moments all;
    for (const Cell& cell : cells) all += cell.moments;
    motions.push_back(all);
  }
  merge_motions(motions, options);
  return motions;
}

}  // namespace fovea::flow::segment
