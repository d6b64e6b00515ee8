// Covers: config, json_file
#include "cli/program/parser.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

enum class Flavour : unsigned char { kSweet, kSour };
std::span<const Choice> choices(Flavour) {
  static constexpr std::array<Choice, 2> kChoices{{{"sweet", 0}, {"sour", 1}}};
  return kChoices;
}

struct FruitOptions {
  std::string output{};
  int count = 3;
  float weight = 0.5F;
  bool peeled = false;
  bool washed = true;
  Flavour flavour = Flavour::kSweet;
  std::vector<WordAndFile> picture{};
};
void describe(OptionVisitor& visit, FruitOptions& options) {
  visit("output", options.output, "where to write");
  visit("count", options.count, "how many", 1, 32);
  visit("weight", options.weight, "how heavy", -1, 1);
  visit("peeled", options.peeled, "without peel");
  visit("washed", options.washed, "clean");
  visit("flavour", options.flavour, "how it tastes");
  visit("picture", options.picture, "how it looks, and its file");
}

// Sour fruit are many.
struct BasketOptions {
  Flavour preset = Flavour::kSweet;
  int count = 3;
  bool washed = true;
};
void describe(OptionVisitor& visit, BasketOptions& options) {
  visit("count", options.count, "how many", 1, 32);
  visit("washed", options.washed, "clean");
  visit("preset", options.preset, "how it tastes");
}
void preset_chosen(BasketOptions& options) {
  options.count = options.preset == Flavour::kSour ? 20 : 10;
  options.washed = false;
}
BasketOptions basket;
int keep(BasketOptions& options, Context&) {
  basket = options;
  return 0;
}

FruitOptions seen;
int remember(FruitOptions& options, Context&) {
  seen = options;
  return 0;
}

const Command kFruit{.system = "fruit",
                     .verb = "pick",
                     .summary = "pick fruit",
                     .text = "",
                     .arguments = {{"INPUT", "trees", 1, 2}},
                     .request = make_request<FruitOptions, remember>};

Invocation parsed(const std::vector<std::string>& words) {
  Invocation invocation = parse(kFruit, words);
  TextSink nowhere;
  Console console({.out = nowhere, .err = nowhere});
  Context context{kFruit, console, {}, {}, false, ""};
  invocation.request->run(context);
  return invocation;
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse(kFruit, words);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parser, ValuesFollowOrAreAttached) {
  parsed({"tree", "--count", "7", "--weight=-0.25", "-o", "basket"});
  EXPECT_EQ(seen.count, 7);
  EXPECT_EQ(seen.weight, -0.25F);
  EXPECT_EQ(seen.output, "basket");
  parsed({"tree", "-obasket"});
  EXPECT_EQ(seen.output, "basket");
  parsed({"tree", "--output=a=b"});
  EXPECT_EQ(seen.output, "a=b");
}

TEST(Parser, ValueMayLookNegative) {
  parsed({"tree", "--weight", "-0.5"});
  EXPECT_EQ(seen.weight, -0.5F);
}

TEST(Parser, FlagsHaveANegativeForm) {
  parsed({"tree", "--peeled", "--no-washed"});
  EXPECT_TRUE(seen.peeled);
  EXPECT_FALSE(seen.washed);
  parsed({"tree", "--peeled=true", "--washed=false"});
  EXPECT_TRUE(seen.peeled);
  EXPECT_FALSE(seen.washed);
}

TEST(Parser, OptionsAndInputsMixAndTheLastWins) {
  const auto invocation = parsed({"--count", "1", "a", "--count", "2", "b", "--flavour", "sour"});
  EXPECT_THAT(invocation.inputs, testing::ElementsAre("a", "b"));
  EXPECT_EQ(seen.count, 2);
  EXPECT_EQ(seen.flavour, Flavour::kSour);
}

TEST(Parser, DoubleDashEndsOptionsAndSingleDashIsAnInput) {
  EXPECT_THAT(parsed({"--", "--count"}).inputs, testing::ElementsAre("--count"));
  EXPECT_THAT(parsed({"-", "--", "-x"}).inputs, testing::ElementsAre("-", "-x"));
}

TEST(Parser, ShortFlagsBundle) {
  const auto invocation = parsed({"-qv", "tree", "-qo", "basket"});
  EXPECT_TRUE(invocation.common->quiet);
  EXPECT_TRUE(invocation.common->verbose);
  EXPECT_EQ(seen.output, "basket");
}

TEST(Parser, SetWritesAnyOption) {
  parsed({"tree", "--set", "count=9", "--set=peeled=true", "--count", "8", "--set", "count=10"});
  EXPECT_EQ(seen.count, 10);
  EXPECT_TRUE(seen.peeled);
}

TEST(Parser, APictureIsAKindAndAFileAndMayBeRepeated) {
  const auto invocation =
      parsed({"--picture", "ripe", "a.png", "tree", "--picture", "cut", "b.png"});
  EXPECT_EQ(seen.picture, (std::vector<WordAndFile>{{"ripe", "a.png"}, {"cut", "b.png"}}));
  EXPECT_THAT(invocation.inputs, testing::ElementsAre("tree"));
  parsed({"tree", "--picture", "ripe=a.png", "bush"});
  EXPECT_EQ(seen.picture, (std::vector<WordAndFile>{{"ripe", "a.png"}}));
  parsed({"tree", "--picture=ripe=a.png"});
  EXPECT_EQ(seen.picture, (std::vector<WordAndFile>{{"ripe", "a.png"}}));
  EXPECT_EQ(refusal({"tree", "--picture", "ripe"}), "--picture needs a value: KIND FILE");
  EXPECT_EQ(refusal({"tree", "--picture"}), "--picture needs a value: KIND FILE");
}

TEST(Parser, CommonOptionsAreRead) {
  const auto invocation =
      parsed({"t", "--device", "cuda:1", "--threads", "4", "--seed", "9007199254740992", "--json"});
  EXPECT_EQ(invocation.common->exec.device, Device::cuda(1));
  EXPECT_EQ(invocation.common->exec.threads, 4);
  EXPECT_EQ(invocation.common->exec.seed, 9007199254740992U);
  EXPECT_TRUE(invocation.common->json);
}

TEST(Parser, HelpIsMetBeforeWhatFollows) {
  EXPECT_TRUE(parse(kFruit, std::vector<std::string>{"--help", "--nonsense"}).common->help);
  EXPECT_TRUE(parse(kFruit, std::vector<std::string>{"-h"}).common->help);
}

TEST(ParserError, NamesOptionValueAndRange) {
  EXPECT_EQ(refusal({"t", "--count", "40"}),
            "--count is '40'; expected a whole number from 1 to 32");
  EXPECT_EQ(refusal({"t", "--count=x"}), "--count is 'x'; expected a whole number from 1 to 32");
  EXPECT_EQ(refusal({"t", "--count", ""}), "--count is ''; expected a whole number from 1 to 32");
  EXPECT_EQ(refusal({"t", "--weight", "nan"}), "--weight is 'nan'; expected a number from -1 to 1");
  EXPECT_EQ(refusal({"t", "--peeled=yes"}), "--peeled is 'yes'; expected true or false");
  EXPECT_EQ(refusal({"t", "--device", "gpu"}),
            "--device 'gpu' is not known; write auto, cpu, cuda or cuda:N");
}

TEST(ParserError, SuggestsTheNearestWord) {
  EXPECT_EQ(refusal({"t", "--cuont", "4"}),
            "fruit pick has no option --cuont; did you mean --count?");
  EXPECT_EQ(refusal({"t", "--no-wshed"}),
            "fruit pick has no option --no-wshed; did you mean --no-washed?");
  EXPECT_EQ(refusal({"t", "--flavour", "swet"}),
            "--flavour is 'swet'; expected sweet or sour; did you mean sweet?");
  EXPECT_EQ(refusal({"t", "--xyzzy"}),
            "fruit pick has no option --xyzzy; see fovea help fruit pick");
  EXPECT_EQ(refusal({"t", "--no-count"}),
            "fruit pick has no option --no-count; did you mean --count?");
  EXPECT_EQ(refusal({"t", "-z"}), "fruit pick has no option -z; see fovea help fruit pick");
}

TEST(ParserError, MissesValuesAndInputs) {
  EXPECT_EQ(refusal({"t", "--count"}), "--count needs a value: a whole number from 1 to 32");
  EXPECT_EQ(refusal({"t", "--output", "--json"}), "--output needs a value");
  EXPECT_EQ(refusal({"t", "-o"}), "--output needs a value");
  EXPECT_EQ(refusal({}),
            "fruit pick needs an INPUT; write fovea fruit pick INPUT [-o OUT] [options]");
  EXPECT_EQ(refusal({"a", "b", "c"}),
            "fruit pick: 'c' is one argument too many; write fovea fruit pick INPUT [-o OUT] "
            "[options]");
}

TEST(ParserError, SetWithoutAKeyOrWithAnUnknownOne) {
  EXPECT_EQ(refusal({"t", "--set", "count"}), "--set is 'count'; expected key=value");
  EXPECT_EQ(refusal({"t", "--set", "cout=3"}),
            "--set cout is not an option of fruit pick; did you mean count?");
  EXPECT_EQ(refusal({"t", "--set", "count=99"}),
            "--set count is '99'; expected a whole number from 1 to 32");
}

TEST(Config, TakesAResultBack) {
  const test::TempFolder folder;
  const auto first = parsed({"t", "--count", "11", "--no-washed", "--seed", "5"});
  test::save(folder / "result.json",
             "{\"fovea\": \"0\", \"command\": \"fruit pick\", \"options\": " +
                 first.options_json() + ", \"results\": []}");
  const auto second = parsed({"t", "--config", folder / "result.json", "--peeled"});
  EXPECT_EQ(seen.count, 11);
  EXPECT_FALSE(seen.washed);
  EXPECT_TRUE(seen.peeled);
  EXPECT_EQ(second.common->exec.seed, 5U);
}

TEST(Config, CommandLineWinsWhereverItStands) {
  const test::TempFolder folder;
  test::save(folder / "c.json", R"({"count": 4, "flavour": "sour", "weight": 0.125})");
  parsed({"t", "--count", "5", "--config", folder / "c.json"});
  EXPECT_EQ(seen.count, 5);
  EXPECT_EQ(seen.flavour, Flavour::kSour);
  EXPECT_EQ(seen.weight, 0.125F);
}

TEST(Config, DoesNotEchoTheOutputFile) {
  EXPECT_EQ(parsed({"t", "-o", "x"}).options_json().find("output"), std::string::npos);
}

BasketOptions packed(const std::vector<std::string>& words) {
  const Command command{.system = "fruit",
                        .verb = "pack",
                        .summary = "pack fruit",
                        .text = "",
                        .request = make_request<BasketOptions, keep>,
                        .preset = "preset"};
  Invocation invocation = parse(command, words);
  TextSink nowhere;
  Console console({.out = nowhere, .err = nowhere});
  Context context{command, console, {}, {}, false, ""};
  invocation.request->run(context);
  return basket;
}

// Also where the value is the usual one without a preset, and whatever the order.
TEST(Preset, OptionsGivenBesideItCount) {
  EXPECT_EQ(packed({}).count, 3);
  EXPECT_EQ(packed({"--preset", "sour"}).count, 20);
  EXPECT_FALSE(packed({"--preset", "sour"}).washed);
  EXPECT_EQ(packed({"--count", "3", "--preset", "sour"}).count, 3);
  EXPECT_EQ(packed({"--set", "preset=sour", "--count", "3"}).count, 3);
  EXPECT_TRUE(packed({"--washed", "--set", "preset=sour"}).washed);
  const test::TempFolder folder;
  const std::string path = folder / "c.json";
  test::save(path, R"({"count": 3, "preset": "sour", "washed": true})");
  EXPECT_EQ(packed({"--config", path}).count, 3);
  EXPECT_TRUE(packed({"--config", path}).washed);
  EXPECT_EQ(packed({"--config", path, "--preset", "sweet"}).count, 10);
}

TEST(ConfigError, NamesTheFile) {
  const test::TempFolder folder;
  const std::string path = folder / "c.json";
  const std::vector<std::string> words{"t", "--config", path};
  test::save(path, R"({"cuont": 4})");
  EXPECT_EQ(refusal(words), path + ": cuont is not an option of fruit pick; did you mean count?");
  test::save(path, R"({"count": 4.5})");
  EXPECT_EQ(refusal(words), path + ": count is '4.5'; expected a whole number from 1 to 32");
  test::save(path, R"({"command": "flow run", "options": {}})");
  EXPECT_EQ(refusal(words), path + ": holds options of flow run, not of fruit pick");
  for (const char* text :
       {"{\"count\": [1]}", "[]", "{\n \"count\": }", "", "\xff\xfe", "{\"a\": 1"}) {
    test::save(path, text);
    EXPECT_THROW(parse(kFruit, words), FormatError) << text;
  }
  test::save(path, "{\n  \"count\": }\n");
  try {
    parse(kFruit, words);
  } catch (const FormatError& error) {
    EXPECT_EQ(error.what(), path + ": is not JSON at line 2, column 12");
  }
  EXPECT_THROW(parse(kFruit, std::vector<std::string>{"t", "--config", folder / "none"}), IoError);
  EXPECT_THROW(parse(kFruit, std::vector<std::string>{"t", "--config", folder.path()}), IoError);
}

}  // namespace
}  // namespace fovea::cli
