// Covers: cube_scene
#include "cli/emd/cube_scene.h"

#include <fovea/emd/scene.h>
#include <fovea/emd/track.h>
#include <fovea/io/cube_io.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

Stack<float> ramp_cube() {
  Stack<float> cube(30, 20, 4);
  for (int b = 0; b < 4; ++b)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x) cube.plane(b).at(x, y) = static_cast<float>(100 * b + 5 * y);
  for (int b = 0; b < 4; ++b)
    for (int y = 8; y < 13; ++y)
      for (int x = 12; x < 18; ++x) cube.plane(b).at(x, y) = 1000;
  return cube;
}

// Without light and noise a frame is the cube with its target at another place.
TEST(EmdCubeScene, MovesTheTargetAndFillsItsPlace) {
  const CubeScene scene(ramp_cube(), {},
                        {.target = {12, 8, 6, 5}, .frames = 40, .light = 0, .noise = 0, .seed = 3});
  EXPECT_EQ(scene.box(0), (Rect<int>{12, 8, 6, 5}));
  bool moved = false;
  for (int i = 0; i < 40; ++i) {
    const Rect<int>& box = scene.box(i);
    moved = moved || box.x != 12;
    EXPECT_EQ(intersect(box, {0, 0, 30, 20}), box);
    if (i > 0) {
      EXPECT_LE(std::hypot(box.x - scene.box(i - 1).x, box.y - scene.box(i - 1).y), 2 + 1.5);
    }
    const Stack<float> frame = scene.frame(i, {});
    for (int b = 0; b < 4; ++b)
      for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 30; ++x) {
          const bool inside = x >= box.x && y >= box.y && x < box.right() && y < box.bottom();
          ASSERT_EQ(frame.plane(b).at(x, y),
                    inside ? 1000.0F : static_cast<float>(100 * b + 5 * y));
        }
  }
  EXPECT_TRUE(moved);
}

TEST(EmdCubeScene, LightAndNoiseFollowFromTheSeedAlone) {
  const CubeSceneOptions options{.target = {12, 8, 6, 5}, .frames = 12, .seed = 4};
  const CubeScene scene(ramp_cube(), {}, options), again(ramp_cube(), {}, options);
  CubeSceneOptions other = options;
  other.seed = 5;
  const CubeScene different(ramp_cube(), {}, other);
  const Stack<float> one = scene.frame(11, {.threads = 1}), two = again.frame(11, {.threads = 3});
  const Stack<float> three = different.frame(11, {});
  double unlike = 0;
  for (int b = 0; b < 4; ++b)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x) {
        ASSERT_EQ(one.plane(b).at(x, y), two.plane(b).at(x, y));
        unlike += std::abs(static_cast<double>(one.plane(b).at(x, y) - three.plane(b).at(x, y)));
      }
  EXPECT_GT(unlike, 0);
}

// The drawn target hides from brightness and three colors.
TEST(EmdCubeScene, TheDrawnTargetStandsOutBetweenTheColorsOnly) {
  const DrawnCube cube = drawn_cube({64, 48}, 37, 2);
  const Rect<int>& box = cube.target;
  const auto mean = [&](int b, bool inside) {
    double sum = 0;
    const int x = inside ? box.x : box.x - box.width;
    for (int y = box.y; y < box.bottom(); ++y)
      for (int i = 0; i < box.width; ++i)
        sum += static_cast<double>(cube.bands.plane(b).at(x + i, y));
    return sum / static_cast<double>(box.area());
  };
  for (const int b : cube.color_bands) {
    const DrawnCube same = drawn_cube({64, 48}, 37, 2);
    EXPECT_EQ(same.bands.plane(b).at(3, 3), cube.bands.plane(b).at(3, 3));
  }
  EXPECT_GT(std::abs(mean(0, true) / mean(6, true) - mean(0, false) / mean(6, false)), 0.1);
}

TEST(EmdSceneProgram, WritesCubesThatTrackFollows) {
  const test::TempFolder folder;
  const std::string cubes = folder / "cubes";
  const Ended drawn = run_here({"emd", "scene", "--size", "64x48", "--drawn-bands", "12",
                                "--frames", "6", "-o", cubes, "--quiet", "--json"});
  ASSERT_EQ(drawn.status, kDone) << drawn.err;
  const auto result = nlohmann::json::parse(drawn.out);
  EXPECT_EQ(result["bands"], 12);
  const auto boxes = emd::read_boxes(cubes + "/boxes.csv");
  ASSERT_EQ(boxes.size(), 6U);
  EXPECT_THAT(test::load(cubes + "/boxes.csv"), testing::StartsWith("# origin 1\n"));
  EXPECT_EQ(io::read_cube(cubes + "/000005.hdr").count(), 12);
  const Ended tracked =
      run_here({"emd", "track", cubes, "--truth", cubes + "/boxes.csv", "--quiet", "--json"});
  ASSERT_EQ(tracked.status, kDone) << tracked.err;
  const auto found = nlohmann::json::parse(tracked.out);
  EXPECT_EQ(found["bands"], 12);
  EXPECT_EQ(found["frames"], 6);
  EXPECT_GT(found["targets"][0]["mean_overlap"].get<double>(), 0.6);
  EXPECT_EQ(found["targets"][0]["missed_frames"], 0);
  // The target starts where the truth says, whatever the file counts from.
  const auto& start = found["tracks"][0]["box"];
  EXPECT_EQ(start[0], boxes.front().x);
  EXPECT_EQ(start[1], boxes.front().y);
  EXPECT_EQ(emd::read_boxes(cubes + "/boxes.csv", 0).front().x, boxes.front().x + 1);
}

TEST(EmdSceneProgram, CubesThatAreThereAreNeitherReplacedNorMixedIn) {
  const test::TempFolder folder;
  const std::string cubes = folder / "cubes";
  const auto draw = [&](const char* frames, bool overwrite) {
    std::vector<std::string> words{"emd",   "scene",         "-o", cubes,      "--size",
                                   "48x48", "--drawn-bands", "8",  "--frames", frames};
    if (overwrite) words.emplace_back("--overwrite");
    return run_here(words);
  };
  EXPECT_EQ(draw("3", false).status, kDone);
  const std::string before = test::load(cubes + "/000000.img");
  const Ended again = draw("3", false);
  EXPECT_EQ(again.status, kUsage);
  EXPECT_THAT(again.err, HasSubstr("has cubes in it"));
  EXPECT_EQ(test::load(cubes + "/000000.img"), before);
  EXPECT_EQ(draw("3", true).status, kDone);
  const Ended shorter = draw("2", true);
  EXPECT_EQ(shorter.status, kUsage);
  EXPECT_THAT(shorter.err, HasSubstr("000002.hdr is there from a longer sequence"));
  const Ended track =
      run_here({"emd", "track", cubes, "--target", "4,4,6,6", "-o", cubes + "/000001.img"});
  EXPECT_EQ(track.status, kUsage);
  EXPECT_THAT(track.err, HasSubstr("is an input and would be replaced"));
}

TEST(EmdSceneProgram, KeepsTheSampleTypeOfACube) {
  const test::TempFolder folder;
  Stack<std::uint16_t> samples(30, 20, 3);
  for (int b = 0; b < 3; ++b)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x)
        samples.plane(b).at(x, y) = static_cast<std::uint16_t>(65000 + 17 * x % 500);
  io::write_cube(folder / "c.hdr", {std::move(samples), {}});
  const Ended made = run_here({"emd", "scene", folder / "c.hdr", "--target", "4,5,6,6", "--frames",
                               "2", "--light", "1", "-o", folder / "out", "--quiet"});
  ASSERT_EQ(made.status, kDone) << made.err;
  EXPECT_EQ(io::read_cube(folder / "out/000001.hdr").type(), io::SampleType::kUint16);
  const auto refused = [&](std::vector<std::string> more, int status, const char* words) {
    more.insert(more.begin(), {"emd", "scene"});
    const Ended ended = run_here(more);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  const std::string cube = folder / "c.hdr", out = folder / "no";
  refused({cube, "--target", "4,5,6,6"}, kUsage, "needs -o");
  refused({cube, "-o", out}, kUsage, "needs --target");
  refused({cube, "-o", out, "--target", "26,5,6,6"}, kUsage,
          "reaches outside of the frame of 30x20");
  refused({cube, "-o", out, "--target", "0,0,30,20"}, kUsage, "leaves no room to move");
  refused({cube, "-o", out, "--target", "a.png"}, kUsage, "expected x,y,width,height");
  refused({"-o", out, "--target", "1,1,5,5"}, kUsage, "belong to a CUBE");
  refused({"-o", out, "--size", "8x8"}, kUsage, "--size is 8x8");
  refused({folder / "none.hdr", "-o", out, "--target", "4,5,6,6"}, kBadInput, "none.hdr");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace fovea::cli
