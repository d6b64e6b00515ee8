#include <fovea/scenes/model.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ScenesTrain : public testing::Test {
 protected:
  ScenesTrain() { write_places(folder_ / "places", 5); }

  Ended train(const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"scenes", "train", folder_ / "places", "-o", folder_ / output};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(quick(words));
  }

  test::TempFolder folder_;
};

TEST_F(ScenesTrain, WritesTheSameModelForAnyNumberOfThreads) {
  const Ended ended = train("one.safetensors", {"--json", "--threads", "1"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["images"], 15);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_EQ(report["classes"], place_kinds());
  EXPECT_EQ(report["words"], 12);
  EXPECT_EQ(report["dimensions"], 32);
  ASSERT_EQ(train("two.safetensors", {"--threads", "2"}).status, kDone);
  const auto a = scenes::Model::read(folder_ / "one.safetensors");
  const auto b = scenes::Model::read(folder_ / "two.safetensors");
  for (int w = 0; w < a.dictionary.size(); ++w)
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(a.dictionary.words.at(i, w), b.dictionary.words.at(i, w));
}

TEST_F(ScenesTrain, ChosenClassesAreThoseOfTheirFoldersAlone) {
  ASSERT_EQ(train("some.safetensors", {"--classes", "lying,standing"}).status, kDone);
  std::filesystem::rename(folder_ / "places/squares", folder_ / "squares");
  ASSERT_EQ(train("all.safetensors").status, kDone);
  EXPECT_EQ(test::load(folder_ / "some.safetensors"), test::load(folder_ / "all.safetensors"));
  const Ended refused = train("none.safetensors", {"--classes", "lying,squares"});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("has no class \"squares\"; its classes are lying, standing"));
  const auto eval = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"scenes", "eval", folder_ / "places", "--classes",
                                   "standing,lying"};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(quick(words));
  };
  const Ended measured =
      eval({"--splits", "2", "--classifier", "knn", "--neighbors", "1", "--json"});
  ASSERT_EQ(measured.status, kDone) << measured.err;
  EXPECT_EQ(json::parse(measured.out)["classes"], (json{"standing", "lying"}));
  EXPECT_THAT(eval({"--model", folder_ / "all.safetensors"}).err,
              HasSubstr("--classes chooses folders of images"));
}

TEST_F(ScenesTrain, AnImageThatCannotBeReadIsNamedAndLeftOut) {
  test::save(folder_ / "places/lying/broken.png", "not a picture");
  const Ended ended = train("m.safetensors", {"--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("broken.png"));
  EXPECT_THAT(ended.err, HasSubstr("1 of 16 images could not be read"));
  EXPECT_EQ(json::parse(ended.out)["failed"], 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "m.safetensors"));
}

TEST_F(ScenesTrain, FisherCodingWithWordsOfColor) {
  const std::vector<std::string> options{"--words",       "gradients", "--coding",  "fisher",
                                         "--components",  "6",         "--pyramid", "1",
                                         "--color-words", "5"};
  std::vector<std::string> fits = options;
  fits.insert(fits.end(), {"--classifier", "svm", "--kernel", "linear"});
  const Ended ended = train("m.safetensors", fits);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto model = scenes::Model::read(folder_ / "m.safetensors");
  EXPECT_EQ(model.dictionary.code.coding, scenes::Coding::kFisher);
  EXPECT_EQ(model.dictionary.beside.at(0).size(), 5);
  const Ended classified =
      run_here({"scenes", "eval", folder_ / "places", "--model", folder_ / "m.safetensors"});
  EXPECT_EQ(classified.status, kDone) << classified.err;
  const Ended refused = train("n.safetensors", options);
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("fisher coding makes negative numbers"));
}

TEST_F(ScenesTrain, ABatchLargerThanTheSamplesIsTheSamples) {
  ASSERT_EQ(train("all.safetensors").status, kDone);
  ASSERT_EQ(train("batch.safetensors", {"--batch", "16777200"}).status, kDone);
  const auto all = scenes::Model::read(folder_ / "all.safetensors");
  const auto batch = scenes::Model::read(folder_ / "batch.safetensors");
  for (int w = 0; w < all.dictionary.size(); ++w)
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(all.dictionary.words.at(i, w), batch.dictionary.words.at(i, w));
}

TEST_F(ScenesTrain, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
  };
  expect(train("m.txt", {"--quiet"}), kUsage, ".safetensors");
  expect(run_here({"scenes", "train", folder_ / "places", "--quiet"}), kUsage, "-o MODEL");
  expect(run_here(
             {"scenes", "train", folder_ / "nowhere", "-o", folder_ / "m.safetensors", "--quiet"}),
         kBadInput, "nowhere");
  expect(run_here({"scenes", "train", folder_ / "places", "-o", folder_ / "m.safetensors",
                   "--dictionary", "5000", "--quiet"}),
         kUsage, "5000");
  std::filesystem::create_directory(folder_ / "places/empty");
  expect(train("m.safetensors", {"--quiet"}), kUsage, "empty");
  std::filesystem::create_directories(folder_ / "alone");
  std::filesystem::rename(folder_ / "places/lying", folder_ / "alone/lying");
  expect(
      run_here({"scenes", "train", folder_ / "alone", "-o", folder_ / "m.safetensors", "--quiet"}),
      kUsage, "class");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
}

}  // namespace
}  // namespace fovea::cli
