// Covers: explain
// The envelope of results, and who may write to standard output.
#include "cli/program/result.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class Result : public testing::Test {
 protected:
  TextSink out_, err_;
  Console console_{{.out = out_, .err = err_}};
  Context context_{*find_command("ops", "blur"), console_, {}, {}, false, "{\"sigma\": 2}"};
};

TEST_F(Result, HasTheSameKeysEverywhere) {
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  begin_result(json, context_);
  json.member("boxes", 3);
  end_result(json, context_);
  const auto result = nlohmann::json::parse(text);
  for (const char* key : {"fovea", "command", "device", "seed", "options", "seconds"})
    EXPECT_TRUE(result.contains(key)) << key;
  EXPECT_EQ(result["command"], "ops blur");
  EXPECT_EQ(result["options"]["sigma"], 2);
  auto provenance = nlohmann::json::parse(provenance_json(context_));
  for (const auto& [key, value] : provenance.items()) EXPECT_EQ(value, result[key]) << key;
  EXPECT_EQ(provenance.size(), 5U);
  EXPECT_EQ(page_provenance(context_).command, "fovea ops blur");
}

TEST_F(Result, DataOnStandardOutputTurnsLinesIntoNotes) {
  settle_output(context_, "--csv", "table.csv");
  context_.console.print("one\n");
  settle_output(context_, "--csv", "-");
  context_.console.print("two\nthree\n");
  EXPECT_EQ(out_.text, "one\n");
  EXPECT_EQ(err_.text, "fovea: two\nfovea: three\n");
  context_.console.set_quiet(true);
  context_.console.print("four\n");
  EXPECT_EQ(err_.text, "fovea: two\nfovea: three\n");
}

TEST_F(Result, OnlyOneWritesToStandardOutput) {
  settle_output(context_, "--csv", "/dev/stdout");
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { settle_output(context_, "--coco", "-"); }),
              HasSubstr("--csv and --coco would both write to standard output"));
  context_.json = true;
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { settle_output(context_, "--coco", "-"); }),
              HasSubstr("--coco - and --json would both write to standard output"));
}

}  // namespace
}  // namespace fovea::cli
