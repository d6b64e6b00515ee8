// Covers: frame_files
#include "operations/emd/track_frames.h"

#include <fovea/core/random.h>
#include <fovea/emd/track.h>
#include <fovea/io/cube_io.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kCubes = 5, kCubeBands = 5;
constexpr const char* kBox = "20,20,14,12";

// A square that differs from the ground in the last band alone.
template <class T>
Stack<T> cube_at(int frame) {
  Stack<T> cube(80, 60, kCubeBands);
  Random random(3, static_cast<std::uint64_t>(frame));
  const int left = 20 + 3 * frame, top = 20 + frame;
  for (int b = 0; b < kCubeBands; ++b)
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 80; ++x) {
        const bool inside = x >= left && x < left + 14 && y >= top && y < top + 12;
        const float value = 100 + 4.0F * static_cast<float>(x / 16) + random.uniform(-6, 6) +
                            (inside && b == kCubeBands - 1 ? 70.0F : 0.0F);
        cube.plane(b).at(x, y) = static_cast<T>(value);
      }
  return cube;
}

class EmdTrackFrames : public testing::Test {
 protected:
  Ended track(std::vector<std::string> more) const {
    more.insert(more.begin(), {"emd", "track"});
    more.emplace_back("--quiet");
    return run_here(more);
  }
  // Writes cubes of T, and returns the folder.
  template <class T>
  std::string cubes(const std::string& name, const std::string& extension) const {
    std::filesystem::create_directories(folder_ / name);
    for (int i = 0; i < kCubes; ++i)
      io::write_cube(folder_ / (name + "/" + std::to_string(i) + extension), {cube_at<T>(i), {}});
    return folder_ / name;
  }
  void expect_followed(const Ended& ended) const {
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json result = json::parse(ended.out);
    EXPECT_EQ(result["frames"], kCubes);
    EXPECT_EQ(result["bands"], kCubeBands);
    EXPECT_EQ(result["width"], 80);
    const auto box = result["tracks"].back()["box"].get<std::vector<double>>();
    const Rect<double> found{box[0], box[1], box[2], box[3]};
    EXPECT_GT(overlap(found, Rect<double>{32, 24, 14, 12}), 0.7);
  }
  test::TempFolder folder_;
};

TEST_F(EmdTrackFrames, FoldersOfCubesKeepAllTheirBands) {
  expect_followed(track({cubes<std::uint16_t>("envi", ".hdr"), "--target", kBox, "--json"}));
  expect_followed(track({cubes<float>("floats", ".hdr"), "--target", kBox, "--json"}));
  expect_followed(track({cubes<std::uint8_t>("tiff", ".tif"), "--target", kBox, "--json"}));
  const Ended glob = track({folder_ / "envi/*.hdr", "--target", kBox, "--json"});
  expect_followed(glob);
}

TEST_F(EmdTrackFrames, RawVideoIsDescribedByAHeader) {
  cubes<std::uint16_t>("envi", ".hdr");
  std::string raw;
  for (int i = 0; i < kCubes; ++i)
    raw += test::load(folder_ / ("envi/" + std::to_string(i) + ".img"));
  test::save(folder_ / "video.raw", raw);
  const std::string header = folder_ / "envi/0.hdr";
  const Ended whole =
      track({folder_ / "video.raw", "--header", header, "--target", kBox, "--json"});
  expect_followed(whole);
  const json by_files = json::parse(track({folder_ / "envi", "--target", kBox, "--json"}).out);
  EXPECT_EQ(json::parse(whole.out)["tracks"], by_files["tracks"]);

  // A video that breaks off keeps what was found before.
  test::save(folder_ / "short.raw", raw.substr(0, raw.size() - 100));
  const Ended cut =
      track({folder_ / "short.raw", "--header", header, "--target", kBox, "-o", folder_ / "t.txt"});
  EXPECT_EQ(cut.status, kBadInput);
  EXPECT_THAT(cut.err, HasSubstr("ends within cube 4"));
  EXPECT_EQ(emd::read_boxes(folder_ / "t.txt", 1).size(), 4U);
  const Ended later = track({folder_ / "video.raw", "--header", header, "--frame", "2", "--target",
                             "26,22,14,12", "--json"});
  EXPECT_EQ(json::parse(later.out)["tracks"][0]["frame"], 2);
}

TEST_F(EmdTrackFrames, BandsAreChosen) {
  const std::string envi = cubes<std::uint16_t>("envi", ".hdr");
  const json last = json::parse(track({envi, "--bands", "2-4", "--target", kBox, "--json"}).out);
  EXPECT_EQ(last["bands"], 3);
  const json gray = json::parse(track({envi, "--bands", "mean", "--target", kBox, "--json"}).out);
  EXPECT_EQ(gray["bands"], 1);
  EXPECT_EQ(gray["targets"][0]["parts"], true);
  const auto refused = [&](const char* words, const char* message) {
    const Ended ended = track({envi, "--bands", words, "--target", kBox, "--json"});
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  refused("7", "--bands names band 7, but");
  refused("x", "--bands is 'x'; expected numbers");
}

TEST_F(EmdTrackFrames, FramesWithoutNumbersAreNamedOrLeaveBoxes) {
  const std::string all = folder_ / "all", later = cubes<float>("later", ".hdr");
  std::filesystem::create_directories(all);
  for (const std::string& path : {later + "/1.hdr", all + "/0.hdr"}) {
    Stack<float> nothing(80, 60, kCubeBands);
    for (int b = 0; b < kCubeBands; ++b)
      for (int y = 0; y < 60; ++y)
        std::fill_n(nothing.plane(b).row(y), 80, std::numeric_limits<float>::quiet_NaN());
    io::write_cube(path, {std::move(nothing), {}});
  }
  const Ended refused = track({all, "--target", kBox, "-o", folder_ / "all.txt"});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("0.hdr: all 24000 samples are NaN or infinite"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "all.txt"));
  const json gap = json::parse(track({later, "--target", kBox, "--json"}).out);
  EXPECT_EQ(gap["tracks"][1]["box"], gap["tracks"][0]["box"]);
  EXPECT_NEAR(gap["tracks"][4]["box"][0].get<double>(), 32, 2);
}

TEST_F(EmdTrackFrames, PicturesShowThreeBands) {
  const Ended ended = track({cubes<std::uint16_t>("envi", ".hdr"), "--target", kBox, "--video",
                             folder_ / "drawn/", "--map-video", folder_ / "map/"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(io::image_info(folder_ / "drawn/000004.png").channels, 3);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "map/000004.png"));
}

TEST_F(EmdTrackFrames, ExamplesHaveTheBandsOfFrames) {
  const std::string envi = cubes<std::uint16_t>("envi", ".hdr");
  const Stack<std::uint16_t> cube = cube_at<std::uint16_t>(0);
  Stack<std::uint16_t> example(14, 12, kCubeBands);
  for (int b = 0; b < kCubeBands; ++b) copy(cube.plane(b).crop(20, 20, 14, 12), example.plane(b));
  io::write_cube(folder_ / "e.hdr", {std::move(example), {}});
  expect_followed(track({envi, "--target", folder_ / "e.hdr", "--json"}));
  io::write_cube(folder_ / "f.hdr", {Stack<std::uint16_t>(14, 12, 2), {}});
  const Ended refused = track({envi, "--target", folder_ / "f.hdr", "--json"});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("f.hdr: has 2 bands, but the frames have 5"));
}

TEST_F(EmdTrackFrames, FramesThatDifferAreNamedAndEarlierOnesKept) {
  const auto refused = [&](const std::string& folder, const char* words) {
    const Ended ended = track({folder, "--target", kBox, "-o", folder_ / "t.txt"});
    EXPECT_EQ(ended.status, kBadInput) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(emd::read_boxes(folder_ / "t.txt", 1).size(), 3U);
  };
  const std::string bands = cubes<std::uint16_t>("bands", ".hdr");
  io::write_cube(folder_ / "bands/3.hdr", {Stack<std::uint16_t>(80, 60, 4), {}});
  refused(bands, "3.hdr: has 80x60 pixels with 4 bands, but the first frame has 80x60 with 5");
  const std::string size = cubes<std::uint16_t>("size", ".hdr");
  io::write_cube(folder_ / "size/3.hdr", {Stack<std::uint16_t>(80, 50, kCubeBands), {}});
  refused(size, "3.hdr: has 80x50 pixels");
  // Colors whose fourth frame has four bands, which must not be cut to three.
  std::filesystem::create_directories(folder_ / "colors");
  for (int i = 0; i < kCubes; ++i) {
    Image<std::uint8_t> image(80, 60, i == 3 ? 4 : 3);
    for (int y = 0; y < 60; ++y) std::fill_n(image.row(y), image.view().row_elements(), 90);
    for (int y = 20; y < 32; ++y) std::fill_n(&image.at(20, y), 14 * image.channels(), 200);
    io::write_image(folder_ / ("colors/" + std::to_string(i) + ".tif"), image.view(),
                    {.alpha = io::Alpha::kNone});
  }
  refused(folder_ / "colors", "3.tif: has more than gray or RGB of 8 bits, as the first frame has");
}

TEST_F(EmdTrackFrames, WhatCannotBeReadOrCombinedIsRefused) {
  const std::string envi = cubes<std::uint16_t>("envi", ".hdr");
  test::save(folder_ / "truth.txt", "20,20,14,12\n");
  const Ended rivals = track({envi, "--truth", folder_ / "truth.txt", "--rivals"});
  EXPECT_EQ(rivals.status, kUsage);
  EXPECT_THAT(rivals.err, HasSubstr("--rivals compares trackers of colors"));
  const Ended outside = track({envi, "--target", "90,90,9,9", "--json"});
  EXPECT_EQ(outside.status, kUsage);
  EXPECT_THAT(outside.err, HasSubstr("has 0x0 pixels within the frame of 80x60"));
  const Ended header = track({envi, "--header", folder_ / "none.hdr", "--target", kBox, "--json"});
  EXPECT_EQ(header.status, kBadInput);
  EXPECT_THAT(header.err, HasSubstr("none.hdr"));
}

}  // namespace
}  // namespace fovea::cli
