#include <fovea/io/flow_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/flow/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FlowEstimate : public testing::TestWithParam<const char*> {
 protected:
  FlowEstimate() : scene_(flow_scene(160, 120)) {
    io::write_image(folder_ / "a.png", scene_.first);
    io::write_image(folder_ / "b.png", scene_.second);
    io::write_flow(folder_ / "true.flo", {scene_.u, scene_.v});
  }
  Ended flow(std::vector<std::string> more, const std::stop_token& stop = {}) const {
    more.insert(more.begin(), {"flow", GetParam(), "--quiet"});
    return run_here(more, stop);
  }
  json found(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const Ended ended = flow(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return json::parse(ended.out);
  }
  // Mean distance of a field's vectors from the true ones.
  double error_of(const std::string& name) const {
    const io::FlowField field = io::read_flow(folder_ / name);
    double sum = 0;
    for (int y = 0; y < field.height(); ++y)
      for (int x = 0; x < field.width(); ++x)
        sum +=
            std::hypot(field.u.at(x, y) - scene_.u.at(x, y), field.v.at(x, y) - scene_.v.at(x, y));
    return sum / (field.width() * field.height());
  }
  void write_video(const std::string& name, int frames) const {
    io::VideoWriter writer(folder_ / name, {.frame_rate = 10});
    for (int i = 0; i < frames; ++i) writer.write(flow_scene(160, 120, {}, i).first);
    writer.finish();
  }

  test::TempFolder folder_;
  FlowScene scene_;
};

TEST_P(FlowEstimate, FindsTheMotionOfAPairAndWritesEveryFormat) {
  const json report = found({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "ab.flo"});
  EXPECT_EQ(report["command"], std::string("flow ") + GetParam());
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["output"], folder_ / "ab.flo");
  EXPECT_EQ(report["width"], 160);
  EXPECT_EQ(report["height"], 120);
  EXPECT_GT(report["mean_motion"].get<double>(), 0.2);
  EXPECT_GT(report["mean_confidence"].get<double>(), 0.05);
  EXPECT_GT(report["peak_memory_bytes"].get<double>(), 1e6);
  EXPECT_TRUE(report["working_memory_bytes"].is_number());
  EXPECT_EQ(report["options"]["quality"], "default");
  EXPECT_TRUE(report["options"].is_object());
  EXPECT_LT(error_of("ab.flo"), 0.5);
  for (const char* name : {"ab.png", "ab.pfm", "ab.npy"}) {
    ASSERT_EQ(flow({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / name}).status, kDone);
    EXPECT_LT(error_of(name), 0.51) << name;
  }
}

TEST_P(FlowEstimate, DrawsPictures) {
  const json report =
      found({folder_ / "a.png", folder_ / "b.png", "--picture", "wheel", folder_ / "w.png",
             "--picture", "arrows", folder_ / "r.png", "--picture", "warp", folder_ / "p.png",
             "--picture", "confidence", folder_ / "c.png"});
  EXPECT_EQ(report["pictures"].size(), 4U);
  for (const char* name : {"w.png", "r.png", "p.png", "c.png"})
    EXPECT_EQ(io::read_image(folder_ / name).width(), 160) << name;
  EXPECT_TRUE(test::images_equal(io::to_bytes(io::read_image(folder_ / "a.png")), scene_.first));
}

TEST_P(FlowEstimate, TakesImagesOfAnyDepth) {
  Image<std::uint16_t> wide[2];
  Image<float> real[2];
  for (int i = 0; i < 2; ++i) {
    const Image<std::uint8_t>& gray = i == 0 ? scene_.first : scene_.second;
    wide[i] = Image<std::uint16_t>(160, 120, 3);
    real[i] = Image<float>(160, 120);
    for (int y = 0; y < 120; ++y)
      for (int x = 0; x < 160; ++x) {
        for (int c = 0; c < 3; ++c)
          wide[i].at(x, y, c) = static_cast<std::uint16_t>(257 * gray.at(x, y));
        real[i].at(x, y) = static_cast<float>(gray.at(x, y)) / 255;
      }
  }
  io::write_image(folder_ / "a16.png", wide[0]);
  io::write_image(folder_ / "b16.png", wide[1]);
  io::write_image(folder_ / "a.pfm", real[0]);
  io::write_image(folder_ / "b.tif", real[1]);
  ASSERT_EQ(flow({folder_ / "a16.png", folder_ / "b16.png", "-o", folder_ / "16.flo"}).status,
            kDone);
  EXPECT_LT(error_of("16.flo"), 0.5);
  ASSERT_EQ(flow({folder_ / "a.pfm", folder_ / "b.tif", "-o", folder_ / "f.flo"}).status, kDone);
  EXPECT_LT(error_of("f.flo"), 0.5);
  ASSERT_EQ(flow({folder_ / "a.png", folder_ / "b16.png", "-o", folder_ / "m.flo"}).status, kDone);
  EXPECT_LT(error_of("m.flo"), 0.5);
}

TEST_P(FlowEstimate, WhatTheMaskLeavesOutIsNotKnown) {
  Image<std::uint8_t> mask(160, 120);
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x) mask.at(x, y) = x < 80 ? 0 : 255;
  io::write_image(folder_ / "mask.png", mask);
  found({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "ab.flo", "--mask",
         folder_ / "mask.png"});
  const io::FlowField field = io::read_flow(folder_ / "ab.flo");
  EXPECT_EQ(field.known.at(79, 60), 0);
  EXPECT_EQ(field.known.at(80, 60), 255);
}

// An image in color with transparent pixels left of `edge`, which hold nonsense.
template <class T>
Image<T> with_alpha(const Image<std::uint8_t>& gray, int edge, int scale) {
  Image<T> image(gray.width(), gray.height(), 4);
  for (int y = 0; y < gray.height(); ++y)
    for (int x = 0; x < gray.width(); ++x) {
      const int value = x < edge ? (x * 37 + y * 11) % 256 : gray.at(x, y);
      for (int c = 0; c < 3; ++c) image.at(x, y, c) = static_cast<T>(value * scale);
      image.at(x, y, 3) = static_cast<T>(x < edge ? 0 : 1);
    }
  return image;
}

TEST_P(FlowEstimate, AlphaIsAMaskOfPairsAndVideosAlike) {
  io::write_image(folder_ / "a8.png", with_alpha<std::uint8_t>(scene_.first, 60, 1));
  io::write_image(folder_ / "b8.png", with_alpha<std::uint8_t>(scene_.second, 50, 1));
  io::write_image(folder_ / "a16.tif", with_alpha<std::uint16_t>(scene_.first, 60, 257));
  io::write_image(folder_ / "b16.tif", with_alpha<std::uint16_t>(scene_.second, 50, 257));
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--mask", "alpha"});
    return flow(more);
  };
  ASSERT_EQ(run({folder_ / "a8.png", folder_ / "b8.png", "-o", folder_ / "8.npy"}).status, kDone);
  ASSERT_EQ(run({folder_ / "a16.tif", folder_ / "b16.tif", "-o", folder_ / "16.npy"}).status,
            kDone);
  const io::FlowField pair = io::read_flow(folder_ / "8.npy");
  EXPECT_EQ(pair.known.at(59, 70), 0);
  EXPECT_EQ(pair.known.at(60, 70), 255);
  ASSERT_FALSE(pair.confidence.empty());
  const io::FlowField deep = io::read_flow(folder_ / "16.npy");
  EXPECT_TRUE(test::images_equal(deep.known, pair.known));
  double apart = 0;  // gray levels of 16 bits may be rounded otherwise
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x)
      apart += static_cast<double>(std::abs(deep.u.at(x, y) - pair.u.at(x, y))) / (160 * 120);
  EXPECT_LT(apart, 0.02);
  const Ended video = run({folder_ / "a8.png", folder_ / "b8.png", folder_ / "a8.png", "-o",
                           folder_ / "fields", "--format", "tif"});
  ASSERT_EQ(video.status, kDone) << video.err;
  const io::FlowField first = io::read_flow(folder_ / "fields/000000.tif");
  EXPECT_TRUE(test::images_equal(first.u, pair.u));
  EXPECT_TRUE(test::images_equal(first.known, pair.known));
  EXPECT_TRUE(test::images_equal(first.confidence, pair.confidence));
  EXPECT_EQ(io::read_flow(folder_ / "fields/000001.tif").known.at(50, 70), 255);
}

TEST_P(FlowEstimate, AlphaOfAnImageWithoutOneIsRefused) {
  const Ended pair =
      flow({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "x.flo", "--mask", "alpha"});
  EXPECT_EQ(pair.status, kBadInput);
  EXPECT_THAT(pair.err, HasSubstr("a.png: has 1 channel without alpha, which --mask alpha needs"));
  write_video("walk.y4m", 3);
  const Ended video = flow({folder_ / "walk.y4m", "-o", folder_ / "fields", "--mask", "alpha"});
  EXPECT_EQ(video.status, kUsage);
  EXPECT_THAT(video.err,
              HasSubstr("walk.y4m: is a video of format y4m; --mask alpha takes images"));
}

TEST_P(FlowEstimate, ConfidenceGoesToFiles) {
  const auto write = [&](const char* name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {folder_ / "a.png", folder_ / "b.png", "-o", folder_ / name});
    const Ended ended = flow(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return io::read_flow(folder_ / name);
  };
  const io::FlowField field = write("c.npy");
  ASSERT_FALSE(field.confidence.empty());
  EXPECT_TRUE(write("d.npy", {"--no-confidence"}).confidence.empty());
  const io::FlowField kitti = write("c.png"), some = write("c.flo", {"--least-confidence", "0.4"});
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x) {
      const float confidence = field.confidence.at(x, y);
      ASSERT_EQ(kitti.known.at(x, y) != 0, double{confidence} >= io::kLeastValidConfidence)
          << confidence;
      ASSERT_EQ(some.known.at(x, y) != 0, double{confidence} >= 0.4) << confidence;
    }
}

TEST_P(FlowEstimate, WhatIsGivenBesideThePresetCounts) {
  const std::vector<std::string> pair{folder_ / "a.png", folder_ / "b.png", "-o",
                                      folder_ / "p.flo"};
  const auto options_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), pair.begin(), pair.end());
    more.emplace_back("--overwrite");
    return found(more)["options"];
  };
  const bool lk = std::string(GetParam()) == "lk";
  const json plain = options_of({"--preset", "paper"});
  EXPECT_EQ(plain["preset"], "paper");
  if (lk) {
    EXPECT_EQ(plain["median"], 0);
    // The default's own value, before the preset.
    EXPECT_EQ(options_of({"--median", "2", "--preset", "paper"})["median"], 2);
  } else {
    EXPECT_EQ(plain["interpolate"], false);
    EXPECT_EQ(options_of({"--interpolate", "--preset", "paper"})["interpolate"], true);
  }
}

TEST_P(FlowEstimate, TakesOptionsOfTheMethodThatItsFlowIsFusedWith) {
  const bool lk = std::string(GetParam()) == "lk";
  const std::string name = lk ? "bm-block" : "lk-radius";
  const auto run = [&](const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(),
                {folder_ / "a.png", folder_ / "b.png", "-o", folder_ / file, "--fuse", "on"});
    return found(more);
  };
  run("plain.flo", {});
  EXPECT_EQ(run("other.flo", {"--" + name, "9"})["options"][name], 9);
  EXPECT_NE(error_of("plain.flo"), error_of("other.flo"));
  const Ended refused = flow({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "c.flo",
                              "--fuse", "on", "--" + name, "999"});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr(name));
}

TEST_P(FlowEstimate, ComparesColors) {
  const json report = found({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "c.flo",
                             "--channels", "color", "--device", "auto"});
  EXPECT_LT(error_of("c.flo"), 0.5);
  if (std::string(GetParam()) != "bm") return;  // the other works on a GPU too
  EXPECT_EQ(report["device"], "cpu");
  const Ended refused = flow({folder_ / "a.png", folder_ / "b.png", "-o", folder_ / "d.flo",
                              "--channels", "color", "--device", "cuda"});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err,
              HasSubstr("colors are compared on the CPU only; use --device cpu instead of cuda"));
}

TEST_P(FlowEstimate, AVideoGivesAFieldAPairAndAVideoOfPictures) {
  write_video("walk.y4m", 4);
  const json report = found(
      {folder_ / "walk.y4m", "-o", folder_ / "out", "--picture", "wheel", folder_ / "wheel.y4m"});
  EXPECT_EQ(report["frames"], 4);
  EXPECT_EQ(report["fields"], 3);
  EXPECT_EQ(report["interrupted"], false);
  for (const char* name : {"out/000000.flo", "out/000001.flo", "out/000002.flo"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/000003.flo"));
  EXPECT_LT(error_of("out/000000.flo"), 0.6);
  io::VideoReader reader(folder_ / "wheel.y4m");
  io::Frame frame;
  int frames = 0;
  while (reader.next(frame)) ++frames;
  EXPECT_EQ(frames, 3);
}

TEST_P(FlowEstimate, ThreadsDoNotChangeTheFieldsOfAVideo) {
  write_video("walk.y4m", 7);
  std::string first;
  for (const char* threads : {"1", "2", "5"}) {
    found({folder_ / "walk.y4m", "-o", folder_ / "out", "--picture", "warp", folder_ / "warp.y4m",
           "--threads", threads});
    std::string all = test::load(folder_ / "warp.y4m");
    for (int i = 0; i < 6; ++i)
      all += test::load(folder_ / ("out/00000" + std::to_string(i) + ".flo"));
    if (first.empty()) first = all;
    EXPECT_TRUE(all == first) << threads;
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_P(FlowEstimate, AFolderAndAListOfImagesAreVideos) {
  std::filesystem::create_directory(folder_ / "in");
  for (int i = 0; i < 3; ++i)
    io::write_image(folder_ / ("in/f" + std::to_string(i) + ".png"),
                    flow_scene(160, 120, {}, i).first);
  EXPECT_EQ(found({folder_ / "in", "-o", folder_ / "out"})["fields"], 2);
  EXPECT_LT(error_of("out/000000.flo"), 0.5);
  EXPECT_EQ(found({folder_ / "in/f0.png", folder_ / "in/f1.png", folder_ / "in/f2.png", "-o",
                   folder_ / "list", "--format", "png"})["fields"],
            2);
  EXPECT_LT(error_of("list/000000.png"), 0.51);
}

TEST_P(FlowEstimate, BadInputIsOneLineWithItsStatus) {
  const auto expect = [&](const std::vector<std::string>& args, int status, const char* words) {
    const Ended ended = flow(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  const std::string a = folder_ / "a.png", b = folder_ / "b.png", out = folder_ / "out.flo";
  write_ramp(folder_ / "ramp.png");
  expect({a, b}, kUsage, "needs -o OUT");
  expect({a, folder_ / "none.png", "-o", out}, kBadInput, "none.png");
  expect({a, "-o", out}, kBadInput, "one frame was read; flow needs two");
  expect({a, folder_ / "true.flo", "-o", out}, kBadInput, "true.flo");
  expect({a, folder_ / "ramp.png", "-o", out}, kBadInput, "a pair has one size");
  expect({a, b, "-o", out, "--picture", "wheel", folder_ / "w.txt"}, kUsage,
         "names no image format");
  expect({a, b, "-o", out, "--mask", folder_ / "ramp.png"}, kUsage, "8x4");
  expect({a, b, "-o", folder_ / "out.jpg"}, kUsage, "names no flow field");
  expect({a, b, "-o", out, "--picture", "wheel", out}, kUsage, "written twice");
  expect({a, b, "-o", out, "--memory", "lots"}, kUsage, "--memory is 'lots'");
  expect({a, b, "-o", out, "--picture", "wheels", "x.png"}, kUsage, "--picture is 'wheels'");
  expect({a, b, "-o", folder_ / "none/deep.flo"}, kFailed, "deep.flo");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_P(FlowEstimate, AnImageThatIsNotFiniteIsNamed) {
  Image<float> image(160, 120);
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x) image.at(x, y) = static_cast<float>(scene_.first.at(x, y)) / 255;
  image.at(7, 3) = INFINITY;
  io::write_image(folder_ / "a.npy", image);
  const Ended ended = flow({folder_ / "a.npy", folder_ / "b.png", "-o", folder_ / "out.flo"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("a.npy: pixel (7, 3) is inf"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.flo"));
}

TEST_P(FlowEstimate, ASourceThatBreaksKeepsWhatCameBefore) {
  write_video("walk.y4m", 4);
  const std::string whole = test::load(folder_ / "walk.y4m");
  test::save(folder_ / "cut.y4m", whole.substr(0, whole.size() - 100));
  const Ended ended = flow({folder_ / "cut.y4m", "-o", folder_ / "out", "--picture", "wheel",
                            folder_ / "wheel.y4m", "--json"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("cut.y4m"));
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["frames"], 3);
  EXPECT_EQ(report["fields"], 2);
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/000001.flo"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/000002.flo"));
  io::VideoReader reader(folder_ / "wheel.y4m");
  io::Frame frame;
  int frames = 0;
  while (reader.next(frame)) ++frames;
  EXPECT_EQ(frames, 2);
}

TEST_P(FlowEstimate, AStopKeepsWhatWasFinished) {
  write_video("walk.y4m", 3);
  const Ended ended = flow({folder_ / "walk.y4m", "-o", folder_ / "out"}, fired());
  EXPECT_EQ(ended.status, kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/000001.flo"));
}

INSTANTIATE_TEST_SUITE_P(Methods, FlowEstimate, testing::Values("lk", "bm"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace fovea::cli
