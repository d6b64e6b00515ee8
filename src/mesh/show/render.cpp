// Draws the mesh as an image: orthographic, rasterized with a depth buffer at several samples per
// pixel, flat shaded by a light over the viewer's shoulder. The time is proportional to the samples
// that faces cover.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

constexpr int kBand = 32;         // rows of samples that one thread draws
constexpr double kMargin = 0.06;  // share of the image on each side of the mesh
constexpr double kInk = 0.35;     // share of the color that remains on lines between segments
constexpr double kAmbient = 0.35;

// The view of the mesh: right, up and toward the viewer, and the point in the middle.
struct Camera {
  Vector right, up, towards;
  double across = 0, above = 0;  // coordinates of the middle of the view
  double scale = 1;              // pixels per unit
};

Camera camera(double azimuth, double elevation) {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  const Vector towards{std::cos(e) * std::sin(a), std::sin(e), std::cos(e) * std::cos(a)};
  const Vector right{std::cos(a), 0, -std::sin(a)};
  return {.right = right, .up = cross(towards, right), .towards = towards};
}

// All views have the same scale, the largest that leaves a margin around each.
std::vector<Camera> cameras(const io::TriangleMesh& mesh, const RenderOptions& options) {
  std::vector<Camera> views;
  double scale = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.views; ++i) {
    Camera view = camera(options.azimuth + 360.0 * i / options.views, options.elevation);
    constexpr double kFar = std::numeric_limits<double>::infinity();
    double left = kFar, right = -kFar, low = kFar, high = -kFar;
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vector at = corner(mesh, f, c);
        left = std::min(left, dot(at, view.right));
        right = std::max(right, dot(at, view.right));
        low = std::min(low, dot(at, view.up));
        high = std::max(high, dot(at, view.up));
      }
    }
    view.across = (left + right) / 2;
    view.above = (low + high) / 2;
    constexpr double kUsed = 1 - 2 * kMargin;
    if (right > left) scale = std::min(scale, kUsed * options.size.width / (right - left));
    if (high > low) scale = std::min(scale, kUsed * options.size.height / (high - low));
    views.push_back(view);
  }
  for (Camera& view : views) view.scale = std::isfinite(scale) ? scale : 1;
  return views;
}

// A face on the grid of samples.
struct Projected {
  std::array<std::array<double, 3>, 3> corner;  // x, y, depth
  double shade = 1;
  double low = 0, high = -1;  // range of y
};

// Projects faces to a view of `size` samples, with `samples` per side of a pixel.
std::vector<Projected> project(const io::TriangleMesh& mesh, const Camera& view, int samples,
                               std::array<int, 2> size) {
  const double scale = view.scale * samples;
  const Vector light = unit(view.towards + 0.4 * view.up - 0.3 * view.right);
  std::vector<Projected> faces(mesh.faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    std::array<Vector, 3> at{};
    for (std::size_t i = 0; i < 3; ++i) {
      at[i] = corner(mesh, f, i);
      faces[f].corner[i] = {size[0] / 2.0 + scale * (dot(at[i], view.right) - view.across),
                            size[1] / 2.0 - scale * (dot(at[i], view.up) - view.above),
                            -scale * dot(at[i], view.towards)};
    }
    const Vector normal = unit(cross(at[1] - at[0], at[2] - at[0]));
    faces[f].shade = kAmbient + (1 - kAmbient) * std::abs(dot(normal, light));
    const auto& c = faces[f].corner;
    faces[f].low = std::min({c[0][1], c[1][1], c[2][1]});
    faces[f].high = std::max({c[0][1], c[1][1], c[2][1]});
  }
  return faces;
}

// Which face is seen by each sample of some rows, -1 for none.
class Band {
 public:
  Band(int width, int first, int rows)
      : width_(width),
        first_(first),
        rows_(rows),
        face_(static_cast<std::size_t>(width) * rows, -1),
        depth_(face_.size(), std::numeric_limits<float>::infinity()) {}

  int at(int x, int y) const {
    return face_[static_cast<std::size_t>(y - first_) * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(x)];
  }

  void draw(const Projected& face, int index) {
    if (face.high < first_ || face.low > first_ + rows_) return;
    const auto& c = face.corner;
    const double area =
        (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    if (!(std::abs(area) > 0)) return;
    const int top = std::max(first_, static_cast<int>(std::ceil(face.low - 0.5)));
    const int bottom = std::min(first_ + rows_ - 1, static_cast<int>(std::floor(face.high - 0.5)));
    const double left = std::min({c[0][0], c[1][0], c[2][0]});
    const double right = std::max({c[0][0], c[1][0], c[2][0]});
    const int begin = std::max(0, static_cast<int>(std::ceil(left - 0.5)));
    const int end = std::min(width_ - 1, static_cast<int>(std::floor(right - 0.5)));
    for (int y = top; y <= bottom; ++y) {
      for (int x = begin; x <= end; ++x) {
        const double px = x + 0.5, py = y + 0.5;
        const double w0 =
            ((c[1][0] - px) * (c[2][1] - py) - (c[2][0] - px) * (c[1][1] - py)) / area;
        const double w1 =
            ((c[2][0] - px) * (c[0][1] - py) - (c[0][0] - px) * (c[2][1] - py)) / area;
        const double w2 = 1 - w0 - w1;
        if (w0 < 0 || w1 < 0 || w2 < 0) continue;
        const auto depth = static_cast<float>(w0 * c[0][2] + w1 * c[1][2] + w2 * c[2][2]);
        const std::size_t i =
            static_cast<std::size_t>(y - first_) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x);
        if (depth < depth_[i]) {  // of equal depths the first face stays
          depth_[i] = depth;
          face_[i] = index;
        }
      }
    }
  }

 private:
  int width_, first_, rows_;
  std::vector<std::int32_t> face_;
  std::vector<float> depth_;
};

// Draws one view into its part of the image.
void draw_view(const io::TriangleMesh& mesh, std::span<const report::Color> colors,
               const RenderOptions& options, const Camera& view, ImageView<std::uint8_t> to) {
  const int samples = options.supersample;
  const int width = to.width * samples, height = to.height * samples;
  const auto faces = project(mesh, view, samples, {width, height});
  // Whether there is a line between two samples that see these faces.
  const auto apart = [&](int a, int b) {
    if (a == b) return false;
    if (a < 0 || b < 0) return true;
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return options.parts.empty() ? !(colors[i] == colors[j]) : options.parts[i] != options.parts[j];
  };
  const int rows_a_band = kBand * samples;
  parallel_for(options.exec, to.height, kBand, [&](std::int64_t from, std::int64_t until) {
    const int first = static_cast<int>(from) * samples;
    // One more row is drawn below, because a line is drawn where the next sample sees another part.
    Band band(width, first, std::min(rows_a_band + 1, height - first));
    for (std::size_t f = 0; f < faces.size(); ++f) band.draw(faces[f], static_cast<int>(f));
    for (int y = static_cast<int>(from); y < static_cast<int>(until); ++y) {
      for (int x = 0; x < to.width; ++x) {
        double sum[3] = {0, 0, 0};
        for (int sy = y * samples; sy < (y + 1) * samples; ++sy) {
          for (int sx = x * samples; sx < (x + 1) * samples; ++sx) {
            const int face = band.at(sx, sy);
            const report::Color& c =
                face < 0 ? options.background : colors[static_cast<std::size_t>(face)];
            const bool line = (sx + 1 < width && apart(face, band.at(sx + 1, sy))) ||
                              (sy + 1 < height && apart(face, band.at(sx, sy + 1)));
            const double shade =
                (face < 0 ? 1 : faces[static_cast<std::size_t>(face)].shade) * (line ? kInk : 1);
            sum[0] += shade * c.r;
            sum[1] += shade * c.g;
            sum[2] += shade * c.b;
          }
        }
        for (int i = 0; i < 3; ++i)
          to.at(x, y, i) = static_cast<std::uint8_t>(std::lround(sum[i] / (samples * samples)));
      }
    }
  });
}

}  // namespace

void describe(OptionVisitor& visit, RenderOptions& options) {
  visit("width", options.size.width, "the width of one view in pixels", 16, 8192);
  visit("height", options.size.height, "the height of one view in pixels", 16, 8192);
  visit("azimuth", options.azimuth, "how far the mesh is turned about the upright axis, in degrees",
        -360, 360);
  visit("elevation", options.elevation, "how high the viewer stands above the horizon, in degrees",
        -90, 90);
  visit("views", options.views,
        "how many views stand side by side, turned evenly about the upright axis", 1, 16);
  visit("supersample", options.supersample, "how many samples a pixel has in each direction", 1, 8);
}

Image<std::uint8_t> render(const io::TriangleMesh& mesh, std::span<const report::Color> colors,
                           const RenderOptions& options) {
  check_options(options);
  if (mesh.faces.empty() || colors.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} colors for a mesh of {} faces; expected one each",
                                      colors.size(), mesh.faces.size()));
  if (!options.parts.empty() && options.parts.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} parts for a mesh of {} faces; expected one each",
                                      options.parts.size(), mesh.faces.size()));
  Image<std::uint8_t> picture(options.size.width * options.views, options.size.height, 3);
  const std::vector<Camera> views = cameras(mesh, options);
  for (std::size_t i = 0; i < views.size(); ++i)
    draw_view(mesh, colors, options, views[i],
              picture.view().crop(static_cast<int>(i) * options.size.width, 0, options.size.width,
                                  options.size.height));
  return picture;
}

}  // namespace fovea::mesh
