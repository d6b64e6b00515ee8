// Covers: emd_track
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchEmdTrack, MeasuresImagesAndCubesOfTheSizesAskedFor) {
  const Ended ended =
      run_here({"bench", "emd", "--quiet", "--track", "--image-sizes", "160x128", "--cube-sizes",
                "128x128", "--cube-bands", "6", "--repeats", "1", "--threads", "1", "--csv"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("emd_track_cubes"));
  EXPECT_THAT(ended.out, HasSubstr("128x128x6"));
  EXPECT_THAT(ended.out, HasSubstr("emd_track_colors_and_edges"));
  EXPECT_THAT(ended.out, HasSubstr("160x128"));
}

TEST(BenchEmdTrack, RefusesWhatDoesNotFit) {
  const auto refused = [](std::vector<std::string> more, const char* words) {
    more.insert(more.begin(), {"bench", "emd", "--quiet", "--track"});
    const Ended ended = run_here(more);
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  refused({"--frames"}, "give one of them");
  refused({"--cube-sizes", "128x128"}, "expected as many of both");
  refused({"--cube-sizes", "64x64", "--cube-bands", "6"}, "--cube-sizes holds '64x64'");
  refused({"--image-sizes", "64x480"}, "at least 128x128");
}

}  // namespace
}  // namespace fovea::cli
