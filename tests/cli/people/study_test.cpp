// Covers: study_page
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Crops of 80x144 with someone in the middle, and scenes, both of noise.
class PeopleStudy : public testing::Test {
 protected:
  PeopleStudy() {
    for (const char* name : {"crops", "scenes"}) std::filesystem::create_directory(folder_ / name);
    for (int i = 0; i < 8; ++i) {
      Image<std::uint8_t> crop = street(80, 144);
      draw_someone(crop.view(), 8, 8);
      write("crops", i, crop);
    }
    for (int i = 0; i < 4; ++i) {
      Image<std::uint8_t> scene = street(100, 150);
      write("scenes", i, scene);
    }
  }

  void write(const std::string& name, int index, Image<std::uint8_t>& image) const {
    Random random(3, static_cast<std::uint64_t>(index));
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        image.at(x, y) = static_cast<std::uint8_t>(image.at(x, y) - 30 + random.below(60));
    io::write_image(folder_ / name + "/" + std::to_string(index) + ".png", image.view());
  }

  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"people",          "study",
                                  "--positives",     folder_ / "crops",
                                  "--negatives",     folder_ / "scenes",
                                  "--linear-rounds", "0"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  bool has(const std::string& file) const { return std::filesystem::exists(folder_ / file); }

  test::TempFolder folder_;
};

TEST_F(PeopleStudy, WritesAPageTablesAndJson) {
  const Ended ended =
      run_here(words({"-o", folder_ / "report", "--vary", "gamma,interpolate", "--json"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  ASSERT_EQ(result["variants"].size(), 3U);
  EXPECT_EQ(result["variants"][0]["value"], "default");
  EXPECT_EQ(result["variants"][1]["parameter"], "gamma");
  EXPECT_EQ(result["variants"][1]["hog"]["gamma"], "none");
  EXPECT_EQ(result["variants"][2]["value"], "no interpolate");
  // The last quarter of each folder was kept for measuring.
  EXPECT_EQ(result["variants"][0]["crops"], 2);
  EXPECT_EQ(result["positives"], 12);
  EXPECT_EQ(json::parse(test::load(folder_ / "report/study.json"))["variants"].size(), 3U);
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  ASSERT_EQ(evaluation.charts.size(), 2U);
  EXPECT_EQ(evaluation.charts[0].title, "gamma");
  EXPECT_EQ(evaluation.charts[0].curves.size(), 2U);
  const std::string page = test::load(folder_ / "report/index.html");
  EXPECT_THAT(page, HasSubstr("gamma none"));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(test::load(folder_ / "report/table.csv"), HasSubstr("interpolate"));
  EXPECT_THAT(test::load(folder_ / "report/curves.csv"), HasSubstr("threshold"));
}

TEST_F(PeopleStudy, PrintsOneLinePerVariant) {
  const Ended ended =
      run_here(words({"-o", folder_ / "report", "--vary", "color", "--test-positives",
                      folder_ / "crops", "--test-negatives", folder_ / "scenes"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("default: miss rate"));
  EXPECT_THAT(ended.out, HasSubstr("\ncolor, no color: miss rate"));
}

TEST_F(PeopleStudy, WrongRequestsAreUsageErrors) {
  Ended ended = run_here(words({}));
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("people study needs -o FOLDER"));
  ended = run_here(words({"-o", folder_ / "report", "--vary", "shapes"}));
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("there is no parameter 'shapes'"));
  ended = run_here({"people", "study", "--positives", folder_ / "crops", "-o", folder_ / "report"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--negatives"));
  ended = run_here({"people", "study", "--positives", folder_ / "crops/0.png", "--negatives",
                    folder_ / "scenes", "-o", folder_ / "report"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("give --test-positives"));
  EXPECT_FALSE(has("report"));
}

TEST_F(PeopleStudy, UnfitCropsAreNamed) {
  io::write_image(folder_ / "crops/z.png", street(60, 100).view());
  const Ended ended = run_here(words({"-o", folder_ / "report", "--test-positives",
                                      folder_ / "crops", "--test-negatives", folder_ / "scenes"}));
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("z.png"));
  EXPECT_FALSE(has("report"));
}

}  // namespace
}  // namespace fovea::cli
