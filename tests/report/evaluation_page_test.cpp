#include <fovea/io/image_io.h>
#include <fovea/io/record_io.h>
#include <fovea/report/draw.h>
#include <fovea/report/evaluation_page.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "support/files.h"
#include "support/xml_check.h"

namespace fovea::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two models, of which the first misses what scores less than 1. Below the third point of a curve
// the logarithmic axes end.
Evaluation two_models() {
  Evaluation evaluation{.system = "people", .title = "People", .summary = "Two were missed."};
  evaluation.facts = {{"images", "3"}};
  evaluation.charts.push_back(
      {.title = "Miss rate",
       .threshold = "score",
       .x = {.title = "false positives", .log = true, .low = 0.01, .high = 1},
       .y = {.title = "miss rate", .log = true},
       .figures = {"precision", "recall"},
       .curves = {{"one", 1, {{3, 1e-5, 1, {1, 0}}, {2, 1e-3, 0.5, {1, 0.5}}, {1, 0.5, 0, {1, 1}}}},
                  {"two", {}, {{1, 0.1, 0.5, {0.75, 0.5}}}, "50 %"}},
       .caption = "Lower is better.",
       .file = "curve",
       .lines = 1,
       .references = {{0.1, "a tenth", true}}});
  evaluation.tables.push_back(
      {"All models", {{"model"}, {"time", "s", true}, {"miss rate", "%"}}, {{"one", 1.5, 12345}}});
  evaluation.classes = {"indoor", "outdoor"};
  evaluation.confusion = {3, 1, 0, 4};
  return evaluation;
}

TEST(EvaluationPage, ShowsAllPartsOfAnEvaluation) {
  const std::string html = evaluation_page(two_models(), {.links = {{"numbers", "n.csv"}}}).html();
  EXPECT_EQ(test::xml_problem(html), "");
  for (const char* part : {"Two were missed.", "Lower is better.", "two 50 %", "precision",
                           "a tenth", "All models", "12\u202F345", "Confusion", "n.csv"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, Not(HasSubstr("Mistakes")));
  EXPECT_EQ(test::xml_problem(evaluation_page(Evaluation{.title = "Nothing"}).html()), "");
}

// Of the points left of the axis one remains, at its edge; one without a miss rate is not drawn,
// and no note below the chart counts it.
TEST(EvaluationPage, DrawsWhatTheAxesHaveAPlaceFor) {
  EvaluationChart chart = two_models().charts[0];
  const std::string svg = to_svg(chart);
  EXPECT_EQ(test::xml_problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("not shown")));
  chart.curves[0].points.erase(chart.curves[0].points.begin());
  chart.lines = 0;
  EvaluationChart whole = two_models().charts[0];
  whole.lines = 0;
  EXPECT_EQ(to_svg(chart), to_svg(whole));
}

TEST(EvaluationPage, CutsMistakesOutOfTheirImages) {
  const test::TempFolder folder;
  Image<std::uint8_t> image(64, 48);
  fill_box(image.view(), {0, 0, 64, 48}, {.color = {200, 200, 200}});
  io::write_image(folder / "a.png", image.view());
  Evaluation evaluation = two_models();
  evaluation.inputs = {{{folder / "a.png"}}, {{"walk.mp4"}, 7}};
  const Rect<double> box{10, 10, 8, 16};
  evaluation.mistakes = {{.kind = "False positives", .text = "below", .up_to = 0.5, .box = box},
                         {.kind = "False positives", .text = "above", .up_to = 1.5, .box = box},
                         {.kind = "Missed people", .text = "lost", .input = 1, .curve = 1}};
  const std::string html = evaluation_page(evaluation).html();
  EXPECT_EQ(test::xml_problem(html), "");
  EXPECT_THAT(html, HasSubstr("False positives, the worst first."));
  EXPECT_THAT(html, HasSubstr("data:image/png"));
  // A mistake in a video is named. Each model has a heading.
  EXPECT_THAT(html, HasSubstr("<td>lost</td><td>walk.mp4, frame 7</td>"));
  EXPECT_THAT(html, HasSubstr(">two</h3>"));
  // At the threshold of its curve the first one is no mistake.
  evaluation.mistakes.resize(1);
  EXPECT_THAT(evaluation_page(evaluation).html(), Not(HasSubstr("False positives")));
  EXPECT_THAT(evaluation_page(evaluation, {.sheet = 0}).html(), Not(HasSubstr("Mistakes")));
}

TEST(EvaluationPage, WritesItsFiles) {
  const test::TempFolder folder;
  write_evaluation_page(folder / ".", two_models(), {.provenance = {.command = "fovea x"}});
  EXPECT_EQ(test::load(folder / "curve.svg"), to_svg(two_models().charts[0]));
  EXPECT_EQ(test::load(folder / "confusion.svg"), confusion_svg(two_models()));
  EXPECT_EQ(test::load(folder / "confusion.csv"),
            "true class,indoor,outdoor\r\nindoor,3,1\r\noutdoor,0,4\r\n");
  EXPECT_THAT(test::load(folder / "index.html"), HasSubstr("fovea x"));
}

TEST(EvaluationPage, TimesAreLeftOutWhereRunsMustAgree) {
  Evaluation evaluation = two_models();
  evaluation.charts.push_back({.title = "Time", .timing = true});
  const Evaluation without = without_times(evaluation);
  EXPECT_EQ(without.charts.size(), 1U);
  ASSERT_EQ(without.tables[0].columns.size(), 2U);
  EXPECT_EQ(without.tables[0].rows[0].size(), 2U);
  EXPECT_EQ(without.tables[0].columns[1].title, "miss rate");
}

}  // namespace
}  // namespace fovea::report
