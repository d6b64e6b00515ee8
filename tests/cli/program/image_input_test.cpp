// --max-pixels, which every verb that reads images or video takes, and the wait for a pipe.
#include "cli/program/image_input.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_set.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>

#include "cli/program/program.h"
#include "support/images.h"
#include "support/waiting.h"

namespace fovea::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MaxPixels : public testing::Test {
 protected:
  MaxPixels() {
    write_ramp(folder_ / "a.png");
    write_ramp(folder_ / "b.png");
    io::VideoWriter video(folder_ / "v.y4m", {});
    for (int i = 0; i < 2; ++i) video.write(Image<std::uint8_t>(8, 4).view());
    video.finish();
  }
  // Runs a command with a limit of 31 pixels on pictures of 8x4.
  void expect_refusal(std::vector<std::string> args, const char* file) {
    args.insert(args.end(), {"--quiet", "--max-pixels", "31"});
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, kBadInput) << args[0] << " " << args[1];
    EXPECT_THAT(ended.err, AllOf(HasSubstr(folder_ / file), HasSubstr("8x4"),
                                 HasSubstr("32 pixels and more than the 31 allowed"),
                                 HasSubstr("--max-pixels")))
        << args[0] << " " << args[1];
  }
  test::TempFolder folder_;
};

TEST_F(MaxPixels, VerbsOfEverySystemRefuseLargerImages) {
  const std::string a = folder_ / "a.png", b = folder_ / "b.png";
  expect_refusal({"ops", "blur", a, "-o", folder_ / "c.png"}, "a.png");
  expect_refusal({"people", "show", a, "-o", folder_ / "c.png"}, "a.png");
  expect_refusal({"flow", "lk", a, b, "-o", folder_ / "c.flo"}, "a.png");
  expect_refusal({"emd", "map", a, "--target", "1,1,2,2", "-o", folder_ / "c.tif"}, "a.png");
}

TEST_F(MaxPixels, VerbsOfEverySystemRefuseLargerFrames) {
  const std::string v = folder_ / "v.y4m";
  expect_refusal({"people", "detect", v}, "v.y4m");
  expect_refusal({"flow", "bm", v, "-o", folder_ / "fields"}, "v.y4m");
  expect_refusal({"emd", "track", v, "--target", "1,1,2,2", "--json"}, "v.y4m");
  expect_refusal({"actions", "points", v}, "v.y4m");
}

TEST_F(MaxPixels, VerbsOfFlowRefuseLargerFields) {
  Image<float> plane(8, 4);
  for (int y = 0; y < 4; ++y) std::fill_n(plane.row(y), 8, 1.0F);
  for (const char* name : {"f.flo", "f.png", "f.pfm", "f.npy"}) {
    io::write_flow(folder_ / name, {plane.view(), plane.view()});
    expect_refusal({"flow", "show", folder_ / name, "-o", folder_ / "c.png"}, name);
    EXPECT_THROW(io::read_flow(folder_ / name, {.max_pixels = 31}), FormatError);
    EXPECT_EQ(io::read_flow(folder_ / name, {.max_pixels = 32}).width(), 8);
    EXPECT_EQ(io::read_flow(folder_ / name, {.max_pixels = 0}).width(), 8);
  }
}

TEST_F(MaxPixels, ReadersOfTheLibraryKeepTheLimit) {
  const std::string a = folder_ / "a.png", v = folder_ / "v.y4m";
  EXPECT_THROW(io::VideoReader(v, {.max_pixels = 31}), FormatError);
  EXPECT_NO_THROW(io::VideoReader(v, {.max_pixels = 32}));
  EXPECT_NO_THROW(io::VideoReader(v, {.max_pixels = 0}));
  EXPECT_THROW(io::VideoReader(std::vector{a}, {.max_pixels = 31}), FormatError);
  EXPECT_THROW(io::ImageFileSet({a}, 31).read(0), FormatError);
  EXPECT_EQ(io::ImageFileSet({a}, 32).read(0).width(), 8);
  EXPECT_THROW(io::read_cube(a, {.max_pixels = 31}), FormatError);
  const std::string samples(32, '\0');
  const std::string header =
      "ENVI\nsamples = 8\nlines = 4\nbands = 1\ndata type = 1\n"
      "interleave = bsq\nbyte order = 0\n";
  const auto bytes = std::as_bytes(std::span(samples));
  EXPECT_THAT(test::message_of<FormatError>(
                  [&] { io::read_envi(header, bytes, "c.hdr", {.max_pixels = 31}); }),
              HasSubstr("--max-pixels"));
  EXPECT_NO_THROW(io::read_envi(header, bytes, "c.hdr", {.max_pixels = 32}));
}

TEST_F(MaxPixels, IsAnOptionOfVerbsThatReadImagesOnly) {
  EXPECT_EQ(run_here({"mesh", "info", "x.off", "--max-pixels", "9"}).status, kUsage);
  EXPECT_THAT(run_here({"scenes", "classify", "--help"}).out, HasSubstr("--max-pixels"));
}

// A standard input that has a writer, who says nothing.
class SilentInput {
 public:
  SilentInput() : kept_(dup(STDIN_FILENO)) {
    EXPECT_EQ(pipe(ends_), 0);
    dup2(ends_[0], STDIN_FILENO);
  }
  ~SilentInput() {
    dup2(kept_, STDIN_FILENO);
    for (const int descriptor : {kept_, ends_[0], ends_[1]}) close(descriptor);
  }
  SilentInput(const SilentInput&) = delete;
  SilentInput& operator=(const SilentInput&) = delete;

 private:
  int ends_[2] = {};
  int kept_;
};

TEST(ImageInput, AStopEndsTheWaitForStandardInput) {
  const SilentInput input;
  const test::TempFolder folder;
  static std::stop_source stop;  // static, since GCC 12 thinks a local one uninitialized
  const std::jthread stopper = test::stop_once_asleep(stop);
  const Ended ended = run_here({"ops", "blur", "-", "-o", folder / "b.png"}, stop.get_token());
  EXPECT_EQ(ended.status, kInterrupted) << ended.err;
  EXPECT_EQ(folder.files(), 0U);
}

// No hardware decodes FFV1, so that the processor does on every machine.
TEST(ImageInput, HardwareThatCannotDecodeIsNotedAndChangesNothing) {
  if (!io::video_feature().usable) GTEST_SKIP() << io::video_feature().detail;
  const test::TempFolder folder;
  const std::string video = folder / "v.mkv";
  {
    Random random(5);
    io::VideoWriter writer(video, {});
    for (int i = 0; i < 8; ++i)
      writer.write(test::random_image<std::uint8_t>(random, 64, 48, 3).view());
    writer.finish();
  }
  const std::vector<std::vector<std::string>> commands = {
      {"people", "detect", video, "--enlarge", "3"},
      {"flow", "lk", video, "--quality", "fast", "-o", folder / "flow"},
      {"emd", "map", video, "--target", "8,8,9,9", "-o", folder / "map.tif"},
      {"emd", "track", video, "--target", "8,8,20,20", "-o", folder / "track.txt"},
      {"actions", "points", video, "-o", folder / "points.txt"}};
  for (std::vector<std::string> args : commands) {
    const Ended plain = run_here(args);
    EXPECT_EQ(plain.status, kDone) << args[0] << ' ' << args[1] << ": " << plain.err;
    EXPECT_THAT(plain.err, Not(HasSubstr("ffv1")));
    const std::string output = args.back();
    const bool file = std::filesystem::is_regular_file(output);
    const std::string before = file ? test::load(output) : "";
    args.insert(args.end(), {"--hardware", "auto"});
    const Ended noted = run_here(args);
    EXPECT_EQ(noted.status, kDone) << args[0] << ' ' << args[1] << ": " << noted.err;
    EXPECT_THAT(noted.err, HasSubstr("v.mkv: cuda does not decode ffv1"))
        << args[0] << ' ' << args[1];
    if (file) {
      EXPECT_TRUE(test::load(output) == before) << output;
    }
  }
}

TEST(ImageInput, AFileWithAPixelThatIsNoNumberIsNamed) {
  const test::TempFolder folder;
  Image<double> image(2, 1);
  image.at(0, 0) = 1;
  image.at(1, 0) = std::numeric_limits<double>::infinity();
  io::write_image(folder / "a.npy", image.view());
  EXPECT_THAT(test::message_of<FormatError>(
                  [&] { require_finite_file(folder / "a.npy", io::read_image(folder / "a.npy")); }),
              HasSubstr(folder / "a.npy: pixel (1, 0) is inf"));
  image.at(1, 0) = 2;
  io::write_image(folder / "a.npy", image.view());
  EXPECT_NO_THROW(require_finite_file(folder / "a.npy", io::read_image(folder / "a.npy")));
}

}  // namespace
}  // namespace fovea::cli
