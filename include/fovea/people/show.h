#pragma once
#include <fovea/core/image.h>
#include <fovea/people/detection.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/model.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Pictures of detections, of what detectors see, of what models have learned, and of how well they
// find people.
namespace fovea::people {

// Draws each person's box with its score, the highest score on top. The image is gray or RGB, in
// host memory; draw on an RGB image to get boxes in color.
FOVEA_API void draw_people(ImageView<std::uint8_t> image, std::span<const Detection> people);

// The gradients of an image as glyphs: one star per cell, `glyph` pixels wide. A line of a star
// lies along the edges of its orientation, across the gradient, and is brighter the stronger they
// are among the cells around. The picture is gray; cells that the border cuts off are left out.
FOVEA_API Image<std::uint8_t> hog_glyphs(ImageView<const std::uint8_t> image,
                                         const HogOptions& options = {}, int glyph = 16);

// A picture with a caption that says what it shows.
struct ModelPicture {
  std::string caption;
  Image<std::uint8_t> image;  // gray or RGB
};

// What a model has learned. For a linear classifier: glyphs of the weights for a person, and of the
// weights against. For a cascade: the blocks of its first stages, drawn in the window. For boosted
// channels: how many trees use each cell of each channel.
FOVEA_API std::vector<ModelPicture> model_pictures(const Model& model, int glyph = 16);

enum class CurveUnit : unsigned char { kImage, kWindow };
// The chart of miss rates over false positives per image or per window, without curves; both axes
// are logarithmic. And a curve of it: `chosen` is the threshold that is used where nothing else is
// asked for, `summary` the miss rate that curves are compared by. report::to_svg() draws it.
FOVEA_API report::EvaluationChart miss_rate_chart(CurveUnit unit);
FOVEA_API void add_miss_rates(report::EvaluationChart& chart, const std::string& name,
                              std::optional<double> chosen, std::span<const CurvePoint> curve,
                              double summary);

}  // namespace fovea::people
