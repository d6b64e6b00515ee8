#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PeopleShow : public testing::Test {
 protected:
  PeopleShow() {
    likeness().write(folder_ / "hog.safetensors");
    two_stages(1).write(folder_ / "cascade.safetensors");
    Image<std::uint8_t> image = street(96, 160);
    draw_someone(image.view(), 16, 16);
    io::write_image(folder_ / "a.png", image.view());
  }
  Ended show(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"people", "show", "-o", folder_ / "out.png", "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run_here(args);
  }
  io::AnyImage picture() const { return io::read_image(folder_ / "out.png"); }

  test::TempFolder folder_;
};

TEST_F(PeopleShow, GradientsOfAnImageStandBesideIt) {
  const Ended ended = show({folder_ / "a.png", "--glyph", "8", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["command"], "people show");
  EXPECT_EQ(report["output"], folder_ / "out.png");
  EXPECT_EQ(report["width"], picture().width());
  EXPECT_EQ(report["height"], picture().height());
  EXPECT_GE(picture().width(), 2 * 96);  // two pictures, a cell of 8 pixels drawn as 8
  EXPECT_GE(picture().height(), 160);
  EXPECT_LT(picture().height(), 2 * 160);
  ASSERT_EQ(show({folder_ / "a.png", "--glyph", "16"}).status, kDone);
  EXPECT_GE(picture().width(), 4 * 96);
}

TEST_F(PeopleShow, EveryKindOfModelHasAPicture) {
  for (const char* name : {"hog.safetensors", "cascade.safetensors"}) {
    const Ended ended = show({"--model", folder_ / name});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(ended.out, (folder_ / "out.png") + "\n");
    EXPECT_GT(picture().width(), 64) << name;
  }
}

TEST_F(PeopleShow, BlocksOfAStageAreDrawnOnThePerson) {
  ASSERT_EQ(
      show({folder_ / "a.png", "--blocks", "2", "--model", folder_ / "cascade.safetensors"}).status,
      kDone);
  EXPECT_EQ(picture().width(), 96);
  EXPECT_FALSE(
      test::images_equal(io::to_bytes(picture()), io::to_bytes(io::read_image(folder_ / "a.png"))));
}

TEST_F(PeopleShow, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  expect(run_here({"people", "show", folder_ / "a.png"}), kUsage, "needs -o OUT");
  expect(show({folder_ / "none.png"}), kBadInput, "none.png");
  expect(show({"--model", folder_ / "none.safetensors"}), kBadInput, "none.safetensors");
  expect(show({folder_ / "a.png", "--blocks", "1", "--model", folder_ / "hog.safetensors"}), kUsage,
         "--blocks needs a cascade, not hog");
  expect(show({folder_ / "a.png", "--blocks", "3", "--model", folder_ / "cascade.safetensors"}),
         kUsage, "has 2 stages");
  two_stages(-1).write(folder_ / "never.safetensors");
  expect(show({folder_ / "a.png", "--blocks", "1", "--model", folder_ / "never.safetensors"}),
         kUsage, "finds nobody");
}

}  // namespace
}  // namespace fovea::cli
