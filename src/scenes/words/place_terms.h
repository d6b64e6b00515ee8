// What single places have of the features of soft, vlad and fisher coding. Before its root and norm
// a feature is a sum over places, so that a place with the weights w of words and the projected
// numbers u has the share
//   sum over words k of w[k] (constant[k] + sum over j of (linear[k][j] u[j] + square[k][j]
//   u[j]^2))
// of what is to be divided. The three tables are those of a cell of the finest level, over all
// levels.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/words/code_plan.h"
#include "scenes/words/place_coder_cpu.h"

namespace fovea::scenes::cpu {

class PlaceTerms {
 public:
  // The plan must outlive this object.
  PlaceTerms(const CodePlan& plan, int pyramid);

  // Divides the values of the features of one cell, whose sums are these.
  void add(int level, int cell, std::span<const std::int64_t> sums, std::span<const double> values);
  // What a place in a cell of the finest level has.
  double of_place(std::size_t finest, const CodedPlace& place) const;

 private:
  void add_soft(std::span<const std::int64_t> sums, std::span<const double> values);
  void add_moments(std::span<const std::int64_t> sums, std::span<const double> values);

  const CodePlan& plan_;
  int pyramid_;
  std::size_t length_;          // of the tables of a cell
  std::vector<double> tables_;  // cell after cell: constant, linear, square
  std::vector<double> cell_;    // those of the cell that is added
};

}  // namespace fovea::scenes::cpu
