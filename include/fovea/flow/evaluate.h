#pragma once
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>
#include <fovea/io/flow_io.h>

#include <cstdint>
#include <vector>

// Measures how well a flow field agrees with the true one, with the measures of Middlebury (Baker,
// Scharstein, Lewis, Roth, Black and Szeliski, IJCV 2011) and KITTI, and how well its confidence
// predicts its errors. All data lies in host memory. Pixels whose true flow is not known are left
// out.
namespace fovea::flow {

// Errors over a set of pixels. Shares lie between 0 and 1. Everything is 0 for an empty set.
struct FlowErrors {
  std::int64_t pixels = 0;
  double endpoint = 0;  // mean distance between the ends of the two vectors, in pixels
  double angular = 0;   // mean angle between the two vectors (u, v, 1), in degrees
  double r05 = 0;       // share of pixels with an endpoint error above 0.5 pixels
  double r1 = 0;        // the same above 1 pixel
  double r2 = 0;        // the same above 2 pixels
  double fl = 0;        // KITTI's outliers: above 3 pixels and above 5 % of the true motion
};
FOVEA_API void describe(FieldVisitor& visit, FlowErrors& errors);

// The mean error that remains when a share of the pixels is removed.
struct SparsificationPoint {
  double removed = 0;   // share of the pixels that is removed
  double endpoint = 0;  // mean error of the rest when the least confident pixels are removed
  double oracle = 0;    // the same when the worst pixels are removed, which is the lower bound
};
FOVEA_API void describe(FieldVisitor& visit, SparsificationPoint& point);

struct EvaluateOptions {
  double confident = 0.5;  // a pixel is confident from this confidence on; 0 to 1
  int curve_points = 20;   // points of the sparsification curve; 2 to 1000
};
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

struct FlowReport {
  FlowErrors all{};            // over pixels that are known in the truth and in the estimate
  FlowErrors confident{};      // over those of them that are confident
  double density = 0;          // share of the pixels known in the truth that the estimate knows
  double confident_share = 0;  // share of the pixels of `all` that are confident
  // Empty without confidence. Pixels of equal confidence are removed with their mean error, so that
  // the curve does not depend on their order.
  std::vector<SparsificationPoint> curve{};
  // Mean of endpoint minus oracle along the curve, divided by the mean error: 0 means that the
  // confidence orders the pixels exactly by their errors.
  double sparsification_error = 0;
};
FOVEA_API void describe(FieldVisitor& visit, FlowReport& report);

// Compares an estimate with the truth. `confidence` (0 to 1) belongs to the estimate; where it is
// empty every pixel is confident. Throws InvalidArgument where sizes differ or no true vector is
// known.
FOVEA_API FlowReport evaluate_flow(const io::FlowFieldView& estimate,
                                   ImageView<const float> confidence,
                                   const io::FlowFieldView& truth,
                                   const EvaluateOptions& options = {});

// The endpoint error of every pixel, NaN where either field is not known.
FOVEA_API Image<float> endpoint_errors(const io::FlowFieldView& estimate,
                                       const io::FlowFieldView& truth);

}  // namespace fovea::flow
