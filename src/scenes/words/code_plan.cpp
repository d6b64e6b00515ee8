// Prepares a dictionary's code for the twins.
#include "scenes/words/code_plan.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace fovea::scenes {
namespace {

LinearMap projection_of(const WordCode& code) {
  LinearMap map{code.projection.width(), code.components(), {}, code.shift};
  map.factors.reserve(static_cast<std::size_t>(map.inputs) * static_cast<std::size_t>(map.outputs));
  for (int i = 0; i < map.inputs; ++i)
    for (int j = 0; j < map.outputs; ++j) map.factors.push_back(code.projection.at(i, j));
  return map;
}

// The logarithm of share * density of a Gaussian is a linear function of numbers and squares; for
// vlad, the nearest mean has the greatest m . z - |m|^2 / 2.
LinearMap scores_of(const WordCode& code, int words) {
  const bool nearest = code.coding == Coding::kVlad;
  const int components = code.components();
  LinearMap map{nearest ? components : 2 * components, words, {}, {}};
  map.factors.resize(static_cast<std::size_t>(map.inputs) * static_cast<std::size_t>(words));
  map.bias.reserve(static_cast<std::size_t>(words));
  for (int k = 0; k < words; ++k) {
    double bias = nearest ? 0 : std::log(code.shares[static_cast<std::size_t>(k)]);
    for (int j = 0; j < components; ++j) {
      const double mean = code.means.at(j, k);
      const double variance = nearest ? 1 : code.variances.at(j, k);
      const auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(words) +
                      static_cast<std::size_t>(k);
      map.factors[at] = static_cast<float>(mean / variance);
      bias -= mean * mean / variance / 2;
      if (nearest) continue;
      map.factors[at + static_cast<std::size_t>(components) * static_cast<std::size_t>(words)] =
          static_cast<float>(-0.5 / variance);
      bias -= std::log(variance) / 2;
    }
    map.bias.push_back(static_cast<float>(bias));
  }
  return map;
}

[[noreturn]] void unfit(const char* what, const std::string& cause) {
  throw InvalidArgument(
      fmt::format("{}: the code of the words does not fit them: {}", what, cause));
}

// Within these, the scores of all words are finite for any projected number, and so are projected
// numbers unless those of descriptors are beyond all measure. Learned codes are far within them.
constexpr float kMostCodeFactor = 1e24F;  // of projections and shifts
constexpr float kMostCodeMean = 1e14F;
constexpr float kLeastCodeVariance = 1e-8F;

void require_at_most(const char* what, const char* name, std::span<const float> values,
                     float most) {
  for (const float value : values)
    if (!(std::fabs(value) <= most))
      unfit(what, fmt::format("a {} of {}, expected {} to {}", name, value, -most, most));
}

void require_positive(const char* what, const char* name, float value) {
  if (!(value > 0) || !std::isfinite(value))
    unfit(what, fmt::format("a {} of {}, expected more than 0", name, value));
}

}  // namespace

std::span<const Choice> choices(Coding) {
  static constexpr std::array<Choice, 4> kChoices{{{"hard", static_cast<int>(Coding::kHard)},
                                                   {"soft", static_cast<int>(Coding::kSoft)},
                                                   {"vlad", static_cast<int>(Coding::kVlad)},
                                                   {"fisher", static_cast<int>(Coding::kFisher)}}};
  return kChoices;
}

int WordCode::length(int words) const {
  if (coding == Coding::kHard) return words;
  return static_cast<int>(CodeShape{coding, words, components()}.length());
}

WordCode clone(const WordCode& code) {
  WordCode result{.coding = code.coding, .shift = code.shift, .shares = code.shares};
  if (!code.projection.empty()) result.projection = clone(code.projection);
  if (!code.means.empty()) result.means = clone(code.means);
  if (!code.variances.empty()) result.variances = clone(code.variances);
  return result;
}

void check_code(const char* what, const Dictionary& dictionary) {
  const WordCode& code = dictionary.code;
  if (code.coding == Coding::kHard) return;
  const int words = dictionary.size(), components = code.components();
  if (words > kMostCodedWords)
    unfit(what, fmt::format("{} words, expected at most {}", words, kMostCodedWords));
  if (components < 1 || components > kMostComponents || code.means.height() != words)
    unfit(what, fmt::format("{} means of {} numbers, expected {} of 1 to {}", code.means.height(),
                            components, words, kMostComponents));
  if (code.projection.width() != dictionary.words.width() ||
      code.projection.height() != components ||
      code.shift.size() != static_cast<std::size_t>(components))
    unfit(what, fmt::format("a projection of {} to {} numbers with {} shifts, expected {} to {}",
                            code.projection.width(), code.projection.height(), code.shift.size(),
                            dictionary.words.width(), components));
  const auto row = [](const Image<float>& rows, int y) {
    return std::span(rows.row(y), static_cast<std::size_t>(rows.width()));
  };
  require_at_most(what, "shift", code.shift, kMostCodeFactor);
  for (int j = 0; j < components; ++j)
    require_at_most(what, "projection", row(code.projection, j), kMostCodeFactor);
  for (int k = 0; k < words; ++k) require_at_most(what, "mean", row(code.means, k), kMostCodeMean);
  if (code.coding == Coding::kVlad) return;
  if (code.variances.width() != components || code.variances.height() != words ||
      code.shares.size() != static_cast<std::size_t>(words))
    unfit(what, fmt::format("{} variances of {} numbers and {} shares, expected {} of {}",
                            code.variances.height(), code.variances.width(), code.shares.size(),
                            words, components));
  for (int k = 0; k < words; ++k) {
    require_positive(what, "share", code.shares[static_cast<std::size_t>(k)]);
    for (int j = 0; j < components; ++j) {
      const float variance = code.variances.at(j, k);
      require_positive(what, "variance", variance);
      if (variance < kLeastCodeVariance)
        unfit(what,
              fmt::format("a variance of {}, expected {} or more", variance, kLeastCodeVariance));
    }
  }
}

bool makes_negative(const Dictionary& dictionary) {
  const Coding coding = dictionary.code.coding;
  return coding == Coding::kVlad || coding == Coding::kFisher ||
         std::ranges::any_of(dictionary.beside, makes_negative);
}

CodePlan code_plan(const WordCode& code, int words) {
  CodePlan plan{.shape = {code.coding, words, code.components()},
                .projection = projection_of(code),
                .scores = scores_of(code, words)};
  constexpr double kUnit = kCodeUnit;
  for (int k = 0; k < words && code.coding != Coding::kSoft; ++k) {
    for (int j = 0; j < code.components(); ++j) {
      plan.means.push_back(code.means.at(j, k) * kUnit);
      if (code.coding != Coding::kFisher) continue;
      const double variance = code.variances.at(j, k),
                   share = code.shares[static_cast<std::size_t>(k)];
      plan.spreads.push_back(variance * kUnit * kUnit);
      plan.first.push_back(1 / (std::sqrt(variance * share) * kUnit));
      plan.second.push_back(1 / (variance * std::sqrt(2 * share) * kUnit * kUnit));
    }
  }
  return plan;
}

}  // namespace fovea::scenes
