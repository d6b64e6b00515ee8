#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class EmdDistance : public testing::Test {
 protected:
  Ended run_on(const std::string& text, std::vector<std::string> more = {"--json"}) {
    const std::string path = folder_ / "problems.json";
    test::save(path, text);
    std::vector<std::string> args{"emd", "distance", "--problems", path};
    args.insert(args.end(), more.begin(), more.end());
    return run_here(args);
  }
  test::TempFolder folder_;
};

TEST_F(EmdDistance, SolvesPairsOfAFile) {
  const Ended ended = run_on(
      R"({"ground": "l1", "problems": [{"p": [1, 0, 0], "q": [0, 0, 1]}, {"p": [2, 0, 0], "q": [0, 1, 1]}]})");
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["distances"][0], 2);
  EXPECT_EQ(result["distances"][1], 1.5);
  EXPECT_EQ(result["statuses"][1], "optimal");
  EXPECT_EQ(result["ground"]["form"], "line");
  EXPECT_EQ(result["solvers"][0], "closed_form");
  EXPECT_EQ(result["solved_by"]["closed_form"], 2);
  EXPECT_EQ(result["solved_by"]["tableau"], 0);
  EXPECT_EQ(result["unequal"], 0);
  EXPECT_FALSE(result.contains("assumed"));
}

TEST_F(EmdDistance, SaysWhatItAssumesOfUnequalMasses) {
  const std::string text = R"({"ground": "l1", "problems": [
      {"p": [2, 2, 0], "q": [0, 0, 1]}, {"p": [0.1, 0.2, 0], "q": [0, 0, 0.3]}]})";
  for (const auto& [mass, distance] : {std::pair{"partial", 1.0}, {"normalize", 1.5}}) {
    const Ended ended = run_on(text, {"--json", "--mass", mass});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json result = json::parse(ended.out);
    EXPECT_EQ(result["distances"][0], distance);
    EXPECT_EQ(result["unequal"], 1);
    EXPECT_THAT(result["assumed"].get<std::string>(), HasSubstr(mass));
  }
}

TEST_F(EmdDistance, ManyBinsAreSolved) {
  std::vector<double> first(100), second(100);
  first[3] = second[93] = 1;
  const json file{{"ground", "l1"}, {"P", first}, {"Q", second}};
  const json result = json::parse(run_on(file.dump(), {"--json", "--solver", "simplex"}).out);
  EXPECT_EQ(result["distances"][0], 90);
  EXPECT_EQ(result["solved_by"]["network_simplex"], 1);
}

TEST_F(EmdDistance, SaysWhatSolvedEachProblem) {
  const std::string text = R"({"ground": "threshold:2", "problems": [
      {"p": [3, 0, 0, 1], "q": [0, 0, 7, 2]}, {"p": [0.5, 0, 0, 1], "q": [1, 1, 0, 0]},
      {"p": [0, 0, 0, 0], "q": [1, 1, 0, 0]}]})";
  const Ended ended = run_on(text, {"--json", "--start", "auxiliary", "--mass", "normalize"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["solvers"], json::parse(R"(["tableau", "wide_tableau", "nothing"])"));
  EXPECT_EQ(result["solved_by"]["wide_tableau"], 1);
  const Ended lines = run_on(text, {"--start", "auxiliary", "--mass", "normalize"});
  EXPECT_THAT(lines.out, HasSubstr(" optimal tableau\n1 "));
}

TEST_F(EmdDistance, SolvesListsAgainstOneHistogram) {
  const Ended ended =
      run_on(R"({"ground": [[0, 1, 4], [1, 0, 1]], "P": [[1, 1], [2, 0]], "Q": [0, 1, 1]})",
             {"--json", "--flow", "--solver", "simplex"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["distances"][0], 1);
  EXPECT_EQ(result["distances"][1], 2.5);
  EXPECT_EQ(result["flows"][1], json::parse("[[0, 1, 1], [0, 0, 0]]"));
}

TEST_F(EmdDistance, BadProblemsAreNamedAndOthersSolved) {
  const Ended ended = run_on(R"({"ground": "l1", "problems": [
      {"p": [1, 0, 0], "q": [0, 0, 1]},
      {"p": [1, 0], "q": [0, 0, 1]},
      {"p": [1, -2, 0], "q": [0, 0, 1]},
      {"p": [1, null, 0], "q": [0, 0, 1]},
      {"p": [1e308, 1e308, 0], "q": [0, 0, 1]},
      {"p": [1, 0, 0]},
      {"p": [0, 1, 0], "q": [0, 0, 1]}]})");
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("problem 1: p has 2 bins, expected 3"));
  EXPECT_THAT(ended.err, HasSubstr("problem 2: p has mass -2 in bin 1, expected at least 0"));
  EXPECT_THAT(ended.err, HasSubstr("problem 3: p holds null in bin 1, expected a number"));
  EXPECT_THAT(ended.err, HasSubstr("problem 4: the sum of its masses is not finite"));
  EXPECT_THAT(ended.err, HasSubstr("problem 5: is not an object with 'p' and 'q'"));
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["failed"], 5);
  EXPECT_EQ(result["distances"][0], 2);
  EXPECT_TRUE(result["statuses"][1].is_null());
  EXPECT_EQ(result["errors"][0]["problem"], 1);
  EXPECT_EQ(result["distances"][6], 1);
}

TEST_F(EmdDistance, FilesThatAreNoProblemsAreRefused) {
  const auto refuses = [&](const std::string& text) {
    const Ended ended = run_on(text);
    EXPECT_EQ(ended.status, kBadInput) << text;
    return ended.err;
  };
  EXPECT_THAT(refuses("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(refuses("[]"), HasSubstr("holds no object"));
  EXPECT_THAT(refuses(R"({"ground": "l1"})"), HasSubstr("holds no pairs"));
  EXPECT_THAT(refuses(R"({"problems": [{"p": [1], "q": [1]}]})"), HasSubstr("no \"ground\""));
  EXPECT_THAT(refuses(R"({"ground": "taxi", "P": [1], "Q": [1]})"), HasSubstr("'taxi'"));
  EXPECT_THAT(refuses(R"({"ground": [[1, "x"]], "P": [1], "Q": [1]})"),
              HasSubstr("neither a name"));
  EXPECT_THAT(refuses(R"({"ground": [[0, 1], [0]], "P": [1, 0], "Q": [1, 0]})"),
              HasSubstr("a row has 1 costs, but the rows before it have 2"));
  EXPECT_THAT(refuses(R"({"ground": [[0, -1], [1, 0]], "P": [1, 0], "Q": [1, 0]})"),
              HasSubstr("is -1"));
  EXPECT_THAT(refuses(R"({"ground": "l1", "P": [[1], [1]], "Q": [[1], [1], [1]]})"),
              HasSubstr("P holds 2 histograms and Q 3"));
  EXPECT_EQ(run_here({"emd", "distance"}).status, kUsage);
}

TEST_F(EmdDistance, PrintsALineAProblem) {
  const Ended ended = run_on(R"({"ground": "discrete", "P": [1, 1], "Q": [[2, 0], [0, 0]]})", {});
  ASSERT_EQ(ended.status, kBadInput) << ended.out;
  const Ended lines = run_on(R"({"ground": "discrete", "P": [[1, 1], [0, 0]], "Q": [2, 0]})", {});
  EXPECT_EQ(lines.status, kDone);
  EXPECT_EQ(lines.out, "0 0.5 optimal closed_form\n1 1 empty nothing\n");
}

// A value that is nested deeply is named by its kind, not repeated.
TEST_F(EmdDistance, NestedValuesAreNamedByTheirKind) {
  const std::string deep = std::string(50, '[') + std::string(50, ']');
  const Ended ended =
      run_on(R"({"ground": "l1", "problems": [{"p": [1, 0], "q": [0, 1]}, {"p": [1, )" + deep +
             R"(], "q": [0, 1]}]})");
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.out + ended.err, HasSubstr("p holds an array in bin 1, expected a number"));
}

}  // namespace
}  // namespace fovea::cli
