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

}  // namespace
}  // namespace fovea
