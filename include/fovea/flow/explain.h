#pragma once
#include <fovea/flow/flow.h>
#include <fovea/report/explanation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Why a pixel has the flow that it has, and what its confidence is made of. Explanations are
// computed on the host, whatever the device: the CPU and a GPU estimate the same flow to the bit.
namespace fovea::flow {

// A factor of a confidence, from 0 (which makes it 0) to 1 (which leaves it as it is), or of a
// doubt.
struct ConfidenceFactor {
  std::string name{};  // such as "texture"
  double value = 0;
  std::string text{};  // one sentence with the number that it was made of
};

// How firmly the surroundings of a pixel determine its flow: the tensor of gray gradients over a
// window of (2 radius + 1)^2 pixels of the first image, each with the same weight. The eigenvalue
// in the doubts of Lucas-Kanade is another: that of the gradients of both images as the matcher
// compares them, weighted, at the level that it estimates.
struct StructureTensor {
  int radius = 0;
  double xx = 0, xy = 0, yy = 0;        // means of products of gradients, in gray levels per pixel
  double greater = 0, smaller = 0;      // eigenvalues
  double certain_x = 1, certain_y = 0;  // direction in which the flow is determined best
  // Along this direction the flow is the least certain: where the smaller eigenvalue is near 0, the
  // window shows a straight edge, and only motion across it can be seen (the aperture problem).
  double uncertain_x = 0, uncertain_y = 1;
};

// The scores of the displacements that block matching tried for the block nearest to a pixel, at
// the finest level.
struct MatchSurface {
  Rect<int> block{};      // in the first image
  int left = 0;           // displacement of the first column of `scores`, in pixels
  int top = 0;            // and of the first row
  Image<float> scores{};  // one per displacement; NaN where none was tried. 1: equal blocks
  int best_u = 0;         // the displacement with the highest score
  int best_v = 0;
  double best = 0;       // its score
  double second = 0;     // the highest score that is not next to it
  double curvature = 0;  // of the peak, in the direction in which it is least curved
  double texture = 0;    // standard deviation of the block, in gray levels
  double moved = 0;      // pixels by which smoothing moved the vector
};

struct FlowExplanation {
  int x = 0;
  int y = 0;
  float u = 0;  // as Estimator::estimate() gives them
  float v = 0;
  float confidence = 0;
  Method method = Method::kLucasKanade;
  bool refined = false;  // variational refinement or fusion changed what the method found
  int level = 0;         // the level whose confidence this is: 0 is the whole size, 1 half of it

  // Gray differences, 0 to 255, between windows of the tensor's size around the pixel and around
  // the place where it went.
  double difference_before = 0;  // mean absolute difference without motion
  double difference_after = 0;   // and with it
  Image<float> before{};         // the differences, second image less first
  Image<float> after{};
  StructureTensor tensor{};

  // The confidence is the product of the factors, or 0 where one is 0. Lucas-Kanade multiplies them
  // by 2 / (2 + doubt), and `doubts` are the factors of the doubt. Between estimated pixels, of a
  // coarser level or between blocks, confidences are interpolated: factors and doubts explain
  // `nearest`, the confidence of the nearest pixel or block, all factors included. Elsewhere it is
  // the confidence itself.
  std::vector<ConfidenceFactor> factors{};
  std::vector<ConfidenceFactor> doubts{};
  double doubt = 0;
  double nearest = 0;
  std::optional<MatchSurface> surface{};  // where blocks were matched
  Extent image{};                         // size of the images
};

struct FlowPixel {
  int x = 0;
  int y = 0;
};
// Explains the flow of a pixel of the first image; both images lie in host memory. A pixel outside
// of the image is an InvalidArgument. It estimates the whole field once, on the CPU and in one
// piece.
template <class T>
FOVEA_API FlowExplanation explain(const Estimator& estimator, ImageView<const T> first,
                                  ImageView<const T> second, FlowPixel pixel);
template <class T>
FlowExplanation explain(const Estimator& estimator, const Image<T>& first, const Image<T>& second,
                        FlowPixel pixel) {
  return explain<T>(estimator, first.view(), second.view(), pixel);
}

FOVEA_API void describe(FieldVisitor& visit, FlowExplanation& why);

FOVEA_API report::Explanation present(const FlowExplanation& explanation);

}  // namespace fovea::flow
