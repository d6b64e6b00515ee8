// fovea scenes classify --explain
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ScenesExplain : public testing::Test {
 protected:
  ScenesExplain() {
    write_places(folder_ / "places", 4);
    const Ended ended = run_here(quick({"scenes", "train", folder_ / "places", "-o", model_,
                                        "--classifier", "logistic", "--pyramid", "1"}));
    EXPECT_EQ(ended.status, kDone) << ended.err;
  }
  Ended explain(std::vector<std::string> words) const {
    words.insert(words.begin(), {"scenes", "classify", "--model", model_, "--explain"});
    return run_here(words);
  }
  test::TempFolder folder_;
  std::string model_ = folder_ / "m.safetensors";
};

TEST_F(ScenesExplain, PrintsWordsAndPlacesAndDrawsThem) {
  const std::string image = folder_ / "places/squares/1.png";
  const Ended ended = explain({image, "--explain-picture", folder_ / "why.png"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Why squares rather than"));
  EXPECT_THAT(ended.out, HasSubstr("speaks most for squares"));
  EXPECT_GT(io::image_info(folder_ / "why.png").width, 200);
}

TEST_F(ScenesExplain, AddsUpToTheLogarithmOfBothScores) {
  const std::string image = folder_ / "places/squares/1.png";
  const Ended ended =
      explain({image, "--json", "--explain-class", "lying", "--explain-against", "standing"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json why = json::parse(ended.out)["explanation"];
  EXPECT_EQ(why["title"], "Why lying rather than standing");
  const Ended said = run_here({"scenes", "classify", image, "--model", model_, "--json"});
  const json scores = json::parse(said.out)["results"][0]["scores"];
  double sum = why["rest"];
  for (const json& reason : why["reasons"]) sum += reason["value"].get<double>();
  EXPECT_NEAR(sum, why["total"].get<double>(), 1e-4);
  EXPECT_NEAR(sum, std::log(scores[0].get<double>() / scores[2].get<double>()), 1e-4);
  EXPECT_EQ(why["layers"].size(), 2U);
}

TEST_F(ScenesExplain, SaysWhatItCannotExplain) {
  const std::string image = folder_ / "places/squares/1.png";
  const auto refused = [](const Ended& ended, const char* message) {
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  refused(explain({folder_ / "places/squares"}), "explains one image, but there are 4 inputs");
  refused(explain({image, "--explain-class", "moon"}), "the model has no such class");
  refused(explain({image, "--explain-class", "lying", "--explain-against", "lying"}),
          "this is the class that is explained");
  refused(explain({image, "-o", folder_ / "classes.csv"}), "--explain writes no results");
  refused(run_here({"scenes", "classify", image, "--model", model_, "--explain-picture",
                    folder_ / "why.png"}),
          "needs --explain");
  refused(run_here({"scenes", "classify", image, "--model", model_, "--explain-class", "lying"}),
          "need --explain");
}

}  // namespace
}  // namespace fovea::cli
