#pragma once
#include <fovea/core/options.h>
#include <fovea/io/flow_io.h>

#include <cstdint>
#include <vector>

// How well a flow field agrees with a known one, as the field measures it (Baker, Scharstein,
// Lewis, Roth, Black and Szeliski, IJCV 2011; KITTI), and how well its confidence tells where.
// Everything lies in host memory; pixels whose truth is not known do not count.
namespace fovea::flow {

// Over some of the pixels; shares are 0 to 1, and all is 0 where there are none.
struct FlowErrors {
  std::int64_t pixels = 0;
  double endpoint = 0;  // mean distance between the ends of both vectors, pixels
  double angular = 0;   // mean angle between (u, v, 1) of both, degrees
  double r05 = 0;       // share with an endpoint error above 0.5 pixels
  double r1 = 0;        // above 1
  double r2 = 0;        // above 2
  double fl = 0;        // KITTI's outliers: above 3 pixels and 5 % of the true motion
};

// What is left when the least confident pixels are taken away.
struct SparsificationPoint {
  double removed = 0;   // share of the pixels
  double endpoint = 0;  // mean error of the others
  double oracle = 0;    // the same with the worst pixels taken away: nothing is lower
};

struct EvaluateOptions {
  double confident = 0.5;  // confidence from which a pixel counts as confident
  int curve_points = 20;   // of the sparsification curve: 0, 1/20, ... of the pixels taken away
};
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

struct FlowEvaluation {
  FlowErrors all{};            // pixels that truth and estimate know
  FlowErrors confident{};      // those of them that are confident
  double density = 0;          // share of the pixels known in truth that the estimate knows
  double confident_share = 0;  // of `all`
  // Empty without confidence. Pixels of one confidence are taken away together, each with their
  // mean error, so that the curve does not depend on their order.
  std::vector<SparsificationPoint> curve{};
  // Mean of endpoint minus oracle along the curve, over the mean error: 0 is a perfect prediction.
  double sparsification_error = 0;
};

// `confidence` (0 to 1) is of the estimate, or empty: then every pixel is confident. Throws
// InvalidArgument where sizes differ or no pixel is known.
FOVEA_API FlowEvaluation evaluate_flow(const io::FlowFieldView& estimate,
                                       ImageView<const float> confidence,
                                       const io::FlowFieldView& truth,
                                       const EvaluateOptions& options = {});

// The endpoint error of every pixel; NaN where either field is not known.
FOVEA_API Image<float> endpoint_errors(const io::FlowFieldView& estimate,
                                       const io::FlowFieldView& truth);

}  // namespace fovea::flow
