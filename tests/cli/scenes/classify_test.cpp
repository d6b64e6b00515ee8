// Covers: scenes
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class ScenesClassify : public testing::TestWithParam<const char*> {
 protected:
  ScenesClassify() {
    write_places(folder_ / "places", 6);
    write_places(folder_ / "new", 2, 20);
    model_ = folder_ / "m.safetensors";
    const Ended ended = run_here(quick({"scenes", "train", folder_ / "places", "-o", model_,
                                        "--classifier", GetParam(), "--neighbors", "3"}));
    EXPECT_EQ(ended.status, kDone) << ended.err;
  }

  test::TempFolder folder_;
  std::string model_;
};
INSTANTIATE_TEST_SUITE_P(Classifiers, ScenesClassify, testing::Values("knn", "svm"));

TEST_P(ScenesClassify, TellsTheKindsOfNewPictures) {
  const Ended ended = run_here({"scenes", "classify", model_, folder_ / "new/lying",
                                folder_ / "new/squares", folder_ / "new/standing", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["results"].size(), 6);
  EXPECT_EQ(report["images"], 6);
  EXPECT_GT(report["images_per_second"], 0);
  for (std::size_t i = 0; i < 6; ++i) {
    const json& result = report["results"][i];
    EXPECT_EQ(result["class"], place_kinds()[i / 2]) << result;
    double sum = 0;
    for (const double score : result["scores"]) {
      EXPECT_GE(score, 0);
      sum += score;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_P(ScenesClassify, TableAndFileSayTheSame) {
  const std::vector<std::string> words{"scenes", "classify", model_, folder_ / "new/lying"};
  const Ended ended = run_here(words);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("file,class,lying,squares,standing\n"));
  EXPECT_THAT(ended.err, HasSubstr("a second"));
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"-o", folder_ / "told.csv"});
  ASSERT_EQ(run_here(to_file).status, kDone);
  EXPECT_EQ(test::load(folder_ / "told.csv"), ended.out);
}

TEST_P(ScenesClassify, AnImageThatCannotBeReadIsNamedAndLeftOut) {
  test::save(folder_ / "new/lying/0.png", "GIF89a, not a PNG");
  const Ended ended = run_here({"scenes", "classify", model_, folder_ / "new/lying", "--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("0.png"));
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_TRUE(report["results"][0].contains("error"));
  EXPECT_EQ(report["results"][1]["class"], "lying");
  EXPECT_EQ(run_here({"scenes", "classify", model_, folder_ / "new/lying/0.png"}).status,
            kBadInput);
}

TEST_P(ScenesClassify, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  expect(run_here({"scenes", "classify", model_, folder_ / "new/lying", "-o", "told.txt"}), kUsage,
         ".csv or .json");
  expect(run_here({"scenes", "classify", folder_ / "new/lying/20.png", folder_ / "new/lying"}),
         kBadInput, "20.png");
  expect(run_here({"scenes", "classify", model_, folder_ / "nowhere.png"}), kBadInput, "nowhere");
}

}  // namespace
}  // namespace fovea::cli
