#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ScenesWords, DrawsAndNumbersThem) {
  const test::TempFolder folder;
  write_places(folder / "places", 3);
  const std::string model = folder / "m.safetensors", image = folder / "places/squares/1.png";
  ASSERT_EQ(run_here(quick({"scenes", "train", folder / "places", "-o", model, "--neighbors", "1"}))
                .status,
            kDone);
  const Ended ended = run_here({"scenes", "words", image, "--model", model, "-o",
                                folder / "words.png", "--numbers", folder / "words.npy", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["width"], 49);
  EXPECT_GT(result["distinct_words"], 1);
  const auto picture = io::read_image(folder / "words.png");
  EXPECT_EQ(picture.width(), 49);
  EXPECT_EQ(picture.channels(), 3);
  const auto numbers = io::read_image(folder / "words.npy");
  EXPECT_EQ(numbers.type(), io::SampleType::kUint16);
  ASSERT_EQ(
      run_here({"scenes", "words", image, "--model", model, "-o", folder / "both.png", "--beside"})
          .status,
      kDone);
  EXPECT_GT(io::read_image(folder / "both.png").width(), 2 * 49);
  const std::string before = test::load(image);
  for (const char* option : {"-o", "--numbers"}) {
    const Ended refused = run_here({"scenes", "words", image, "--model", model, option, image});
    EXPECT_EQ(refused.status, kUsage) << option;
    EXPECT_THAT(refused.err, HasSubstr("is an input and would be replaced")) << option;
    EXPECT_EQ(test::load(image), before) << option;
  }
  EXPECT_EQ(
      run_here({"scenes", "words", image, "--model", model, "-o", image, "--overwrite"}).status,
      kDone);
  EXPECT_NE(test::load(image), before);
  const Ended none = run_here({"scenes", "words", image, "--model", model});
  EXPECT_EQ(none.status, kUsage);
  EXPECT_THAT(none.err, HasSubstr("-o PICTURE"));
}

}  // namespace
}  // namespace fovea::cli
