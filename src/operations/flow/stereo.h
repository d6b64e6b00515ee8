// What the parts of flow stereo pass to each other.
#pragma once
#include <fovea/flow/stereo.h>

#include <string>
#include <vector>

#include "operations/flow/images.h"

namespace fovea::operations {

// One method's errors on a pair.
struct StereoResult {
  std::string name{};
  flow::StereoReport report{};
  double seconds = 0;
};
void describe(FieldVisitor& visit, StereoResult& result);

// A pair as another library gets it.
struct StereoContest {
  const ImagePair& pair;
  ImageView<const float> truth;
  ImageView<const std::uint8_t> visible;  // as evaluate_stereo() takes it; may be empty
  int max_disparity = 0;
};

// The errors of what a method found, over the same pixels for every method.
StereoResult stereo_result(const StereoContest& contest, std::string name,
                           ImageView<const float> found, double seconds);

// Runs the methods of other libraries on the pair, with disparities from 0 on. Where their module
// cannot be used, `note` is told why and the result is empty.
std::vector<StereoResult> measure_stereo_rivals(
    const StereoContest& contest, const Exec& exec,
    const std::function<void(const std::string& text)>& note);

}  // namespace fovea::operations
