#include <fovea/core/error.h>
#include <fovea/core/exec.h>
#include <fovea/core/options.h>

#include <array>
#include <limits>

namespace fovea {
namespace {

enum class Fruit : unsigned char { kApple, kPear };
std::span<const Choice> choices(Fruit) {
  static constexpr std::array<Choice, 2> kChoices{{{"apple", 0}, {"pear", 1}}};
  return kChoices;
}

struct Basket {
  int count = 3;
  float weight = 0.5F;
  bool washed = false;
  Fruit fruit = Fruit::kPear;
  std::string label = "a \"b\"";
  std::uint64_t seed = 1;
};

void describe(OptionVisitor& visit, Basket& basket) {
  visit("count", basket.count, "how many", 1, 32);
  visit("weight", basket.weight, "of each, in kilograms", 0,
        std::numeric_limits<double>::infinity());
  visit("washed", basket.washed, "clean");
  visit("fruit", basket.fruit, "which");
  visit("label", basket.label, "text on it");
  visit("seed", basket.seed, "start", 0, 1e18);
}

std::string set(Basket& basket, std::string_view name, std::string_view text) {
  try {
    for_each_option(basket, [&](const OptionField& field) {
      if (field.name == name) set_option(field, text);
    });
    return "";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

enum class Vessel { kHotAirBalloon };
std::span<const Choice> choices(Vessel) {
  static constexpr std::array<Choice, 1> kChoices{{{"hot-air-balloon", 0}}};
  return kChoices;
}
struct Trip {
  Vessel vessel{};
};
void describe(OptionVisitor& visit, Trip& trip) { visit("vessel", trip.vessel, "what flies"); }

TEST(Options, WordsMayBeWrittenAsNamesOfTheLibrary) {
  Trip trip;
  for_each_option(trip, [&](const OptionField& field) {
    EXPECT_NO_THROW(set_option(field, "hot_air_balloon"));
    EXPECT_NO_THROW(set_option(field, "hot-air_balloon"));
    EXPECT_THROW(set_option(field, "hot_air"), InvalidArgument);
  });
}

TEST(Options, EchoAsJson) {
  EXPECT_EQ(
      options_json(Basket{}),
      R"({"count": 3, "weight": 0.5, "washed": false, "fruit": "pear", "label": "a \"b\"", "seed": 1})");
}

struct Market {
  Basket left{};
  Basket right{};
};
void describe(OptionVisitor& visit, Market& market) {
  visit.group("left", market.left);
  visit("count", market.right.count, "how many", 1, 32);
}

TEST(Options, OfAGroupBearItsName) {
  Market market;
  std::vector<std::string> names;
  for_each_option(market, [&](const OptionField& field) { names.push_back(field.name); });
  EXPECT_EQ(names, (std::vector<std::string>{"left-count", "left-weight", "left-washed",
                                             "left-fruit", "left-label", "left-seed", "count"}));
}

TEST(Options, AreSetFromText) {
  Basket basket;
  EXPECT_EQ(set(basket, "count", "32"), "");
  EXPECT_EQ(set(basket, "weight", "1e-2"), "");
  EXPECT_EQ(set(basket, "washed", "true"), "");
  EXPECT_EQ(set(basket, "fruit", "apple"), "");
  EXPECT_EQ(set(basket, "seed", "18446744073709551"), "");
  EXPECT_EQ(basket.count, 32);
  EXPECT_EQ(basket.weight, 0.01F);
  EXPECT_TRUE(basket.washed);
  EXPECT_EQ(basket.fruit, Fruit::kApple);
  EXPECT_EQ(basket.seed, 18446744073709551U);
}

TEST(Options, ErrorsNameOptionTextAndRange) {
  Basket basket;
  EXPECT_EQ(set(basket, "count", "33"), "count is '33'; expected a whole number from 1 to 32");
  EXPECT_EQ(set(basket, "count", "3.5"), "count is '3.5'; expected a whole number from 1 to 32");
  EXPECT_EQ(set(basket, "count", ""), "count is ''; expected a whole number from 1 to 32");
  EXPECT_EQ(set(basket, "weight", "-1"), "weight is '-1'; expected a number of at least 0");
  EXPECT_EQ(set(basket, "weight", "nan"), "weight is 'nan'; expected a number of at least 0");
  EXPECT_EQ(set(basket, "fruit", "plum"), "fruit is 'plum'; expected apple or pear");
  EXPECT_EQ(set(basket, "washed", "maybe"), "washed is 'maybe'; expected true or false");
  EXPECT_EQ(basket.count, 3);
}

TEST(Options, ChecksFindWhatCodePutThere) {
  EXPECT_NO_THROW(check_options(Basket{}));
  EXPECT_THROW(check_options(Basket{.count = 0}), InvalidArgument);
  EXPECT_THROW(check_options(Basket{.weight = std::numeric_limits<float>::quiet_NaN()}),
               InvalidArgument);
  EXPECT_THROW(check_options(Basket{.weight = std::numeric_limits<float>::infinity()}),
               InvalidArgument);
  EXPECT_THROW(check_options(Basket{.fruit = static_cast<Fruit>(7)}), InvalidArgument);
}

TEST(Options, ExecDescribesItself) {
  EXPECT_EQ(options_json(Exec{}), R"({"device": "auto", "threads": 0, "seed": 1234})");
}

struct Kinds {
  std::optional<double> threshold;
  std::optional<Rect<int>> region;
  Extent size{640, 480};
  std::array<double, 2> range{0, 1};
  std::vector<int> counts{1, 2};
  std::vector<std::string> models{"a"};
  std::vector<std::string> targets;
  std::vector<Extent> sizes;
  std::vector<WordAndFile> pictures;
  std::uint64_t memory = 512U << 20U;
  std::string output;
};
void describe(OptionVisitor& visit, Kinds& kinds) {
  visit("threshold", kinds.threshold, "least score", -10, 10, {.absent = "the model's own"});
  visit("region", kinds.region, "where to look");
  visit("size", kinds.size, "of the window");
  visit("range", kinds.range, "of values", 0, 100);
  visit("counts", kinds.counts, "tried", 1, 9);
  visit("models", kinds.models, "compared", {.use = TextUse::kModel});
  visit("targets", kinds.targets, "followed", {.repeats = true});
  visit("sizes", kinds.sizes, "measured");
  visit("picture", kinds.pictures, "drawn", {.words = {"wheel"}});
  visit.bytes("memory", kinds.memory, "most of it");
  visit.path("output", kinds.output, TextUse::kOutput, "file to write");
}

OptionField field_of(Kinds& kinds, std::string_view name) {
  OptionField found;
  for_each_option(kinds, [&](const OptionField& field) {
    if (field.name == name) found = field;
  });
  return found;
}

TEST(OptionKinds, TextIsReadBackAsItWasWritten) {
  Kinds kinds;
  const std::pair<const char*, const char*> texts[]{
      {"threshold", "0.5"},     {"threshold", ""},          {"region", "1,2,30,40"},
      {"region", ""},           {"size", "64x128"},         {"range", "2,3.5"},
      {"counts", "3,4,5"},      {"models", "a,b=c"},        {"targets", "1,2,3,4;ball.png"},
      {"sizes", "1x2,640x480"}, {"picture", "wheel=a.png"}, {"memory", "1G"},
      {"memory", "1000"},       {"output", "x.png"}};
  for (const auto& [name, text] : texts) {
    const OptionField field = field_of(kinds, name);
    set_option(field, text);
    EXPECT_EQ(option_text(field), text) << name;
  }
  EXPECT_EQ(kinds.targets, (std::vector<std::string>{"1,2,3,4", "ball.png"}));
  EXPECT_EQ(kinds.sizes[1], (Extent{640, 480}));
}

TEST(OptionKinds, JsonHasListsAndNulls) {
  Kinds kinds;
  kinds.region = Rect<int>{1, 2, 3, 4};
  kinds.pictures = {{"wheel", "a.png"}};
  EXPECT_EQ(options_json(kinds),
            "{\"threshold\": null, \"region\": [1, 2, 3, 4], \"size\": [640, 480], "
            "\"range\": [0, 1], \"counts\": [1, 2], \"models\": [\"a\"], "
            "\"targets\": [], \"sizes\": [], \"picture\": [\"wheel=a.png\"], "
            "\"memory\": 536870912, \"output\": \"\"}");
}

TEST(OptionKinds, RefusesWhatDoesNotFit) {
  Kinds kinds;
  const std::pair<const char*, const char*> texts[]{
      {"threshold", "11"}, {"threshold", "x"}, {"region", "1,2,3"}, {"region", "1,2,0,4"},
      {"size", "64"},      {"size", "-1x3"},   {"range", "3,2"},    {"range", "0,101"},
      {"counts", "3,10"},  {"counts", "1,,2"}, {"sizes", "640"},    {"picture", "wheel"},
      {"memory", "5 M"},   {"memory", "512m"}, {"memory", "-1"},    {"memory", "99999999T"}};
  for (const auto& [name, text] : texts)
    EXPECT_THROW(set_option(field_of(kinds, name), text), InvalidArgument) << name << " " << text;
}

TEST(OptionKinds, ListsGoOn) {
  Kinds kinds;
  append_option(field_of(kinds, "models"), "b,c");
  EXPECT_EQ(kinds.models, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(is_list(field_of(kinds, "models")));
  EXPECT_FALSE(is_list(field_of(kinds, "memory")));
}

TEST(OptionKinds, HaveNamesForTheirValues) {
  Kinds kinds;
  const std::pair<const char*, const char*> names[]{
      {"threshold", "X"},  {"region", "X,Y,W,H"},   {"size", "WxH"},     {"range", "LOW,HIGH"},
      {"counts", "N,..."}, {"models", "MODEL,..."}, {"targets", "TEXT"}, {"picture", "KIND FILE"},
      {"memory", "BYTES"}, {"output", "OUT"}};
  for (const auto& [option, name] : names)
    EXPECT_EQ(option_value_name(field_of(kinds, option)), name);
}

TEST(OptionKinds, BytesHaveOneSpelling) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("512K"), 512U << 10U);
  EXPECT_EQ(parse_bytes("512MiB"), 512U << 20U);
  EXPECT_EQ(parse_bytes("512MB"), 512U << 20U);
  EXPECT_EQ(parse_bytes("1.5G"), 3ULL << 29U);
  EXPECT_EQ(parse_bytes("2T"), 2ULL << 40U);
  EXPECT_EQ(bytes_text(3ULL << 29U), "1536M");
  EXPECT_EQ(bytes_text(0), "0");
  for (const char* text : {"", "M", "x", "-1", "512m", "5 M", "5MM", "nan", "inf", "1e30"})
    EXPECT_THROW(parse_bytes(text), InvalidArgument) << text;
}

}  // namespace
}  // namespace fovea
