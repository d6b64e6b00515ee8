// What a study varies, with the values of Dalal and Triggs (CVPR 2005).
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/study.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <variant>

#include "people/model_parts.h"

namespace fovea::people {
namespace {

// The options that differ, with their values: "cell 6, block-stride 6", or "no color".
std::string change_text(const HogOptions& from, const HogOptions& to) {
  HogOptions before = from, after = to;
  std::map<std::string, std::string> texts;
  for_each_option(before,
                  [&](const OptionField& field) { texts[field.name] = option_text(field); });
  std::string result;
  for_each_option(after, [&](const OptionField& field) {
    const std::string text = option_text(field);
    if (texts[field.name] == text) return;
    const bool* flag = nullptr;
    if (const auto* held = std::get_if<bool*>(&field.value)) flag = *held;
    if (!result.empty()) result += ", ";
    if (flag == nullptr) result += fmt::format("{} {}", field.name, text);
    else result += (*flag ? "" : "no ") + field.name;
  });
  return result;
}

bool is_possible(const HogOptions& hog) {
  try {
    check_geometry(hog);
  } catch (const InvalidArgument&) {
    return false;
  }
  return true;
}

// Collects the values of one parameter after the other.
class Parameters {
 public:
  explicit Parameters(const HogOptions& base) : base_(base) {}

  void begin(const char* name, const char* text) { list_.push_back({name, text, {}}); }
  void add(const std::function<void(HogOptions&)>& change) {
    HogOptions hog = base_;
    change(hog);
    const std::string label = change_text(base_, hog);
    auto& values = list_.back().values;
    const bool known = std::any_of(values.begin(), values.end(),
                                   [&](const StudyValue& value) { return value.label == label; });
    if (!label.empty() && !known && is_possible(hog)) values.push_back({label, hog});
  }
  template <class Value>
  void add_all(Value HogOptions::*field, std::initializer_list<Value> values) {
    for (const Value& value : values) add([&](HogOptions& hog) { hog.*field = value; });
  }

  std::vector<StudyParameter> take() {
    std::erase_if(list_, [](const StudyParameter& each) { return each.values.empty(); });
    return std::move(list_);
  }

 private:
  HogOptions base_;
  std::vector<StudyParameter> list_{};
};

void add_pixels(Parameters& all) {
  all.begin("gamma", "what is applied to pixels first");
  all.add_all(&HogOptions::gamma, {Gamma::kNone, Gamma::kSquareRoot});
  all.begin("color", "gradients of the strongest color channel, or of the gray image");
  all.add_all(&HogOptions::color, {true, false});
  all.begin("smooth", "Gaussian blur before gradients");
  all.add_all(&HogOptions::smooth, {0.F, 0.5F, 1.F, 2.F, 3.F});
  all.begin("mask", "mask of the gradients");
  all.add_all(&HogOptions::mask,
              {GradientMask::kCentered, GradientMask::kUncentered, GradientMask::kCubic,
               GradientMask::kSobel, GradientMask::kDiagonal});
}

void add_votes(Parameters& all) {
  all.begin("vote", "weight of a vote");
  all.add_all(&HogOptions::vote, {VoteWeight::kMagnitude, VoteWeight::kRoot, VoteWeight::kSquare,
                                  VoteWeight::kBinary});
  all.begin("bins", "number of orientations from 0 to 180 degrees");
  all.add_all(&HogOptions::bins, {3, 4, 6, 9, 12, 18});
  all.begin("signed", "orientations from 0 to 360 degrees");
  for (const int bins : {6, 9, 18})
    all.add([&](HogOptions& hog) { hog.signed_angle = !hog.signed_angle, hog.bins = bins; });
  all.begin("interpolate", "votes shared by neighboring cells and bins");
  all.add_all(&HogOptions::interpolate, {true, false});
}

void add_blocks(Parameters& all) {
  all.begin("cell", "side of a cell, with blocks one cell apart");
  for (const int cell : {4, 6, 8, 10, 12})
    all.add([&](HogOptions& hog) { hog.cell = hog.block_stride = cell; });
  all.begin("block", "cells of a block");
  all.add_all(&HogOptions::block, {1, 2, 3, 4});
  all.begin("aspect", "cells and blocks that are not square");
  for (const int height : {4, 16}) all.add([&](HogOptions& hog) { hog.cell_height = height; });
  for (const int height : {1, 3}) all.add([&](HogOptions& hog) { hog.block_height = height; });
  all.begin("overlap", "step between blocks");
  all.add_all(&HogOptions::block_stride, {4, 8, 16});
  all.begin("sigma", "Gaussian weights over a block");
  all.add_all(&HogOptions::sigma, {0.F, 4.F, 8.F, 16.F});
  all.begin("shape", "circular blocks");
  const auto circle = [&](int rings, int sectors, bool sectored) {
    all.add([&](HogOptions& hog) {
      hog.shape = BlockShape::kCircular;
      hog.rings = rings, hog.sectors = sectors, hog.sectored_center = sectored;
    });
  };
  circle(1, 4, false);
  circle(1, 4, true);
  circle(2, 4, false);
  circle(1, 8, false);
  all.add([](HogOptions& hog) {
    hog.shape = BlockShape::kCircular, hog.rings = 1, hog.sectors = 4, hog.sigma = 0;
  });
}

void add_norms(Parameters& all) {
  all.begin("norm", "normalization of a block");
  all.add_all(&HogOptions::norm,
              {BlockNorm::kL2Hys, BlockNorm::kL2, BlockNorm::kL1Sqrt, BlockNorm::kL1});
  // Blocks of usual contrast then have numbers as large as with a norm.
  all.add([](HogOptions& hog) { hog.norm = BlockNorm::kNone, hog.epsilon = 1.5F; });
  all.begin("epsilon", "constant that is added to the norm");
  all.add_all(&HogOptions::epsilon, {0.001F, 0.01F, 0.1F, 1.F, 10.F});
  all.begin("border", "surroundings of the person in the window");
  for (const int less : {4, 8, 12})
    all.add([&](HogOptions& hog) {
      hog.window = {hog.window.width - 2 * less, hog.window.height - 2 * less};
    });
}

}  // namespace

std::vector<StudyParameter> study_parameters(const HogOptions& hog) {
  check_geometry(hog);
  Parameters all(hog);
  add_pixels(all);
  add_votes(all);
  add_blocks(all);
  add_norms(all);
  return all.take();
}

}  // namespace fovea::people
