#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ScenesFilters, WriteSoManyNumbersPerPixel) {
  const test::TempFolder folder;
  write_places(folder / "places", 2);
  const std::string image = folder / "places/lying/0.png";
  for (const auto& [color, channels] : {std::pair("gray", 32), {"lab", 96}}) {
    const Ended ended =
        run_here({"scenes", "filters", image, "-o", folder / "r.tif", "--color", color, "--json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json result = json::parse(ended.out)["results"][0];
    EXPECT_EQ(result["channels"], channels);
    EXPECT_EQ(result["width"], 48);
    EXPECT_EQ(result["output"], folder / "r.tif");
    EXPECT_EQ(io::read_image(folder / "r.tif").channels(), channels);
  }
  EXPECT_EQ(run_here({"scenes", "filters", image, "-o", folder / "r.npy"}).out,
            image + ": 40x48x32, " + (folder / "r.npy") + "\n");
}

TEST(ScenesFilters, AModelIsNoImage) {
  const test::TempFolder folder;
  const Ended ended = run_here({"scenes", "filters", "sun8", "-o", folder / "r.npy"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("write --model sun8"));
}

}  // namespace
}  // namespace fovea::cli
