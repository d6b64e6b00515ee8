#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ScenesInfo, CountsAndMeasuresImages) {
  const test::TempFolder folder;
  write_places(folder / "places", 4);
  Image<std::uint8_t> large(90, 70);
  for (int y = 0; y < 70; ++y) std::fill_n(large.row(y), 90, 7);
  io::write_image(folder / "places/lying/large.png", large.view());
  const Ended ended =
      run_here({"scenes", "info", folder / "places", "--json", "-o", folder / "sizes"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json info = json::parse(ended.out);
  EXPECT_EQ(info["images"], 13);
  EXPECT_EQ(info["classes"]["lying"], 5);
  EXPECT_EQ(info["heights"]["least"], 40);
  EXPECT_EQ(info["heights"]["greatest"], 70);
  EXPECT_EQ(info["heights"]["median"], 40);
  EXPECT_NEAR(info["widths"]["mean"], (3 * (48 + 49 + 50 + 51) + 90) / 13.0, 1e-9);
  EXPECT_THAT(test::load(folder / "sizes/sizes.csv"), HasSubstr("large.png,lying,90,70"));
  EXPECT_EQ(test::xml_problem(test::load(folder / "sizes/sizes.svg")), "");
  EXPECT_THAT(test::load(folder / "sizes/index.html"), HasSubstr("height"));
}

TEST(ScenesInfo, NamesImagesThatCannotBeRead) {
  const test::TempFolder folder;
  write_places(folder / "places", 2);
  test::save(folder / "places/lying/broken.png", "no picture");
  const Ended ended = run_here({"scenes", "info", folder / "places"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.out, HasSubstr("6 images of 3 classes, on average 40 high and 48 wide"));
  EXPECT_THAT(ended.err, HasSubstr("broken.png"));
}

}  // namespace
}  // namespace fovea::cli
