#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/io/mesh_io.h>
#include <fovea/report/color_map.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::mesh {

// A color a segment: far apart, also for neighbors by number.
FOVEA_API std::vector<report::Color> segment_colors(std::span<const std::int32_t> labels);
// A color a face by a value, such as a distance.
FOVEA_API std::vector<report::Color> value_colors(std::span<const float> values,
                                                  report::ColorMap map);

struct RenderOptions {
  int width = 480;  // pixels of a view, 16 to 8192
  int height = 480;
  double azimuth = 30;    // degrees around the upright axis
  double elevation = 20;  // degrees above the horizon
  int views = 1;          // side by side, turned evenly around the upright axis
  int supersample = 3;    // squared samples a pixel
  report::Color background = report::kWhite;
  // Of each face: dark lines run between different ones. Empty: between different colors.
  std::span<const std::int32_t> parts{};
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, RenderOptions& options);

// The mesh drawn without any display: a software rasterizer with depth, light from the viewer's
// shoulder and dark lines around parts. Views have one scale, so that the mesh fills the fullest.
// Equal for any number of threads.
FOVEA_API Image<std::uint8_t> render(const io::TriangleMesh& mesh,
                                     std::span<const report::Color> colors,
                                     const RenderOptions& options = {});

// A page with the mesh to be turned by hand, in a file that needs nothing else: geometry and
// colors lie within, drawn by WebGL, and without it by the processor. Labels are below 65536.
struct ModelView {
  std::string title{};
  std::string text{};
  std::vector<std::string> names{};  // of the segments, for the legend; without one: "part N"
};
FOVEA_API std::string model_page(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                                 const ModelView& view = {});

}  // namespace fovea::mesh
