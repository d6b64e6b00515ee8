// A dictionary's code in the layout that both twins read: linear functions for the projection and
// for the scores of words, and the factors of features.
#pragma once
#include <fovea/scenes/dictionary.h>

#include <vector>

#include "scenes/words/coding_math.h"

namespace fovea::scenes {

// Linear functions of some inputs: value j is bias[j] + (sum over i of inputs[i] * factors[i][j]),
// fused multiply-add after fused multiply-add, in the order of i.
struct LinearMap {
  int inputs = 0;
  int outputs = 0;
  std::vector<float> factors;  // input after input
  std::vector<float> bias;
};

struct CodePlan {
  CodeShape shape{};
  LinearMap projection{};
  // The scores of words: of the projected numbers and, with soft and fisher, of their squares after
  // them.
  LinearMap scores{};
  std::vector<double> means{}, spreads{}, first{}, second{};

  CodeFactors factors() const {
    return {means.data(), spreads.data(), first.data(), second.data()};
  }
};
CodePlan code_plan(const WordCode& code, int words);

// Throws unless the parts of a dictionary's code fit its words and descriptors and are within the
// bounds in which scores are finite.
void check_code(const char* what, const Dictionary& dictionary);

// Returns whether some features of a dictionary may be negative, so that they are no histograms.
bool makes_negative(const Dictionary& dictionary);

}  // namespace fovea::scenes
