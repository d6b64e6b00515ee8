#include "view/form.h"

#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/people/detector.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/messages.h"

namespace fovea::view {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json control(const json& controls, const std::string& name) {
  for (const json& each : controls)
    if (each["name"] == name) return each;
  return {};
}

TEST(Form, HasAControlPerOption) {
  people::DetectOptions options;
  const json controls = json::parse(controls_json(form_of(options)));
  const json ratio = control(controls, "ratio");
  EXPECT_EQ(ratio["kind"], "number");
  EXPECT_EQ(ratio["least"], 1.01);
  EXPECT_EQ(ratio["greatest"], 4);
  EXPECT_EQ(ratio["value"], "1.05");
  EXPECT_GT(ratio["help"].get<std::string>().size(), 10U);
  EXPECT_EQ(control(controls, "threshold")["kind"], "optional number");
  EXPECT_EQ(control(controls, "threshold")["value"], "");
  EXPECT_EQ(control(controls, "stride")["kind"], "whole");
}

TEST(Form, HasChoicesAndFlags) {
  flow::FlowOptions options;
  const json controls = json::parse(controls_json(form_of(options)));
  EXPECT_EQ(control(controls, "quality")["choices"], json({"fast", "default", "best"}));
  EXPECT_EQ(control(controls, "lk-wide")["kind"], "flag");
  EXPECT_EQ(control(controls, "memory")["kind"], "bytes");
  EXPECT_TRUE(
      control(json::parse(controls_json(form_of(options, {"memory"}))), "memory").is_null());
}

struct Paths {
  std::string text = "a", input, output, model;
};
void describe(OptionVisitor& visit, Paths& paths) {
  visit("text", paths.text, "a text");
  visit.path("input", paths.input, TextUse::kInput, "a file");
  visit.path("output", paths.output, TextUse::kOutput, "a file");
  visit.path("model", paths.model, TextUse::kModel, "a model");
}

TEST(Form, NeverNamesAFile) {
  Paths paths;
  Form form = form_of(paths);
  ASSERT_EQ(form.fields.size(), 1U);
  EXPECT_EQ(form.fields[0].name, "text");
  EXPECT_THAT(test::message_of([&] {
                fill_form(form, {{"input", "/etc/passwd"}});
              }),
              HasSubstr("there is no option 'input'"));
}

TEST(Form, SetsOptionsAndChecksThem) {
  people::DetectOptions options;
  Form form = form_of(options);
  fill_form(form, {{"ratio", "1.2"}, {"threshold", "-0.5"}});
  EXPECT_EQ(options.scan.ratio, 1.2);
  EXPECT_EQ(options.threshold, -0.5);
  EXPECT_THROW(fill_form(form, {{"ratio", "9"}}), InvalidArgument);
  EXPECT_THROW(fill_form(form, {{"ratio", "much"}}), InvalidArgument);
  EXPECT_THROW(fill_form(form, {{"no-such", "1"}}), InvalidArgument);
}

TEST(Form, SaysWhatWasChanged) {
  flow::FlowOptions options, plain;
  Form form = form_of(options);
  fill_form(form, {{"quality", "best"}, {"lk-wide", "false"}, {"lk-radius", "3"}});
  const Form defaults = form_of(plain);
  EXPECT_EQ(changed_flags(form, defaults), " --quality best --lk-radius 3 --no-lk-wide");
  EXPECT_EQ(changed_keywords(form, defaults), ", quality=\"best\", lk_radius=3, lk_wide=False");
}

TEST(Form, NamesControlsInsteadOfFlags) {
  people::DetectOptions options;
  const Form form = form_of(options);
  EXPECT_EQ(with_controls("Nobody: --enlarge 2 may help, --enlarged and --other do not", form),
            "Nobody: the option \"enlarge\" at 2 may help, --enlarged and --other do not");
  EXPECT_EQ(with_controls("--fuse-weights margin counts them", form),
            "the option \"fuse weights\" at margin counts them");
}

TEST(ShellWord, IsQuotedWhereItMustBe) {
  EXPECT_EQ(shell_word("photos/a-1.jpg"), "photos/a-1.jpg");
  EXPECT_EQ(shell_word("two words.jpg"), "'two words.jpg'");
  EXPECT_EQ(shell_word("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace fovea::view
