// Covers: scenes
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
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

TEST_P(ScenesClassify, FindsTheKindsOfNewPictures) {
  const Ended ended =
      run_here({"scenes", "classify", folder_ / "new/lying", folder_ / "new/squares",
                folder_ / "new/standing", "--model", model_, "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["results"].size(), 6);
  EXPECT_EQ(report["images"], 6);
  EXPECT_GT(report["images_per_second"], 0);
  for (std::size_t i = 0; i < 6; ++i) {
    const json& result = report["results"][i];
    EXPECT_EQ(result["name"], place_kinds()[i / 2]) << result;
    EXPECT_EQ(report["classes"][result["label"].get<std::size_t>()], result["name"]);
    EXPECT_FALSE(result.contains("class"));
    double sum = 0;
    for (const double score : result["scores"]) {
      EXPECT_GE(score, 0);
      sum += score;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_P(ScenesClassify, TableAndFileSayTheSame) {
  const std::vector<std::string> words{"scenes", "classify", folder_ / "new/lying", "--model",
                                       model_};
  const Ended ended = run_here(words);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("file,class,lying,squares,standing\n"));
  EXPECT_THAT(ended.err, HasSubstr("2 images in"));
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"-o", folder_ / "classes.csv"});
  ASSERT_EQ(run_here(to_file).status, kDone);
  EXPECT_EQ(test::load(folder_ / "classes.csv"), ended.out);
}

TEST_P(ScenesClassify, EveryResultIsHandedOnAtOnce) {
  CountingSink out;
  TextSink err;
  EXPECT_EQ(run({"scenes", "classify", folder_ / "new/lying", "--model", model_},
                {.out = out, .err = err}),
            kDone)
      << err.text;
  EXPECT_GE(out.flushes, 2);
}

TEST_P(ScenesClassify, AnImageThatCannotBeReadIsNamedAndLeftOut) {
  test::save(folder_ / "new/lying/0.png", "GIF89a, not a PNG");
  const Ended ended =
      run_here({"scenes", "classify", folder_ / "new/lying", "--model", model_, "--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("0.png"));
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_TRUE(report["results"][0].contains("error"));
  EXPECT_EQ(report["results"][1]["name"], "lying");
  EXPECT_EQ(run_here({"scenes", "classify", folder_ / "new/lying/0.png", "--model", model_}).status,
            kBadInput);
}

TEST_P(ScenesClassify, AnImageWithoutANumberInAPixelIsNamedAndLeftOut) {
  Image<float> image(32, 32);
  for (int y = 0; y < 32; ++y) std::fill_n(image.row(y), 32, 0.5F);
  image.at(3, 2) = std::numeric_limits<float>::quiet_NaN();
  for (const char* name : {"nan.pfm", "nan.tif"}) {
    io::write_image(folder_ / name, image.view());
    const Ended alone = run_here({"scenes", "classify", folder_ / name, "--model", model_});
    EXPECT_EQ(alone.status, kBadInput);
    EXPECT_THAT(alone.err, HasSubstr(folder_ / name + ": pixel (3, 2) is nan"));
  }
  EXPECT_EQ(run_here({"scenes", "classify", folder_ / "nan.pfm", folder_ / "new/lying", "--model",
                      model_})
                .status,
            kSomeFailed);
}

TEST_P(ScenesClassify, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  const std::string images = folder_ / "new/lying", image = folder_ / "new/lying/20.png";
  expect(run_here({"scenes", "classify", images, "--model", model_, "-o", "classes.txt"}), kUsage,
         "written as .csv, .json");
  expect(run_here({"scenes", "classify", images, "--model", image}), kBadInput, "20.png");
  expect(run_here({"scenes", "classify", folder_ / "nowhere.png", "--model", model_}), kBadInput,
         "nowhere");
  expect(run_here({"scenes", "classify", images, "--model", "yolo"}), kBadInput, "sun8");
}

TEST_P(ScenesClassify, AModelAmongTheImagesSaysHowToGiveIt) {
  const std::string image = folder_ / "new/lying/20.png";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{image, "sun8"}, {"sun8", image}, {"scenes/sun8", image}}) {
    const Ended ended = run_here({"scenes", "classify", words[0], words[1]});
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr("sun8 is a model"));
    EXPECT_THAT(ended.err, HasSubstr("--model"));
  }
  EXPECT_THAT(run_here({"scenes", "classify", model_, image}).err, HasSubstr("--model " + model_));
}

TEST_P(ScenesClassify, WhatWasFinishedIsKeptWhenStopped) {
  for (const char* name : {"classes.csv", "classes.json"}) {
    const Ended ended = run_here(
        {"scenes", "classify", folder_ / "new/lying", "--model", model_, "-o", folder_ / name},
        fired());
    EXPECT_EQ(ended.status, kInterrupted) << ended.err;
  }
  EXPECT_THAT(test::load(folder_ / "classes.csv"), StartsWith("file,class,lying"));
  EXPECT_TRUE(json::parse(test::load(folder_ / "classes.json"))["results"].is_array());
}

TEST_P(ScenesClassify, ReadsStandardInput) {
  const std::string command = std::string(FOVEA_PROGRAM) + " scenes classify - --model '" + model_ +
                              "' < '" + (folder_ / "new/squares/20.png") + "' > '" +
                              (folder_ / "out.csv") + "' 2> /dev/null";
  ASSERT_EQ(system(command.c_str()), 0);
  EXPECT_THAT(test::load(folder_ / "out.csv"), HasSubstr("\n-,squares,"));
}

}  // namespace
}  // namespace fovea::cli
