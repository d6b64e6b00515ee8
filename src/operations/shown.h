// What people see of a result beside its record: boxes over the picture, rasters, colors of a mesh,
// sentences. The page shows it, and its boxes say what is right where the truth is known.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/color_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::operations {

// What a box means where the truth is known.
enum class MarkKind : unsigned char {
  kPlain,
  kHit,     // found, and there
  kFalse,   // found, and not there
  kMissed,  // there, and not found
  kTrue,    // there, and found by a box of its own
  kIgnored  // counts nothing: an unclear object, or what was found there
};
std::span<const Choice> choices(MarkKind);

// A box of any numbers.
template <class Number>
Rect<double> exact(const Rect<Number>& box) {
  return {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
          static_cast<double>(box.height)};
}

// A box over the picture, with a label.
struct Mark {
  Rect<double> box{};
  std::string label{};
  MarkKind kind = MarkKind::kPlain;
};
void describe(FieldVisitor& visit, Mark& mark);

// What is switched on and off: a raster over the picture, or colors of the faces of a mesh.
struct Layer {
  std::string name{};   // in addresses
  std::string title{};  // for people
  std::string text{};   // one sentence that says what is shown
  Image<std::uint8_t> pixels{};
  std::vector<report::Color> colors{};
  bool shown = true;      // at first
  double opacity = 0.85;  // at first
};

struct Shown {
  // Given where the frames of a stream pass by: the range of their colors so far, which goes on
  // from frame to frame. Only layers that are shown at first are wanted then.
  std::optional<double> range{};
  std::string summary{};  // whole sentences
  std::vector<Mark> marks{};
  std::vector<Layer> layers{};
  std::vector<Layer> surfaces{};                         // of a mesh
  std::string parts{};                                   // of a mesh: mesh::parts_json()
  std::vector<std::pair<std::string, double>> scores{};  // bars: a name and a value
  std::string true_score{};                              // the name of the right one, if known
  std::vector<std::pair<std::string, std::string>> facts{};
};

}  // namespace fovea::operations
