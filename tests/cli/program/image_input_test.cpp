// --max-pixels, which every verb that reads images or video takes.
#include "cli/program/image_input.h"

#include <fovea/core/error.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/image_set.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

}  // namespace
}  // namespace fovea::cli
