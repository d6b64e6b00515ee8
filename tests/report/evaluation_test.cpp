// Covers: records
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/messages.h"

namespace fovea::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Evaluation drawn_evaluation() {
  Evaluation evaluation{.system = "people", .title = "People", .summary = "Two were missed."};
  evaluation.facts = {{"images", "3"}};
  evaluation.charts.push_back({.title = "Miss rate",
                               .threshold = "score",
                               .option = "threshold",
                               .x = {.title = "false positives", .log = true},
                               .y = {.title = "miss rate"},
                               .figures = {"precision"},
                               .curves = {{"a", 0.5, {{2, 0, 1, {1}}, {1, 0.1, 0.5, {0.75}}}}}});
  evaluation.classes = {"indoor", "outdoor"};
  evaluation.confusion = {3, 1, 0, 4};
  evaluation.inputs.push_back({{"a.png"}, 2, "a.flo", {{{1, 2, 3, 4}, 1.5, 0}, {{5, 6, 7, 8}}}});
  evaluation.mistakes.push_back({.kind = "Missed people",
                                 .text = "nobody",
                                 .above = 0.25,
                                 .box = Rect<double>{1, 2, 3, 4},
                                 .truth = 1,
                                 .predicted = 0});
  return evaluation;
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::string text;
  io::JsonWriter out(io::string_sink(text));
  out.begin_object().key("evaluation");
  write_evaluation(out, evaluation);
  out.end_object().finish();
  return text;
}

TEST(Evaluation, IsWrittenWithoutWhatIsNotThere) {
  std::string text;
  io::JsonWriter out(io::string_sink(text), io::JsonStyle::kOneLine);
  write_evaluation(out, drawn_evaluation());
  out.finish();
  EXPECT_EQ(
      text,
      R"({"system": "people", "title": "People", "summary": "Two were missed.", )"
      R"("facts": [{"name": "images", "value": "3"}], )"
      R"("charts": [{"title": "Miss rate", "threshold": "score", "option": "threshold", )"
      R"("x": {"title": "false positives", "log": true}, "y": {"title": "miss rate", "log": false}, )"
      R"("figures": ["precision"], "curves": [{"name": "a", "chosen": 0.5, )"
      R"("points": [[2, 0, 1, 1], [1, 0.1, 0.5, 0.75]]}]}], )"
      R"("classes": ["indoor", "outdoor"], "confusion": [3, 1, 0, 4], )"
      R"("inputs": [{"files": ["a.png"], "frame": 2, "truth": "a.flo", )"
      R"("boxes": [{"box": [1, 2, 3, 4], "score": 1.5, "curve": 0}, {"box": [5, 6, 7, 8]}]}], )"
      R"("mistakes": [{"kind": "Missed people", "text": "nobody", "input": 0, "curve": 0, )"
      R"("above": 0.25, "box": [1, 2, 3, 4], "truth": 1, "predicted": 0}]})");
  EXPECT_EQ(io::record_json(record_ref(Evaluation{.system = "flow"})),
            R"({"system": "flow", "title": "", "summary": "", "facts": [], "charts": [], )"
            R"("inputs": [], "mistakes": []})");
}

TEST(Evaluation, ComesBackAsItWasWritten) {
  const std::string text = evaluation_text(drawn_evaluation());
  const Evaluation back = parse_evaluation(text, "eval.json");
  EXPECT_EQ(evaluation_text(back), text);
  EXPECT_EQ(back.charts[0].curves[0].points[1].figures[0], 0.75);
  EXPECT_EQ(back.inputs[0].boxes[0].score, 1.5);
  EXPECT_FALSE(back.inputs[0].boxes[1].score);
  EXPECT_EQ(back.mistakes[0].above, 0.25);
  EXPECT_FALSE(back.mistakes[0].up_to);
}

TEST(Evaluation, KeepsTablesAndWhatIsDrawnBesideCurves) {
  Evaluation evaluation = drawn_evaluation();
  evaluation.tables.push_back({"Models", {{"model"}, {"miss rate", "%"}}, {{"a", 12.5}, {"b", 3}}});
  EvaluationChart& chart = evaluation.charts[0];
  chart.caption = "Lower is better.";
  chart.file = "curve";
  chart.lines = 1;
  chart.x.high = 10;
  chart.references = {{0.5, "half", true}};
  chart.curves[0].summary = "5 %";
  const std::string text = evaluation_text(evaluation);
  const Evaluation back = parse_evaluation(text, "eval.json");
  EXPECT_EQ(evaluation_text(back), text);
  EXPECT_EQ(back.tables[0].rows[0][1].text(), "12.5");
  EXPECT_EQ(back.tables[0].columns[1].unit, "%");
  EXPECT_EQ(back.charts[0].references[0].label, "half");
  EXPECT_EQ(back.charts[0].x.high, 10);
  EXPECT_FALSE(back.charts[0].x.low);
  const auto refused = [&](const std::function<void(json & evaluation)>& spoil) {
    json tree = json::parse(text);
    spoil(tree["evaluation"]);
    return test::message_of<FormatError>([&] { parse_evaluation(tree.dump(), "eval.json"); });
  };
  EXPECT_THAT(refused([](json& e) { e["tables"][0]["rows"][1].push_back("more"); }),
              HasSubstr("3 cells in a table of 2 columns"));
  EXPECT_THAT(refused([](json& e) { e["charts"][0]["lines"] = 2; }), HasSubstr("'lines' of 2"));
}

TEST(Evaluation, RefusesWhatDoesNotFitTogether) {
  const auto refused = [](const std::function<void(json & evaluation)>& spoil) {
    json tree = json::parse(evaluation_text(drawn_evaluation()));
    spoil(tree["evaluation"]);
    return test::message_of<FormatError>([&] { parse_evaluation(tree.dump(), "eval.json"); });
  };
  EXPECT_THAT(refused([](json& e) { e["mistakes"][0]["input"] = 7; }),
              test::says("eval.json: ", "'input' of 7", "1"));
  EXPECT_THAT(refused([](json& e) { e["mistakes"][0]["curve"] = -1; }),
              test::says("eval.json: ", "mistakes[0].curve", "-1", "a whole number"));
  EXPECT_THAT(refused([](json& e) { e["mistakes"][0]["truth"] = 2; }), HasSubstr("'truth' of 2"));
  EXPECT_THAT(refused([](json& e) {
                e["mistakes"][0]["box"] = {1, 2};
              }),
              HasSubstr("mistakes[0].box is [1,2]; expected an array of 4 numbers"));
  EXPECT_THAT(refused([](json& e) { e["mistakes"] = {3}; }),
              HasSubstr("mistakes[0] is 3; expected an object"));
  EXPECT_THAT(refused([](json& e) { e["inputs"] = "a"; }),
              HasSubstr("inputs is \"a\"; expected an array"));
  EXPECT_THAT(refused([](json& e) { e["confusion"].push_back(1); }), HasSubstr("5 counts"));
  EXPECT_THAT(refused([](json& e) { e["charts"][0].erase("x"); }),
              HasSubstr("charts[0].x is missing"));
  EXPECT_THAT(refused([](json& e) { e["charts"][0]["curves"][0]["points"][0].push_back(1); }),
              HasSubstr("a point that has not 4 numbers"));
  EXPECT_THAT(refused([](json& e) {
                e["charts"][0]["curves"][0]["points"][0] = {1, 2};
              }),
              HasSubstr("points[0] is [1,2]; expected an array of at least 3 values"));
  EXPECT_THAT(refused([](json& e) { e["inputs"][0]["boxes"][0]["curve"] = 1; }),
              HasSubstr("'curve' of 1, but there are 1"));
  EXPECT_THAT(refused([](json& e) { e["inputs"][0]["frame"] = -3; }), HasSubstr("'frame' of -3"));
  EXPECT_THAT(test::message_of<FormatError>([] { parse_evaluation("{}", "eval.json"); }),
              HasSubstr("eval.json: there is no evaluation in it"));
  EXPECT_THAT(test::message_of<FormatError>([] { parse_evaluation("[1]", "eval.json"); }),
              HasSubstr("eval.json: is [1]; expected an object"));
  EXPECT_THROW(parse_evaluation("{", "eval.json"), FormatError);
}

TEST(Evaluation, DrawsFewPointsOfALongCurve) {
  EvaluationChart chart{.x = {.log = true}};
  std::vector<EvaluationPoint> points;
  for (int i = 0; i <= 100000; ++i)
    points.push_back({-1.0 * i, 1e-5 * i, 1 - 1e-5 * i, {}});  // the first is at no place of a log
  const auto kept = subsampled(points, chart);
  EXPECT_LT(kept.size(), 700U);
  EXPECT_GT(kept.size(), 200U);
  EXPECT_EQ(kept.front().threshold, 0);
  EXPECT_EQ(kept.back().threshold, -100000);
  EXPECT_EQ(subsampled({}, chart).size(), 0U);
}

TEST(Evaluation, MergesWhatIsWrongAtNeighboringPoints) {
  const auto mistake = [](const char* text, std::size_t input) {
    return Mistake{.kind = "k", .text = text, .input = input};
  };
  const std::vector<Mistake> all =
      merged({0.25, 0.5, 1}, {{mistake("a", 0), mistake("b", 1)},
                              {mistake("b", 1)},
                              {mistake("a", 0), mistake("c", 2), mistake("b", 1)}});
  ASSERT_EQ(all.size(), 4U);
  // At each point the order is that of its list.
  EXPECT_EQ(all[0].text, "a");  // again at the last point
  EXPECT_EQ(all[0].above, 0.5);
  EXPECT_FALSE(all[0].up_to);
  EXPECT_EQ(all[1].text, "c");
  EXPECT_EQ(all[2].text, "a");
  EXPECT_FALSE(all[2].above);
  EXPECT_EQ(all[2].up_to, 0.25);
  EXPECT_EQ(all[3].text, "b");  // at all points
  EXPECT_FALSE(all[3].above);
  EXPECT_FALSE(all[3].up_to);
  EXPECT_TRUE(merged({}, {}).empty());
}

TEST(Evaluation, KeepsTheLabelsOfBoxes) {
  Evaluation evaluation{.system = "people"};
  evaluation.inputs.push_back(
      {.files = {"a.mp4"},
       .frame = 3,
       .boxes = {{.box = {1, 2, 3, 4}, .label = "7"}, {.box = {1, 2, 3, 4}, .score = 0.5}}});
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object().key("evaluation");
  write_evaluation(json, evaluation);
  json.end_object().finish();
  const Evaluation read = parse_evaluation(text, "e.json");
  EXPECT_EQ(read.inputs[0].boxes[0].label, "7");
  EXPECT_EQ(read.inputs[0].boxes[1].label, "");
}

}  // namespace
}  // namespace fovea::report
