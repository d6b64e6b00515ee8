#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Regions of like motion: connected sets of pixels whose flow follows one affine motion, after the
// layers of Wang and Adelson (IEEE Transactions on Image Processing, 1994). All data lies in host
// memory, and all work is done on the CPU; the flow itself may come from a GPU.
namespace fovea::flow {

// u = a0 + a1 x + a2 y and v = b0 + b1 x + b2 y for pixel (x, y) of the image.
struct AffineMotion {
  std::array<double, 6> terms{};  // a0, a1, a2, b0, b1, b2

  double u_at(double x, double y) const { return terms[0] + terms[1] * x + terms[2] * y; }
  double v_at(double x, double y) const { return terms[3] + terms[4] * x + terms[5] * y; }
};

struct MotionRegion {
  int label = 0;  // as in MotionSegments::labels
  int layer = 0;  // regions of one layer share their motion; 0 is the largest layer
  Rect<int> box{};
  std::int64_t pixels = 0;
  double share = 0;       // of all pixels of the image
  double u = 0, v = 0;    // mean motion of the layer's model over the region, in pixels
  double residual = 0;    // median distance in pixels between the flow and the model
  AffineMotion motion{};  // the layer's motion
};
FOVEA_API void describe(FieldVisitor& visit, MotionRegion& region);

struct SegmentOptions {
  std::optional<int> layers{};  // greatest number of motions, 1 to 64; without a value as many as
                                // differ by more than the tolerance
  std::optional<double>
      tolerance{};             // distance in pixels by which the flow may differ from its motion;
                               // without a value three times the noise of the field, 0.3 to 1
  double smoothness = 1.0;     // how much borders between regions cost; 0 decides each pixel alone
  double least_share = 0.004;  // share of the image below which a region is given to its
                               // neighbors; so is one below two and a half cells
  int cell = 12;   // side in pixels of the cells from which motions are gathered, 4 to 64
  int rounds = 4;  // how often pixels are assigned and motions fitted, 1 to 20
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SegmentOptions& options);

struct MotionSegments {
  Image<std::uint16_t> labels;          // 1 and on; 0 where the flow is not known
  std::vector<MotionRegion> regions{};  // the largest first, which has label 1
  int layers = 0;                       // number of motions
  double tolerance = 0;                 // that was used, in pixels
};
FOVEA_API void describe(FieldVisitor& visit, MotionSegments& segments);

// Divides a field. `confidence` (0 to 1, or empty) says how much a pixel counts. The first image,
// where it is given (gray or RGB), draws borders to its edges. The result is the same for every
// number of threads. Throws InvalidArgument where sizes differ.
FOVEA_API MotionSegments segment_motion(const io::FlowFieldView& field,
                                        ImageView<const float> confidence = {},
                                        ImageView<const std::uint8_t> image = {},
                                        const SegmentOptions& options = {});

// Gives the regions of a frame the labels of the frame before that they share most pixels with,
// moved along by their motion, so that a region keeps its label along a video. Regions without such
// a label get new ones from `next_label` on, which is moved. Labels start again from 1 where 65535
// are used up.
FOVEA_API void keep_labels(const MotionSegments& before, MotionSegments& now, int& next_label);

// Keeps the labels of regions along a video.
class LabelKeeper {
 public:
  // Labels the regions of the next frame as keep_labels() does; those of the first stay as they
  // are.
  FOVEA_API void label(MotionSegments& now);

 private:
  MotionSegments before_{};
  int next_label_ = 0;  // 0 before the first frame
};

// How a pair of images is divided: how its motion is estimated, and what is made of it.
struct SegmentPairOptions {
  Method method = Method::kLucasKanade;
  Quality quality = Quality::kDefault;
  SegmentOptions segment{};  // its exec does not count
  Exec exec{};               // the motion is estimated on its device, and divided on the CPU
};
FOVEA_API void describe(OptionVisitor& visit, SegmentPairOptions& options);
// The options of an Estimator for such a pair. Its confidence is low where something hides the
// motion, so that the division does not follow it there.
FOVEA_API FlowOptions estimation_options(const SegmentPairOptions& options);
// The options of segment_motion() for such a pair.
FOVEA_API SegmentOptions division_options(const SegmentPairOptions& options);

// How well two divisions of an image agree. Pixels whose label is 0 in the truth are left out.
struct SegmentReport {
  std::int64_t pixels = 0;
  double rand_index = 0;  // share of pairs of pixels on which both agree whether they are together
  double adjusted_rand_index = 0;  // the same, with 0 for chance and 1 for equal divisions
  double covering = 0;  // overlap (intersection over union) of each true region with the region
                        // that fits it best, weighted by size (Arbelaez et al., PAMI 2011)
};
FOVEA_API void describe(FieldVisitor& visit, SegmentReport& report);
FOVEA_API SegmentReport evaluate_segments(ImageView<const std::uint16_t> labels,
                                          ImageView<const std::uint16_t> truth);

// The labels in colors over the image, which is gray or RGB, with dark borders between them;
// without an image the colors alone.
FOVEA_API Image<std::uint8_t> segments_picture(ImageView<const std::uint16_t> labels,
                                               ImageView<const std::uint8_t> image = {});

}  // namespace fovea::flow
