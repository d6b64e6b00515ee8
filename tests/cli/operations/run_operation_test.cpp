// What all operations have in common as verbs; tests/places has the rest.
// Covers: job, report, run_inputs, run_one, run_ranges, sequence_pass, step_reader
#include "cli/operations/run_operation.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class RunOperation : public testing::Test {
 protected:
  RunOperation() {
    Random random(5);
    for (const char* name : {"a.png", "b.png"})
      io::write_image(folder_ / name, test::random_image<std::uint8_t>(random, 80, 160, 3).view());
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  std::string refused(const std::vector<std::string>& words) const {
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  }

  test::TempFolder folder_;
};

TEST_F(RunOperation, AnExplanationIsOfOneInputAndWritesNoResults) {
  const std::vector<std::string> explain{"people", "detect", at("a.png"), "--explain", "40,80"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = explain;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_THAT(refused(with({at("b.png")})), HasSubstr("one image, but there are 2 inputs"));
  EXPECT_THAT(refused(with({"--csv", "x.csv"})), HasSubstr("no results that x.csv could get"));
  EXPECT_THAT(refused(with({"--explain-picture", at("a.png")})), HasSubstr("would be replaced"));
  const Ended ended = run_here(with({"--json", "--explain-picture", at("why.png")}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["input"], at("a.png"));
  EXPECT_EQ(json["picture"], at("why.png"));
  EXPECT_TRUE(json["explanation"].contains("summary"));
  EXPECT_GT(io::read_image(at("why.png")).width(), 0);
}

TEST_F(RunOperation, OneOfItsOutputsMustBeNamed) {
  EXPECT_THAT(refused({"ops", "blur", at("a.png")}), HasSubstr("ops blur needs -o OUT"));
  EXPECT_THAT(refused({"ops", "blur", at("a.png"), "-o", "-"}), HasSubstr("standard output"));
}

TEST_F(RunOperation, ATableByItsEndingIsNoPicture) {
  const Ended ended = run_here({"people", "detect", at("a.png"), "-o", at("all.csv")});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(test::load(at("all.csv")), testing::StartsWith("input,"));
}

}  // namespace
}  // namespace fovea::cli
