// Points and gradients beside those of STIP-2.0 itself, on the clips that came with it. They are
// not ours to ship: FOVEA_STIP2 names the folder with walk-simple.avi, walk-complex.avi and
// walk-samples-stip.txt.
#include <fovea/actions/points.h>
#include <fovea/io/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "actions/clips.h"

namespace fovea::actions {
namespace {

PointSet points_of(const std::string& path, const std::string& video) {
  std::ifstream file(path);
  std::string line, part;
  bool here = false;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) here = line.find(video) != std::string::npos;
    else if (here) part += line + "\n";
  }
  return read_points(std::as_bytes(std::span(part)), path);
}

test::Clip frames_of(const std::string& path) {
  io::VideoReadOptions options;
  options.color = io::VideoColor::kGray;
  io::VideoReader reader(path, options);
  test::Clip clip;
  for (io::Frame frame; reader.next(frame);) clip.push_back(clone(frame.image));
  return clip;
}

// It begins where a patch fits and ends where filters do.
bool in_its_range(const SpaceTimePoint& point, int frames) {
  return point.tau2 == 2 ? point.frame >= 7 && point.frame <= frames - 13
                         : point.frame >= 9 && point.frame <= frames - 17;
}
bool near(const SpaceTimePoint& a, const SpaceTimePoint& b) {
  if (a.sigma2 != b.sigma2 || a.tau2 != b.tau2) return false;
  const float half = std::sqrt(a.sigma2) / 2;
  return std::abs(a.x - b.x) / half + std::abs(a.y - b.y) / half +
             static_cast<float>(std::abs(a.frame - b.frame)) <=
         4;
}

TEST(PointsStipTest, AsStip2) {
  const char* folder = std::getenv("FOVEA_STIP2");
  if (folder == nullptr) GTEST_SKIP() << "FOVEA_STIP2 names no folder with STIP-2.0's clips";
  for (const std::string video : {"walk-simple", "walk-complex"}) {
    const test::Clip clip = frames_of(folder + ("/" + video) + ".avi");
    const auto views = test::views_of(clip);
    const PointSet theirs = points_of(folder + std::string("/walk-samples-stip.txt"), video);
    PointOptions options;
    options.harris = {};
    options.harris.threshold = 1e-9;
    const PointSet ours = find_points(views, options);
    double count = 0, found = 0, difference = 0;
    for (const SpaceTimePoint& point : ours.points)
      count += in_its_range(point, static_cast<int>(clip.size()));
    for (const SpaceTimePoint& point : theirs.points)
      found += std::any_of(ours.points.begin(), ours.points.end(),
                           [&](const SpaceTimePoint& one) { return near(point, one); });
    const Image<float> rows = describe_points(views, theirs.points, options);
    for (int i = 0; i < rows.height(); ++i)
      for (int b = 0; b < kHogSize; ++b)
        difference += std::abs(rows.at(b, i) - theirs.descriptors.at(b, i)) / kHogSize;
    const auto total = static_cast<double>(theirs.points.size());
    std::printf("%s: recall %.3f, count %+.1f %%, HoG %.4f\n", video.c_str(), found / total,
                100 * (count / total - 1), difference / total);
    EXPECT_GE(found / total, 0.95);
    EXPECT_NEAR(count / total, 1, 0.1);
    EXPECT_LE(difference / total, 0.03);
  }
}

}  // namespace
}  // namespace fovea::actions
