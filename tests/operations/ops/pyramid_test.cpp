#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

TEST(OpsPyramid, AFileALevel) {
  const test::TempFolder folder;
  Random random(1);
  const auto image = test::random_image<std::uint8_t>(random, 64, 40, 3);
  io::write_image(folder / "a.png", image.view());
  const Ended ended = run_here({"ops", "pyramid", folder / "a.png", "-o", folder / "levels",
                                "--filter", "gaussian", "--min-height", "10", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto result = nlohmann::json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["levels"], 3);
  EXPECT_THAT(result["output"].get<std::vector<std::string>>(),
              testing::ElementsAre(folder / "levels/a-0.png", folder / "levels/a-1.png",
                                   folder / "levels/a-2.png"));
  EXPECT_TRUE(test::images_equal(io::to_bytes(io::read_image(folder / "levels/a-0.png")), image));
  EXPECT_EQ(io::image_info(folder / "levels/a-2.png").height, 10);
}

TEST(OpsPyramid, ANumberGoesBeforeTheEnding) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png", 64);
  EXPECT_EQ(
      run_here({"ops", "pyramid", folder / "a.png", "-o", folder / "b.tif", "--min-width", "4"})
          .out,
      folder / "b-0.tif\n" + (folder / "b-1.tif") + "\n");
}

TEST(OpsPyramid, WhatCannotBeIsRefused) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png", 64);
  EXPECT_EQ(run_here({"ops", "pyramid", folder / "a.png", "-o", folder / "b", "--filter",
                      "gaussian", "--ratio", "1.5"})
                .status,
            kUsage);
}

}  // namespace
}  // namespace fovea::cli
