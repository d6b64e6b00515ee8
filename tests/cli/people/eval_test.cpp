// Covers: eval_cascade, eval_mistakes, eval_page, eval_run
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Four images with a person each, the last at a place where nobody is drawn; one without people.
class PeopleEval : public testing::Test {
 protected:
  PeopleEval() {
    for (const char* name : {"images", "boxes", "crops", "scenes"})
      std::filesystem::create_directory(folder_ / name);
    likeness().write(model());
    for (int i = 0; i < 4; ++i) {
      Image<std::uint8_t> image = street(160, 176);
      const int x = 8 * i, y = 16;
      draw_someone(image.view(), x, y);
      const std::string name = "street" + std::to_string(i);
      io::write_image(folder_ / "images/" + name + ".png", image.view());
      annotate(name, i < 3 ? x : 110, y);
    }
    io::write_image(folder_ / "scenes/empty.png", street(160, 176).view());
    Image<std::uint8_t> crop = street(70, 134);
    draw_someone(crop.view(), 3, 3);
    io::write_image(folder_ / "crops/a.png", crop.view());
    io::write_image(folder_ / "crops/b.png", street(70, 134).view());
  }

  void annotate(const std::string& name, int x, int y) const {
    test::save(folder_ / "boxes/" + name + ".txt",
               "# PASCAL Annotation Version 1.00\nImage filename : \"x/" + name +
                   ".png\"\nImage size (X x Y x C) : 160 x 176 x 1\n"
                   "Objects with ground truth : 1 { \"PASperson\" }\n"
                   "# Top left pixel co-ordinates : (0, 0)\n"
                   "Bounding box for object 1 \"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : (" +
                   std::to_string(x + 11) + ", " + std::to_string(y + 12) + ") - (" +
                   std::to_string(x + 52) + ", " + std::to_string(y + 115) + ")\n");
  }

  std::string model() const { return folder_ / "model.safetensors"; }
  std::vector<std::string> on_images(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{
        "people",           "eval",          "--model",         model(),   "--images",
        folder_ / "images", "--annotations", folder_ / "boxes", "--draws", "20",
        "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

  test::TempFolder folder_;
};

TEST_F(PeopleEval, MeasuresMissRateInImages) {
  const Ended ended = run_here(on_images({"--json"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["images"], 4);
  EXPECT_EQ(result["people"], 4);
  EXPECT_EQ(result["kind"], "hog");
  EXPECT_EQ(result["model"], model());
  EXPECT_EQ(result["facts"]["data"], "one drawing");
  EXPECT_EQ(result["match_aspect"], 0.41);
  ASSERT_EQ(result["miss_rates"].size(), 9U);
  // Three of four are found. The fourth stands where nobody is annotated, which makes a quarter of
  // a false positive per image, with the same score as the others.
  EXPECT_NEAR(result["miss_rates"][8]["miss_rate"].get<double>(), 0.25, 1e-9);
  EXPECT_GE(result["log_average_miss_rate"].get<double>(), 0.25);
  EXPECT_LT(result["log_average_miss_rate"].get<double>(), 1);
  EXPECT_GT(result["standard_deviation"].get<double>(), 0);
  EXPECT_GT(result["windows"].get<double>(), 1000);
  EXPECT_NEAR(result["evaluations_per_window"].get<double>(), 105, 1e-9);
}

TEST_F(PeopleEval, ResultsDoNotDependOnThreads) {
  json results[2];
  for (const int threads : {1, 3}) {
    const Ended ended = run_here(on_images({"--json", "--threads", std::to_string(threads)}));
    ASSERT_EQ(ended.status, kDone) << ended.err;
    json& result = results[threads / 2] = json::parse(ended.out);
    result.erase("seconds");
    result.erase("search_seconds");
    result["options"].erase("threads");
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(PeopleEval, ImagesWithoutPeopleCountAsImages) {
  const Ended ended = run_here(on_images({"--json", "--negatives", folder_ / "scenes"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["images"], 5);
}

TEST_F(PeopleEval, WritesCurveFindingsAndPage) {
  const std::string out = folder_ / "report";
  std::vector<std::string> args = on_images({"-o", out});
  args[3] = "one=" + model() + ",two=" + model();
  const Ended ended = run_here(args);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("one: log-average miss rate"));
  EXPECT_THAT(ended.out, HasSubstr("two: log-average miss rate"));
  EXPECT_THAT(test::load(out + "/curve.csv"), HasSubstr("model,false_positives_per_image"));
  EXPECT_THAT(test::load(out + "/curve.svg"), HasSubstr("<svg"));
  const std::string page = test::load(out + "/index.html");
  EXPECT_THAT(page, HasSubstr("False positives, the worst first"));
  EXPECT_THAT(page, HasSubstr("Missed people, the worst first"));
  const json found = json::parse(test::load(out + "/found_two.json"));
  EXPECT_EQ(found["images"].size(), 4U);
  EXPECT_GE(found["annotations"].size(), 4U);
}

// One person is found nowhere, because somebody else stands elsewhere, who is a false positive.
TEST_F(PeopleEval, WritesTheModelWithACalibrationByWhichDetectionsGetAConfidence) {
  EXPECT_FALSE(json::parse(run_here(on_images({"--json"})).out).contains("reliability"));
  const std::string calibrated = folder_ / "calibrated.safetensors";
  const Ended ended = run_here(on_images({"--json", "--calibrate", calibrated}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json written = json::parse(ended.out)["calibrated"];
  EXPECT_EQ(written["output"], calibrated);
  EXPECT_GE(written["slope"].get<double>(), 0);
  std::vector<std::string> args = on_images({"--json"});
  args[3] = calibrated;
  const json result = json::parse(run_here(args).out);
  EXPECT_EQ(result["calibration"]["slope"], written["slope"]);
  EXPECT_EQ(result["calibration"]["offset"], written["offset"]);
  EXPECT_THAT(result["facts"]["calibration"].get<std::string>(), HasSubstr("in 4 images"));
  EXPECT_EQ(result["reliability"]["bins"].size(), 10U);
  // It was fitted to these detections, all of which have about the same score.
  EXPECT_LT(result["reliability"]["error"].get<double>(), 0.15);
  EXPECT_EQ(result["log_average_miss_rate"], json::parse(ended.out)["log_average_miss_rate"]);
  const Ended found = run_here(
      {"people", "detect", folder_ / "images/street0.png", "--model", calibrated, "--json"});
  const json person = json::parse(found.out)["results"][0]["people"][0];
  const double odds = written["slope"].get<double>() * person["score"].get<double>() +
                      written["offset"].get<double>();
  EXPECT_NEAR(person["confidence"].get<double>(), 1 / (1 + std::exp(-odds)), 1e-6);
}

TEST_F(PeopleEval, PrintsWhatItMeasuredWhereTheModelCannotBeWritten) {
  const Ended ended =
      run_here(on_images({"--json", "--calibrate", folder_ / "none/c.safetensors"}));
  EXPECT_NE(ended.status, kDone);
  EXPECT_THAT(ended.err, HasSubstr("none"));
  EXPECT_TRUE(json::parse(ended.out).contains("log_average_miss_rate"));
}

TEST_F(PeopleEval, CalibratesOneModelOnImages) {
  const std::string out = folder_ / "c.safetensors";
  std::vector<std::string> two = on_images({"--calibrate", out});
  two[3] = "one=" + model() + ",two=" + model();
  for (const auto& args :
       {two, on_images({"--calibrate", folder_ / "c.json"}),
        std::vector<std::string>{"people", "eval", "--model", model(), "--crops", folder_ / "crops",
                                 "--negatives", folder_ / "scenes", "--calibrate", out}}) {
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--calibrate"));
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(PeopleEval, GivesTheViewCurvesAndMistakes) {
  const std::string out = folder_ / "report";
  const Ended ended = run_here(on_images({"--json", "-o", out}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const report::Evaluation evaluation = report::parse_evaluation(ended.out, "stdout");
  ASSERT_EQ(evaluation.charts.size(), 1U);
  EXPECT_EQ(evaluation.charts[0].option, "threshold");
  EXPECT_EQ(evaluation.charts[0].curves.size(), 1U);
  EXPECT_NEAR(evaluation.charts[0].curves[0].points.back().y, 25, 1e-9);
  const auto of_kind = [&](const std::string& kind) {
    std::vector<report::Mistake> some;
    std::ranges::copy_if(evaluation.mistakes, std::back_inserter(some),
                         [&](const report::Mistake& mistake) { return mistake.kind == kind; });
    return some;
  };
  const auto wrong = of_kind("False positives"), missed = of_kind("Missed people");
  ASSERT_GE(wrong.size(), 1U);
  ASSERT_EQ(missed.size(), 4U);
  EXPECT_THAT(evaluation.inputs[wrong[0].input].files[0], HasSubstr("street3.png"));
  EXPECT_EQ(wrong[0].input, missed[0].input);
  EXPECT_TRUE(wrong[0].up_to);
  EXPECT_FALSE(missed[0].above);  // at no score
  EXPECT_TRUE(missed[1].above);
  const auto& boxes = evaluation.inputs[wrong[0].input].boxes;
  EXPECT_EQ(std::ranges::count_if(boxes, [](const auto& box) { return !box.score; }), 1);
  EXPECT_EQ(json::parse(test::load(out + "/evaluation.json"))["evaluation"],
            json::parse(ended.out)["evaluation"]);
}

TEST_F(PeopleEval, SeveralModelsAreComparedPairByPair) {
  std::vector<std::string> args = on_images({"--json"});
  args[3] = "one=" + model() + ",two=" + model();
  const Ended ended = run_here(args);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  ASSERT_EQ(result["models"].size(), 2U);
  EXPECT_FALSE(result["models"][0].contains("difference"));
  EXPECT_EQ(result["models"][1]["difference"]["to"], "one");
  EXPECT_EQ(result["models"][1]["difference"]["log_average_miss_rate"], 0);
  EXPECT_EQ(result["models"][1]["difference"]["standard_deviation"], 0);
}

TEST_F(PeopleEval, MeasuresMissRateInWindows) {
  const std::string out = folder_ / "report";
  const Ended ended = run_here({"people", "eval", "--model", model(), "--crops", folder_ / "crops",
                                "--negatives", folder_ / "scenes", "--json", "--quiet", "-o", out});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  // One crop is the very drawing, the other is empty as all negatives are.
  EXPECT_EQ(result["miss_rate_at_fppw_1e-4"], 0.5);
  EXPECT_EQ(result["crops"], 2);
  EXPECT_NEAR(result["blocks_per_window"].get<double>(), 105, 1e-9);
  EXPECT_THAT(test::load(out + "/curve.csv"), HasSubstr("false_positives_per_window"));
  EXPECT_THAT(test::load(out + "/index.html"), HasSubstr("2 crops of people"));
}

TEST_F(PeopleEval, CountsWhatTheStagesOfACascadeReject) {
  // The first stage lets every window pass, the second none.
  two_stages(-1).write(folder_ / "cascade.safetensors");
  const std::string out = folder_ / "report";
  std::vector<std::string> args = on_images({"--json", "-o", out});
  args[3] = folder_ / "cascade.safetensors";
  const Ended ended = run_here(args);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["log_average_miss_rate"], 1);
  ASSERT_EQ(result["stages"].size(), 2U);
  EXPECT_EQ(result["stages"][0]["blocks"], 2);
  EXPECT_EQ(result["stages"][0]["reached"], result["windows"]);
  EXPECT_EQ(result["stages"][0]["passed"], result["windows"]);
  EXPECT_EQ(result["stages"][1]["reached"], result["windows"]);
  EXPECT_EQ(result["stages"][1]["passed"], 0);
  EXPECT_THAT(test::load(out + "/index.html"), HasSubstr("Stages of cascade"));
  EXPECT_THAT(test::load(out + "/blocks_cascade.svg"), HasSubstr("<svg"));
  EXPECT_THAT(test::load(out + "/rejected_cascade.svg"), HasSubstr("<svg"));
}

TEST_F(PeopleEval, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const std::vector<std::string>& args, int status, const char* words) {
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  expect({"people", "eval", "--model", model()}, kUsage, "needs either --images and --annotations");
  expect({"people", "eval", "--model", model(), "--images", folder_ / "images"}, kUsage,
         "needs --annotations");
  expect({"people", "eval", "--model", model(), "--crops", folder_ / "crops"}, kUsage,
         "needs --negatives");
  std::vector<std::string> args = on_images();
  args[3] = model() + "," + model();
  expect(args, kUsage, "names 'model' twice");
  args[3] = model() + ",";
  expect(args, kUsage, "--model");
  args[3] = folder_ / "none.safetensors";
  expect(args, kBadInput, "none.safetensors");
  args = on_images({"--label", "zebra"});
  expect(args, kBadInput, "has nobody with the label 'zebra'");
  args = on_images();
  io::write_image(folder_ / "images/extra.png", street(160, 176).view());
  expect(args, kBadInput, "no annotation of the image");
  annotate("extra", 0, 16);
  io::write_image(folder_ / "images/extra.png", street(80, 176).view());
  expect(args, kBadInput, "the image is 80x176, but its annotation is for an image of 160x176");
  test::save(folder_ / "images/extra.png", "no picture");
  expect(args, kBadInput, "extra.png");
  test::save(folder_ / "boxes/extra.txt", "nonsense");
  expect(args, kBadInput, "extra.txt");
}

TEST_F(PeopleEval, AStopEndsIt) { EXPECT_EQ(run_here(on_images(), fired()).status, kInterrupted); }

}  // namespace
}  // namespace fovea::cli
