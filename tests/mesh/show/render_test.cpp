#include <fovea/core/error.h>
#include <fovea/mesh/show.h>

#include <algorithm>
#include <cmath>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

constexpr report::Color kRed{200, 40, 40};
constexpr report::Color kBlue{40, 40, 200};
const RenderOptions kFrontal{.size = {100, 100}, .azimuth = 0, .elevation = 0, .supersample = 1};
// Of a face across the view: ambient 0.35, the rest by the angle to a light 0.4 up and 0.3 left.
const double kFaceOn = 0.35 + 0.65 / std::sqrt(1 + 0.4 * 0.4 + 0.3 * 0.3);

std::array<int, 3> at(const Image<std::uint8_t>& picture, int x, int y) {
  return {picture.at(x, y, 0), picture.at(x, y, 1), picture.at(x, y, 2)};
}
std::array<int, 3> lit(report::Color c) {
  return {static_cast<int>(std::lround(kFaceOn * c.r)),
          static_cast<int>(std::lround(kFaceOn * c.g)),
          static_cast<int>(std::lround(kFaceOn * c.b))};
}

// Half a square of side 2, at height z.
io::TriangleMesh triangle(float z) {
  io::TriangleMesh mesh;
  mesh.vertices = {{-1, -1, z}, {1, -1, z}, {-1, 1, z}};
  mesh.faces = {{0, 1, 2}};
  return mesh;
}

TEST(Render, ATriangleCoversItsPixels) {
  const auto picture = render(triangle(0), std::vector{kRed}, kFrontal);
  ASSERT_EQ(picture.width(), 100);
  const double half = 44;  // all but a margin of 6 %
  const auto covered = [&](int x, int y) {
    const double right = (x + 0.5 - 50) / half, up = (50 - y - 0.5) / half;
    return right >= -1 && up >= -1 && right + up <= 0;
  };
  for (int y = 0; y < 99; ++y) {
    for (int x = 0; x < 99; ++x) {
      const bool here = covered(x, y);
      // Where the next pixel is of another color there is a dark line.
      if (here != covered(x + 1, y) || here != covered(x, y + 1)) {
        EXPECT_LT(at(picture, x, y)[1], 0.36 * 255) << x << " " << y;
      } else {
        EXPECT_EQ(at(picture, x, y), here ? lit(kRed) : (std::array{255, 255, 255}))
            << x << " " << y;
      }
    }
  }
}

TEST(Render, TheNearerFaceIsSeenInAnyOrderOfFaces) {
  const io::TriangleMesh near = triangle(1);
  for (const bool near_first : {false, true}) {
    io::TriangleMesh mesh = near_first ? near : triangle(-1);
    const io::TriangleMesh& second = near_first ? triangle(-1) : near;
    mesh.vertices.insert(mesh.vertices.end(), second.vertices.begin(), second.vertices.end());
    mesh.faces.push_back({3, 4, 5});
    const auto colors = near_first ? std::vector{kRed, kBlue} : std::vector{kBlue, kRed};
    EXPECT_EQ(at(render(mesh, colors, kFrontal), 40, 60), lit(kRed)) << near_first;
    RenderOptions behind = kFrontal;
    behind.azimuth = 180;
    EXPECT_EQ(at(render(mesh, colors, behind), 60, 60), lit(kBlue));
  }
}

TEST(Render, ViewsStandSideBySide) {
  const io::TriangleMesh mesh = test::star(2);
  std::vector<std::int32_t> labels(mesh.faces.size());
  for (std::size_t f = 0; f < labels.size(); ++f) labels[f] = static_cast<std::int32_t>(f % 3);
  const auto colors = part_colors(labels);
  RenderOptions options{.size = {60, 40}, .azimuth = 10, .views = 3, .supersample = 2};
  const auto three = render(mesh, colors, options);
  ASSERT_EQ(three.width(), 180);
  options.azimuth = 130;  // what stood second stands first
  const auto turned = render(mesh, colors, options);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 60; ++x) ASSERT_EQ(at(three, 60 + x, y), at(turned, x, y)) << x << " " << y;
}

TEST(Render, LinesRunBetweenParts) {
  io::TriangleMesh mesh = triangle(0);
  mesh.vertices.push_back({1, 1, 0});
  mesh.faces.push_back({1, 3, 2});
  const std::vector<std::int32_t> one{0, 0}, two{0, 1};
  RenderOptions options = kFrontal;
  const auto darkest = [&](const std::vector<report::Color>& colors) {
    const auto picture = render(mesh, colors, options);
    int least = 255;
    for (int i = 20; i < 80; ++i) least = std::min<int>(least, picture.at(i, i, 0));
    return least;
  };
  const int line = static_cast<int>(std::lround(0.35 * kFaceOn * kRed.r));
  EXPECT_EQ(darkest({kRed, kRed}), lit(kRed)[0]);
  options.parts = two;
  EXPECT_EQ(darkest({kRed, kRed}), line);
  options.parts = one;
  const report::Color lighter{220, 40, 40};
  EXPECT_EQ(darkest({kRed, lighter}), lit(kRed)[0]);
  options.parts = {};
  EXPECT_EQ(darkest({kRed, lighter}), line);
}

TEST(Render, IsEqualForAnyNumberOfThreads) {
  const io::TriangleMesh mesh = test::star(3);
  const std::vector<report::Color> colors(mesh.faces.size(), kRed);
  RenderOptions options{.size = {120, 90}};
  options.exec.threads = 1;
  const auto one = render(mesh, colors, options);
  options.exec.threads = 3;
  const auto three = render(mesh, colors, options);
  for (int y = 0; y < 90; ++y)
    ASSERT_TRUE(std::equal(one.row(y), one.row(y) + 3 * 120, three.row(y))) << y;
}

TEST(Render, FacesWithoutAreaAreNotSeenAndBadInputIsNamed) {
  io::TriangleMesh mesh = triangle(0);
  mesh.faces.push_back({0, 0, 1});
  const auto picture = render(mesh, std::vector{kRed, kBlue}, kFrontal);
  EXPECT_EQ(at(picture, 40, 60), lit(kRed));
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { render(mesh, std::vector{kRed}, kFrontal); }),
            "1 colors for a mesh of 2 faces; expected one each");
  RenderOptions tiny = kFrontal;
  tiny.size.width = 1;
  EXPECT_THROW(render(mesh, std::vector{kRed, kBlue}, tiny), InvalidArgument);
}

}  // namespace
}  // namespace fovea::mesh
