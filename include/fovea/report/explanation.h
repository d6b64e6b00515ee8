#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>
#include <fovea/report/page.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The answer to the question why a result is what it is, in a form that every face can show. Each
// system computes its own numbers (fovea/people/explain.h and its like) and presents them in this
// form.
namespace fovea::report {

// Something that spoke for the result, with a positive value, or against it.
struct Reason {
  std::string name{};    // a few words, such as "stage 3"
  double value = 0;      // its share of Explanation::total
  std::string text{};    // one sentence, or empty
  Rect<double> place{};  // where in the picture; empty for a reason without a place
};

// Values over a part of the picture.
struct HeatLayer {
  std::string name{};
  std::string text{};      // one sentence that says what the values are
  Rect<double> place{};    // the part of the picture over which the values are stretched
  Image<float> values{};   // one channel, in host memory; NaN where there is none
  bool diverging = false;  // signed values around 0: for and against
};

// One value per face of a mesh.
struct FaceLayer {
  std::string name{};
  std::string text{};
  std::vector<float> values{};
};

enum class ShapeKind : unsigned char { kBox, kLine, kPolygon, kArrow, kDots };
FOVEA_API std::span<const Choice> choices(ShapeKind);

// Something to draw over the picture.
struct Shape {
  ShapeKind kind = ShapeKind::kBox;
  std::vector<Point> points{};  // two opposite corners of a box; from and to of an arrow
  std::string name{};           // shown beside it; may be empty
  double weight = 1;            // how much it counts: thickness, 1 for the strongest
  Color color = palette(0);
  int frame = -1;  // of a video; -1: the one that is explained
};

struct Explanation {
  std::string title{};       // such as "Why this window counts as a person"
  std::string summary{};     // whole sentences
  std::string total_name{};  // what the reasons add up to, such as "score"
  double total = 0;
  Rect<double> place{};              // what is explained, in pixels of the picture
  std::vector<Reason> reasons{};     // the most important first
  double rest = 0;                   // what reasons that are not listed add to the total
  std::vector<HeatLayer> layers{};   // the most important first
  std::vector<FaceLayer> surface{};  // for meshes
  std::vector<Shape> shapes{};
  std::vector<Table> tables{};
};
FOVEA_API void describe(FieldVisitor& visit, Reason& reason);
FOVEA_API void describe(FieldVisitor& visit, HeatLayer& layer);
FOVEA_API void describe(FieldVisitor& visit, FaceLayer& layer);
FOVEA_API void describe(FieldVisitor& visit, Shape& shape);
FOVEA_API void describe(FieldVisitor& visit, Explanation& explanation);

// Keeps the `most` reasons with the largest values, whatever their signs, the largest first; the
// others go into `rest`.
FOVEA_API void keep_largest(Explanation& explanation, std::size_t most);

// The explanation as lines of plain text: title, summary, reasons with their values, tables.
FOVEA_API std::string to_text(const Explanation& explanation);

enum class LayerValues : unsigned char { kNone, kAll };
// The explanation as one JSON object; without the values of layers it has their sizes and ranges.
FOVEA_API std::string to_json(const Explanation& explanation,
                              LayerValues values = LayerValues::kAll);

// A layer as an RGB picture with one pixel per value, and the range of its colors. Diverging layers
// are blue where they speak against the result, and red where they speak for it.
FOVEA_API ColorMapOptions colors_of(const HeatLayer& layer);
FOVEA_API Image<std::uint8_t> draw_layer(const HeatLayer& layer);

struct ExplanationPictureOptions {
  float heat_alpha = 0.6F;   // how much of the picture a layer covers
  int least_width = 480;     // smaller pictures are enlarged by a whole number
  double margin = 0.5;       // surroundings of the place that is shown, relative to its size
  bool whole_image = false;  // show all of the picture instead of the place and its surroundings
};
FOVEA_API void describe(OptionVisitor& visit, ExplanationPictureOptions& options);

// The explanation over the picture that it belongs to: one picture per layer, side by side, each
// with its caption and color bar, the place, and the shapes of the frame that is explained. The
// image is gray or RGB, in host memory.
FOVEA_API Image<std::uint8_t> draw_explanation(ImageView<const std::uint8_t> image,
                                               const Explanation& explanation,
                                               const ExplanationPictureOptions& options = {});

}  // namespace fovea::report
