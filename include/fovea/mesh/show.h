#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/hierarchy.h>
#include <fovea/report/color_map.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::mesh {

// One color per face, chosen by its label. Consecutive labels have colors that are easy to
// distinguish.
FOVEA_API std::vector<report::Color> part_colors(std::span<const std::int32_t> labels);
// One color per face, chosen by a value such as a distance.
FOVEA_API std::vector<report::Color> value_colors(std::span<const float> values,
                                                  report::ColorMap map);
// A picture whose faces have the colors of values by ColorMap::kTide, with a color bar to its right
// that explains them.
FOVEA_API Image<std::uint8_t> with_value_bar(ImageView<const std::uint8_t> picture,
                                             std::span<const float> values,
                                             const std::string& title);

struct RenderOptions {
  Extent size{480, 480};  // of one view in pixels; both sides 16 to 8192
  double azimuth = 30;    // degrees around the upright axis
  double elevation = 20;  // degrees above the horizon
  int views = 1;          // how many views stand side by side, turned evenly about the upright axis
  int supersample = 3;    // each pixel is the mean of this number squared of samples
  report::Color background = report::kWhite;
  // One label per face: dark lines are drawn between faces with different labels. Where it is
  // empty, they are drawn between faces with different colors.
  std::span<const std::int32_t> parts{};
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, RenderOptions& options);

// Draws a mesh without a display, by a software rasterizer with a depth buffer, one light and dark
// lines between parts. All views have the same scale, by which the largest of them is filled. The
// picture is the same for any number of threads.
FOVEA_API Image<std::uint8_t> render(const io::TriangleMesh& mesh,
                                     std::span<const report::Color> colors,
                                     const RenderOptions& options = {});

struct ModelPageOptions {
  std::string title{};
  std::string text{};                // a line below the title
  std::vector<std::string> names{};  // the names of parts in the legend; others are "part N"
  // The tree of the parts (Segmentation::hierarchy). Where it has several levels, the page has a
  // slider that opens them one after the other.
  std::vector<HierarchyNode> hierarchy{};
};
FOVEA_API void describe(OptionVisitor& visit, ModelPageOptions& options);

// An HTML page on which the mesh can be turned by hand. The file holds everything that it needs and
// works offline. WebGL draws the mesh, and the processor does where there is no WebGL. Labels must
// be below 65536.
FOVEA_API std::string model_page(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                                 const ModelPageOptions& options = {});

// What other pages need to show a mesh in the same way. The modules are plain ES modules:
// mesh_view.js has the class MeshView, and imports mesh_model.js and mesh_drawing.js from its own
// folder. Empty for another name.
FOVEA_API std::string_view model_module(std::string_view name);
// A mesh as readShape() in mesh_model.js takes it, and its parts as readParts() does. Labels must
// be below 65536. The hierarchy is that of ModelPageOptions.
FOVEA_API std::string shape_json(const io::TriangleMesh& mesh);
FOVEA_API std::string parts_json(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                                 std::span<const HierarchyNode> hierarchy = {});

}  // namespace fovea::mesh
