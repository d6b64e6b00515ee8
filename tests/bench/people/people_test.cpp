// Covers: people_track
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchPeople, MeasuresAShippedModelOnAPhoto) {
  const test::TempFolder folder;
  Image<std::uint8_t> image = street(320, 240, 3);
  draw_someone(image.view(), 60, 60);
  io::write_image(folder / "photo.png", image.view());
  const Ended ended =
      run_here({"bench", "people", "--repeats", "1", "--filter", "cascade 640x480 ratio 1.2",
                "--device", "cpu", "--threads", "1", "--image", folder / "photo.png", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["rows"].size(), 1U);
  EXPECT_EQ(report["rows"][0]["name"], "people_cascade");
  EXPECT_EQ(report["rows"][0]["size"], "640x480 ratio 1.2");
  EXPECT_GT(report["rows"][0]["seconds"].get<double>(), 0);
}

TEST(BenchPeople, AFilterThatMatchesNothingNamesTheDetectors) {
  const Ended ended = run_here({"bench", "people", "--filter", "zzz"});
  EXPECT_EQ(ended.status, kUsage);
  for (const char* name : {"people_hog", "people_cascade", "people_channels", "people_track_200"})
    EXPECT_THAT(ended.err, HasSubstr(name));
}

TEST(BenchPeople, APhotoThatIsNoneIsNamed) {
  EXPECT_EQ(run_here({"bench", "people", "--image", "none.png"}).status, kBadInput);
}

}  // namespace
}  // namespace fovea::cli
