// Covers: report
#include <fovea/io/flow_io.h>
#include <fovea/io/npy.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/flow/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FlowShow : public testing::Test {
 protected:
  FlowShow() : scene_(flow_scene(96, 64)) {
    io::write_image(folder_ / "a.png", scene_.first);
    io::write_image(folder_ / "b.png", scene_.second);
    io::write_flow(folder_ / "true.flo", {scene_.u, scene_.v});
    Image<float> off(96, 64);
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 96; ++x) off.at(x, y) = scene_.u.at(x, y) + (y == 0 ? 2.F : 0.F);
    io::write_flow(folder_ / "off.flo", {off, scene_.v});
  }
  Ended show(std::vector<std::string> more) const {
    more.insert(more.begin(), {"flow", "show"});
    return run_here(more);
  }
  void expect_picture(const std::string& name) const {
    const io::AnyImage picture = io::read_image(folder_ / name);
    EXPECT_EQ(picture.width(), 96) << name;
    EXPECT_EQ(picture.height(), 64) << name;
  }

  test::TempFolder folder_;
  FlowScene scene_;
};

TEST_F(FlowShow, DrawsAndMeasuresTheConfidenceOfAFile) {
  const io::FlowField field = io::read_flow(folder_ / "true.flo");
  Image<float> confidence(field.width(), field.height());
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x) confidence.at(x, y) = x < 10 ? 0.1F : 0.9F;
  io::write_flow(folder_ / "sure.npy", {field.u, field.v, {}, confidence});
  const Ended ended =
      show({folder_ / "sure.npy", "--kind", "confidence", "-o", folder_ / "sure.png", "--truth",
            folder_ / "true.flo", "--field", folder_ / "sure.tif", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_GT(report["confident"]["share"].get<double>(), 0.5);
  EXPECT_LT(report["confident"]["share"].get<double>(), 1);
  EXPECT_EQ(io::read_image(folder_ / "sure.png").width(), field.width());
  EXPECT_TRUE(test::images_equal(io::read_flow(folder_ / "sure.tif").confidence, confidence));
}

TEST_F(FlowShow, EveryKindOfPictureIsDrawn) {
  ASSERT_EQ(show({folder_ / "true.flo", "-o", folder_ / "wheel.png"}).status, kDone);
  ASSERT_EQ(show({folder_ / "true.flo", "--kind", "arrows", "--image", folder_ / "a.png", "-o",
                  folder_ / "arrows.png"})
                .status,
            kDone);
  ASSERT_EQ(show({folder_ / "true.flo", "--kind", "warp", "--second", folder_ / "b.png", "-o",
                  folder_ / "warp.png"})
                .status,
            kDone);
  ASSERT_EQ(show({folder_ / "off.flo", "--kind", "error", "--truth", folder_ / "true.flo", "-o",
                  folder_ / "error.png"})
                .status,
            kDone);
  for (const char* name : {"wheel.png", "arrows.png", "warp.png", "error.png"})
    expect_picture(name);
}

TEST_F(FlowShow, ErrorsAreReportedAgainstTheTruth) {
  const Ended ended = show({folder_ / "off.flo", "--truth", folder_ / "true.flo", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["command"], "flow show");
  EXPECT_EQ(report["width"], 96);
  EXPECT_EQ(report["known_share"], 1);
  EXPECT_NEAR(report["endpoint_error"].get<double>(), 2.0 / 64, 1e-4);
  EXPECT_NEAR(report["r1"].get<double>(), 1.0 / 64, 1e-9);
  EXPECT_NEAR(report["endpoint_error_99"].get<double>(), 2, 1e-4);
  EXPECT_NEAR(report["endpoint_error_max"].get<double>(), 2, 1e-4);
}

TEST_F(FlowShow, AFieldIsWrittenInAnotherFormat) {
  ASSERT_EQ(show({folder_ / "true.flo", "--field", folder_ / "true.png"}).status, kDone);
  const io::FlowField back = io::read_flow(folder_ / "true.png");
  EXPECT_TRUE(test::images_equal(back.u, scene_.u, 1.001 / 128));
  ASSERT_EQ(show({folder_ / "true.png", "--field", folder_ / "true.pfm"}).status, kDone);
  EXPECT_TRUE(test::images_equal(io::read_flow(folder_ / "true.pfm").u, back.u));
}

TEST_F(FlowShow, AVectorThatIsNotANumberIsNotKnown) {
  Image<float> u = clone(scene_.u), v = clone(scene_.v);
  u.at(3, 2) = std::numeric_limits<float>::quiet_NaN();
  v.at(4, 2) = std::numeric_limits<float>::infinity();
  for (const char* name : {"nan.npy", "nan.pfm", "nan.flo"}) {
    io::write_flow(folder_ / name, {u, v});
    for (const char* kind : {"wheel", "warp", "arrows"}) {
      const Ended ended =
          show({folder_ / name, "--kind", kind, "--image", folder_ / "a.png", "--second",
                folder_ / "b.png", "-o", folder_ / "out.png", "--json"});
      ASSERT_EQ(ended.status, kDone) << ended.err;
      EXPECT_NEAR(json::parse(ended.out)["known_share"].get<double>(), 1 - 2 / (96.0 * 64), 1e-9);
      if (std::string_view(kind) == "arrows") continue;
      const auto picture = io::to_bytes(io::read_image(folder_ / "out.png"));
      EXPECT_EQ(picture.at(3, 2), 0) << name << kind;
      EXPECT_EQ(picture.at(4, 2), 0) << name << kind;
    }
  }
}

TEST_F(FlowShow, AnArrayIsTakenInEveryLayoutAndElseRefusedWithItsShape) {
  constexpr std::size_t kPixels = 96 * 64;
  std::vector<double> planes(2 * kPixels);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      planes[static_cast<std::size_t>(96 * y + x)] = scene_.u.at(x, y);
      planes[kPixels + static_cast<std::size_t>(96 * y + x)] = scene_.v.at(x, y);
    }
  const std::size_t first[] = {2, 64, 96}, flat[] = {64, 96}, many[] = {4, 32, 96};
  io::write_array(folder_ / "first.npy", io::DType::kFloat64, first, planes.data());
  const Ended ended = show({folder_ / "first.npy", "--truth", folder_ / "true.flo", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["width"], 96);
  EXPECT_EQ(report["endpoint_error"], 0);
  io::write_array(folder_ / "flat.npy", io::DType::kFloat64, flat, planes.data());
  io::write_array(folder_ / "many.npy", io::DType::kFloat64, many, planes.data());
  EXPECT_THAT(show({folder_ / "flat.npy", "-o", folder_ / "out.png"}).err,
              HasSubstr("float64 of shape (64, 96)"));
  EXPECT_THAT(show({folder_ / "many.npy", "-o", folder_ / "out.png"}).err,
              HasSubstr("float64 of shape (4, 32, 96)"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.png"));
}

TEST_F(FlowShow, BadInputIsOneLineWithItsStatus) {
  const auto expect = [&](const std::vector<std::string>& args, int status, const char* words) {
    const Ended ended = show(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  const std::string out = folder_ / "out.png";
  expect({folder_ / "true.flo"}, kUsage, "needs -o OUT");
  expect({folder_ / "none.flo", "-o", out}, kBadInput, "none.flo");
  expect({folder_ / "a.png", "-o", out}, kBadInput, "PNG of uint8");
  expect({folder_ / "true.flo", "-o", out, "--kind", "arrows"}, kUsage, "needs --image");
  expect({folder_ / "true.flo", "-o", out, "--kind", "warp"}, kUsage, "needs --second");
  expect({folder_ / "true.flo", "-o", out, "--kind", "error"}, kUsage, "needs --truth");
  expect({folder_ / "true.flo", "-o", out, "--kind", "confidence"}, kUsage, "no confidence");
  write_ramp(folder_ / "ramp.png");
  expect({folder_ / "true.flo", "-o", out, "--kind", "arrows", "--image", folder_ / "ramp.png"},
         kUsage, "8x4");
  expect({folder_ / "true.flo", "-o", folder_ / "out.txt", "--field", folder_ / "f.flo"}, kUsage,
         "names no image format");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "f.flo"));
  io::write_flow(folder_ / "small.flo", {Image<float>(2, 2), Image<float>(2, 2)});
  expect({folder_ / "true.flo", "--truth", folder_ / "small.flo"}, kUsage, "expected one size");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace fovea::cli
