// Covers: record_json record_table record_bytes record_schema record_kinds place
#include <fovea/core/error.h>
#include <fovea/io/csv_reader.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/parquet_reader.h>
#include <fovea/io/record_io.h>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/text/json_reader.h"

namespace fovea::io::record_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Fruit : unsigned char { kApple, kPear };
std::span<const Choice> choices(Fruit) {
  static constexpr std::array<Choice, 2> kChoices{{{"apple", 0}, {"pear", 1}}};
  return kChoices;
}

struct Stall {
  std::string name = "corner";
  Extent size{3, 4};
};
void describe(FieldVisitor& visit, Stall& stall) {
  visit.record("Stall", "a place where fruit is sold");
  visit("name", stall.name, "what people call it");
  visit("size", stall.size, "of the table", {.unit = "meters"});
}

struct Basket {
  int count = 3;
  float weight = 0.5F;
  bool washed = true;
  Fruit fruit = Fruit::kPear;
  std::string label = "a \"b\"";
  Rect<float> box{1, 2, 3, 4.5F};
  std::optional<double> price{};
  std::optional<Stall> stall{};
  std::vector<float> sizes{1, 2.5F};
  std::vector<Stall> visits{};
  std::array<int, 2> range{1, 2};
  int secret = 7;
  std::int64_t sold = 0;
  bool operator==(const Basket& other) const {
    return pack_record(record_ref(*this)) == pack_record(record_ref(other));
  }
};
void describe(FieldVisitor& visit, Basket& basket) {
  visit.record("Basket", "some fruit");
  visit("count", basket.count, "how many");
  visit("weight", basket.weight, "of each", {.unit = "kilograms"});
  visit("washed", basket.washed, "whether it is clean");
  visit("fruit", basket.fruit, "which");
  visit("label", basket.label, "the text on it");
  visit("box", basket.box, "where it is", {.unit = "pixels", .prefixed = false});
  visit("price", basket.price, "what it costs");
  visit("stall", basket.stall, "where it is sold");
  visit("sizes", basket.sizes, "of each piece");
  visit("visits", basket.visits, "where it was before");
  visit("range", basket.range, "least and most");
  visit("secret", basket.secret, "for programs only", {.printed = false});
  visit("sold", basket.sold, "how many were sold", {.later = true});
}

// A stall with its best fruit, and what it sold where that is known.
struct Sales {
  int apples = 1;
  Position<int> best{2, 3};
};
void describe(FieldVisitor& visit, Sales& sales) {
  visit("apples", sales.apples, "how many");
  visit("best", sales.best, "where the best one lies");
}
struct Day {
  Stall stall{};
  std::optional<Sales> sales{};
};
void describe(FieldVisitor& visit, Day& day) {
  visit("stall", day.stall, "where", {.flat = true});
  visit("sales", day.sales, "what was sold", {.flat = true});
}

constexpr const char* kLine =
    R"({"count": 3, "weight": 0.5, "washed": true, "fruit": "pear", "label": "a \"b\"", )"
    R"("box": [1, 2, 3, 4.5], "sizes": [1, 2.5], "visits": [], "range": [1, 2], "sold": 0})";

Basket full() {
  Basket basket;
  basket.price = 0.25;
  basket.stall = Stall{"left", {5, 6}};
  basket.visits = {{"a", {1, 2}}, {"b", {3, 4}}};
  basket.secret = 9;
  basket.sold = std::int64_t{1} << 40;
  return basket;
}

std::string basket_refusal(const std::string& json) {
  try {
    (void)parse_record<Basket>(json, "shop.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kLine;
  return text.replace(text.find(from), from.size(), to);
}

TEST(RecordJson, IsOneLineWithoutWhatIsAbsentOrNotPrinted) {
  EXPECT_EQ(record_json(record_ref(Basket{})), kLine);
  EXPECT_EQ("{" + record_members(record_ref(Basket{})) + "}", kLine);
}

TEST(RecordJson, ReadsBackWhatItWrote) {
  Basket basket = full();
  Basket read = parse_record<Basket>(record_json(record_ref(basket)), "shop.json");
  EXPECT_NE(read, basket);  // what is not printed keeps its default
  read.secret = basket.secret;
  EXPECT_EQ(read, basket);
}

TEST(RecordJson, WritesIntoOtherJson) {
  std::string text;
  JsonWriter json(string_sink(text), JsonStyle::kCompact);
  json.begin_object().member("input", "a.png");
  write_fields(json, record_ref(Stall{}));
  json.key("all").begin_array();
  write_record(json, record_ref(Stall{}));
  json.end_array().end_object().finish();
  EXPECT_EQ(
      text,
      R"({"input":"a.png","name":"corner","size":[3,4],"all":[{"name":"corner","size":[3,4]}]})");
}

TEST(RecordJson, NumbersThatAreNotFiniteAreNull) {
  Basket basket;
  basket.weight = std::numeric_limits<float>::quiet_NaN();
  const std::string json = record_json(record_ref(basket));
  EXPECT_THAT(json, HasSubstr(R"("weight": null)"));
  EXPECT_TRUE(std::isnan(parse_record<Basket>(json, "x").weight));
}

TEST(RecordJson, RefusalsNameThePlaceAndWhatWasExpected) {
  EXPECT_THAT(basket_refusal("[1]"), AllOf(HasSubstr("shop.json"), HasSubstr("an object")));
  EXPECT_THAT(basket_refusal("{"), HasSubstr("shop.json"));
  EXPECT_THAT(basket_refusal(changed("\"count\": 3, ", "")), HasSubstr("count is missing"));
  EXPECT_THAT(basket_refusal(changed("3, \"weight\"", "3.5, \"weight\"")),
              AllOf(HasSubstr("count"), HasSubstr("3.5"), HasSubstr("a whole number")));
  EXPECT_THAT(basket_refusal(changed("3, \"weight\"", "3000000000, \"weight\"")),
              HasSubstr("32 bits"));
  EXPECT_THAT(basket_refusal(changed("\"pear\"", "\"plum\"")),
              AllOf(HasSubstr("fruit"), HasSubstr("plum"), HasSubstr("apple or pear")));
  EXPECT_THAT(basket_refusal(changed("[1, 2, 3, 4.5]", "[1, 2, 3]")),
              AllOf(HasSubstr("box"), HasSubstr("4 numbers")));
  EXPECT_THAT(basket_refusal(changed("[1, 2.5]", "[1, true]")),
              AllOf(HasSubstr("sizes[1]"), HasSubstr("a number")));
  EXPECT_THAT(basket_refusal(changed("\"visits\": []",
                                     R"("visits": [{"name": "a", "size": [1, 2]}, {"name": 1}])")),
              AllOf(HasSubstr("visits[1].name"), HasSubstr("a text")));
  EXPECT_THAT(basket_refusal(changed("\"range\": [1, 2]", "\"range\": [1]")),
              HasSubstr("2 values"));
}

TEST(RecordJson, OlderFilesLackWhatCameLaterAndNewerOnesHaveMore) {
  EXPECT_EQ(parse_record<Basket>(changed(", \"sold\": 0", ""), "x"), Basket{});
  UnknownMembers unknown;
  (void)parse_record<Basket>(changed("\"sold\": 0", R"("sold": 0, "color": 1)"), "x", &unknown);
  (void)parse_record<Basket>(
      changed("\"visits\": []", R"("visits": [{"name": "a", "size": [1, 2], "roof": 1}])"), "x",
      &unknown);
  EXPECT_THAT(unknown, ElementsAre("color", "visits[0].roof"));
}

struct Market {
  std::vector<std::pair<std::string, int>> prices{{"pear", 3}, {"apple", 2}};
  std::vector<std::pair<std::string, Stall>> stalls{{"left", {"a", {1, 2}}}};
  int closed = 0;
  std::string owner{};
  double walk_seconds = 1.5;
};
void describe(FieldVisitor& visit, Market& market) {
  visit("prices", market.prices, "of each fruit");
  visit("stalls", market.stalls, "by where they stand");
  visit("closed", market.closed, "how many stalls are", {.sparse = true});
  visit("owner", market.owner, "who it belongs to", {.sparse = true});
  visit("walk_seconds", market.walk_seconds, "to see all of it", {.timing = true});
}
constexpr const char* kMarket =
    R"({"prices": {"pear": 3, "apple": 2}, "stalls": {"left": {"name": "a", "size": [1, 2]}})";

TEST(RecordJson, ATreeMayLackMembersWhichKeepTheirValues) {
  Basket basket;
  read_record(nlohmann::json::parse(R"({"count": 9, "stall": {"name": "hall"}})"),
              record_ref(basket), "x");
  EXPECT_EQ(basket.count, 9);
  EXPECT_EQ(basket.weight, 0.5F);
  ASSERT_TRUE(basket.stall);
  EXPECT_EQ(basket.stall->name, "hall");
  EXPECT_EQ(basket.stall->size, (Extent{3, 4}));
  EXPECT_THROW(
      read_record(nlohmann::json::parse(R"({"stall": {"size": [1]}})"), record_ref(basket), "x"),
      FormatError);
}

TEST(RecordNames, NamedValuesAreMembersOfAnObject) {
  const Market market;
  const std::string text = record_json(record_ref(market));
  EXPECT_EQ(text, std::string(kMarket) + R"(, "walk_seconds": 1.5})");
  const auto read = parse_record<Market>(text, "market.json");
  EXPECT_THAT(read.prices,
              testing::UnorderedElementsAre(testing::Pair("pear", 3), testing::Pair("apple", 2)));
  ASSERT_EQ(read.stalls.size(), 1U);
  EXPECT_EQ(read.stalls[0].second.name, "a");
  EXPECT_THROW((void)parse_record<Market>(R"({"prices": [], "stalls": {}})", "x"), FormatError);
  const std::string bytes = pack_record(record_ref(market));
  std::string_view rest = bytes;
  Market again{.prices = {}, .stalls = {}};
  unpack_record(rest, record_ref(again));
  EXPECT_EQ(again.prices, market.prices);
  EXPECT_EQ(record_json(record_ref(again)), text);
  const auto schema = nlohmann::json::parse(record_schema(record_ref(market)));
  EXPECT_EQ(schema["properties"]["prices"]["additionalProperties"]["type"], "integer");
  EXPECT_THAT(record_markdown(record_ref(market)), HasSubstr("| `stalls` | Stall by name |"));
}

TEST(RecordTimes, AreLeftOutWhereResultsAreRecorded) {
  const Market market;
  EXPECT_EQ(record_json(record_ref(market), {.times = false}), std::string(kMarket) + "}");
  const auto read = parse_record<Market>(std::string(kMarket) + "}", "market.json");
  EXPECT_EQ(read.walk_seconds, 1.5);
  EXPECT_EQ(record_columns(std::vector{record_ref(market)}).size(), 3U);
  EXPECT_EQ(record_columns(std::vector{record_ref(market)}, {.times = false}).size(), 2U);
}

TEST(RecordSparse, IsThereWhereItSaysSomething) {
  const Market market{.closed = 2, .owner = "the town"};
  const std::string text = record_json(record_ref(market));
  EXPECT_THAT(text, HasSubstr(R"("closed": 2, "owner": "the town", )"));
  const auto read = parse_record<Market>(text, "market.json");
  EXPECT_EQ(read.owner, "the town");
  const auto schema = nlohmann::json::parse(record_schema(record_ref(market)));
  EXPECT_EQ(schema["required"], nlohmann::json({"prices", "stalls"}));
}

// What is made by hand: a list whose first number is another field, and a number that is absent
// where it is 0.
struct Queue {
  int first = 0;
  std::vector<int> others{};
  int waited = 0;
};
void describe(FieldVisitor& visit, Queue& queue) {
  FieldValue people{ListRef{
      &queue, [](const void* of) { return static_cast<const Queue*>(of)->others.size() + 1; },
      [](void* of, std::size_t count) {
        static_cast<Queue*>(of)->others.resize(count > 0 ? count - 1 : 0);
      },
      [](void* of, std::size_t i) {
        auto* in = static_cast<Queue*>(of);
        return field_value(i == 0 ? in->first : in->others[i - 1]);
      },
      &fovea::detail::sample_value<int>}};
  FieldValue waited{OptionalRef{&queue.waited,
                                [](const void* of) { return *static_cast<const int*>(of) != 0; },
                                [](void* of, bool there) {
                                  if (!there) *static_cast<int*>(of) = 0;
                                },
                                [](void* of) { return field_value(*static_cast<int*>(of)); },
                                &fovea::detail::sample_value<int>}};
  visit("people", people, "by number");
  visit("waited", waited, "by the first of them", {.unit = "minutes"});
}

TEST(RecordJson, ValuesCanBeMadeByHand) {
  const std::string json = record_json(record_ref(Queue{7, {8, 9}, 0}));
  EXPECT_EQ(json, R"({"people": [7, 8, 9]})");
  const auto read = parse_record<Queue>(json, "a");
  EXPECT_EQ(read.first, 7);
  EXPECT_THAT(read.others, ElementsAre(8, 9));
  EXPECT_EQ(parse_record<Queue>(R"({"people": [1], "waited": 5})", "a").waited, 5);
  EXPECT_THROW((void)parse_record<Queue>(R"({"people": []})", "a"), FormatError);
  const std::string bytes = pack_record(record_ref(Queue{7, {8, 9}, 5}));
  Queue unpacked;
  std::string_view rest = bytes;
  unpack_record(rest, record_ref(unpacked));
  EXPECT_EQ(unpacked.waited, 5);
  EXPECT_THAT(unpacked.others, ElementsAre(8, 9));
}

TEST(RecordBytes, ReadBackEverything) {
  const Basket basket = full();
  const std::string bytes = pack_record(record_ref(basket)) + pack_record(record_ref(Basket{}));
  std::string_view rest = bytes;
  Basket first, second = full();
  unpack_record(rest, record_ref(first));
  unpack_record(rest, record_ref(second));
  EXPECT_EQ(first, basket);
  EXPECT_EQ(second, Basket{});
  EXPECT_TRUE(rest.empty());
}

TEST(RecordBytes, DamageIsRefused) {
  const std::string bytes = pack_record(record_ref(full()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest(bytes.data(), size);
    Basket basket;
    EXPECT_THROW(unpack_record(rest, record_ref(basket)), FormatError) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {  // whatever a byte says, nothing grows large
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    std::string_view rest = damaged;
    Basket basket;
    try {
      unpack_record(rest, record_ref(basket));
    } catch (const FormatError&) {
    }
    EXPECT_LE(basket.sizes.size() + basket.visits.size(), bytes.size());
  }
}

struct Place {
  std::string input = "a.png";
  std::optional<std::int64_t> frame{};
};
void describe(FieldVisitor& visit, Place& place) {
  visit("input", place.input, "the file");
  visit("frame", place.frame, "of a video");
}

TEST(RecordTable, ColumnsComeFromTheFields) {
  std::vector<std::string> names;
  const Place place;
  const Basket basket;
  for (const RecordColumn& column :
       record_columns(std::vector{record_ref(place), record_ref(basket)}))
    names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("input", "frame", "count", "weight", "washed", "fruit", "label",
                                 "x", "y", "width", "height", "price", "stall_name",
                                 "stall_size_width", "stall_size_height", "sold"));
}

TEST(RecordTable, CsvAndParquetHaveTheSameRows) {
  std::string csv, parquet;
  for (const auto format : {TableFormat::kCsv, TableFormat::kParquet}) {
    const Place like;
    const Basket basket;
    RecordTable table(string_sink(format == TableFormat::kCsv ? csv : parquet), format,
                      std::vector{record_ref(like), record_ref(basket)});
    Place place;
    table.row({record_ref(place), record_ref(basket)});
    place.frame = 12;
    const Basket other = full();
    table.row({record_ref(place), record_ref(other)});
    table.finish(R"({"seed": 1})");
  }
  const CsvTable rows = parse_csv(csv, "csv"), columns = parse_parquet(parquet, "parquet");
  EXPECT_EQ(rows.columns, columns.columns);
  ASSERT_EQ(rows.rows.size(), 2U);
  ASSERT_EQ(columns.rows.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(rows.rows[i].fields, columns.rows[i].fields);
  EXPECT_THAT(rows.rows[1].fields,
              ElementsAre("a.png", "12", "3", "0.5", "1", "pear", "a \"b\"", "1", "2", "3", "4.5",
                          "0.25", "left", "5", "6", "1099511627776"));
}

TEST(RecordTable, WithoutRowsThereIsAHeader) {
  std::string csv;
  const Stall like;
  RecordTable table(string_sink(csv), TableFormat::kCsv, std::vector{record_ref(like)});
  EXPECT_TRUE(csv.empty());
  table.finish();
  EXPECT_EQ(csv, "name,size_width,size_height\r\n");
}

TEST(RecordSchema, NamesEveryMemberThatIsPrinted) {
  const auto schema = nlohmann::json::parse(record_schema(record_ref(Basket{})));
  EXPECT_EQ(schema["title"], "Basket");
  EXPECT_EQ(schema["properties"]["weight"]["description"], "of each, in kilograms");
  EXPECT_EQ(schema["properties"]["fruit"]["enum"], nlohmann::json({"apple", "pear"}));
  EXPECT_EQ(schema["properties"]["box"]["minItems"], 4);
  EXPECT_EQ(schema["properties"]["visits"]["items"]["properties"]["name"]["type"], "string");
  EXPECT_FALSE(schema["properties"].contains("secret"));
  const auto required = schema["required"].get<std::vector<std::string>>();
  EXPECT_THAT(required, testing::Not(testing::Contains("price")));
  EXPECT_THAT(required, testing::Not(testing::Contains("sold")));
  EXPECT_THAT(required, testing::Contains("count"));
  const auto written = nlohmann::json::parse(record_json(record_ref(full())));
  for (const auto& [key, value] : written.items()) EXPECT_TRUE(schema["properties"].contains(key));
}

TEST(RecordMarkdown, HasOneTablePerRecord) {
  const std::string text = record_markdown(record_ref(Basket{}));
  EXPECT_THAT(text, HasSubstr("| `weight` | number | kilograms | of each |"));
  EXPECT_THAT(text, HasSubstr("| `visits` | list of Stall |"));
  EXPECT_THAT(text, HasSubstr("**Stall**: a place where fruit is sold."));
}

struct Map {
  Image<float> values{3, 2};
};
void describe(FieldVisitor& visit, Map& map) { visit("values", map.values, "one per pixel"); }

TEST(RecordArray, JsonNamesTypeAndShapeAndTheElementsCanBeTaken) {
  Map map;
  EXPECT_EQ(record_json(record_ref(map)), R"({"values": {"type": "float32", "shape": [2, 3]}})");
  std::string text;
  JsonWriter json(string_sink(text), JsonStyle::kCompact);
  for (int i = 0; i < 6; ++i) map.values.at(i % 3, i / 3) = static_cast<float>(i);
  write_record(json, record_ref(map), {.arrays = ArrayJson::kElements});
  json.finish();
  EXPECT_EQ(text, R"({"values":[[0,1,2],[3,4,5]]})");
  EXPECT_THROW((void)pack_record(record_ref(map)), InvalidArgument);
  for_each_field(record_ref(map), [&](const Field& field) {
    const auto& array = std::get<ArrayRef>(field.value.ref);
    const ArrayView view = array.view(array.array);
    EXPECT_THAT(view.shape, ElementsAre(2, 3));
    const std::shared_ptr<void> taken = array.take(array.array);
    EXPECT_EQ(static_cast<Image<float>*>(taken.get())->view().data, view.data);
    EXPECT_TRUE(map.values.empty());
  });
}

// A record with every way to say less than a field holds, or more.
struct Weighing {
  std::vector<std::string> names{"pear", "apple"};
  std::vector<double> weights{2, 1};
  std::string remark{};
  int page = -1;
};
void describe(FieldVisitor& visit, Weighing& weighing) {
  visit("weights", Named{weighing.names, weighing.weights}, "of each fruit");
  visit.optional("remark", weighing.remark, "of the merchant");
  visit.optional("page", weighing.page, "in the book");
  visit.derived("total", weighing.weights.at(0) + weighing.weights.at(1), "of all");
}

TEST(NamedValues, AreMembersOfAnObjectAndPackedInTheirOrder) {
  const Weighing weighing;
  const std::string json = record_json(record_ref(weighing));
  EXPECT_EQ(json, R"({"weights": {"pear": 2, "apple": 1}, "total": 3})");
  const Weighing read = parse_record<Weighing>(json, "x");
  EXPECT_THAT(read.names, ElementsAre("apple", "pear"));
  EXPECT_THAT(read.weights, ElementsAre(1, 2));
  const std::string packed = pack_record(record_ref(weighing));
  Weighing unpacked{{"a", "b"}, {8, 9}};
  std::string_view bytes = packed;
  unpack_record(bytes, record_ref(unpacked));
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(unpacked.names, weighing.names);
  EXPECT_EQ(unpacked.weights, weighing.weights);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    bytes = std::string_view(packed).substr(0, size);
    EXPECT_THROW(unpack_record(bytes, record_ref(unpacked)), FormatError) << size;
  }
  EXPECT_THROW((void)parse_record<Weighing>(R"({"weights": [1]})", "x"), FormatError);
}

TEST(SparseValues, AreLeftOutWhereTheyAreEmptyOrNegative) {
  const Weighing full{{"pear", "plum"}, {2, 1}, "ripe", 0};
  const std::string json = record_json(record_ref(full));
  EXPECT_THAT(json, HasSubstr(R"("remark": "ripe", "page": 0)"));
  const Weighing read = parse_record<Weighing>(json, "x");
  EXPECT_EQ(read.remark, "ripe");
  EXPECT_EQ(read.page, 0);
  EXPECT_EQ(parse_record<Weighing>(R"({"weights": {"a": 1, "b": 1}})", "x").page, -1);
}

struct Sale {
  std::optional<std::string> buyer{};
  Stall stall{};
};
void describe(FieldVisitor& visit, Sale& sale) {
  visit("buyer", sale.buyer, "who bought it", {.null = true});
  visit("stall", sale.stall, "where", {.compact = true});
}

TEST(FieldTraits, AbsentValuesMayBeNullAndFieldsCompact) {
  Sale sale;
  EXPECT_EQ(record_json(record_ref(sale)),
            R"({"buyer": null, "stall": {"name":"corner","size":[3,4]}})");
  sale.buyer = "Ann";
  EXPECT_EQ(parse_record<Sale>(record_json(record_ref(sale)), "x").buyer, "Ann");
  const auto schema = nlohmann::json::parse(record_schema(record_ref(sale)));
  EXPECT_EQ(schema["properties"]["buyer"]["anyOf"][1]["type"], "null");
  EXPECT_THAT(schema["required"].get<std::vector<std::string>>(), ElementsAre("buyer", "stall"));
}

TEST(DerivedValues, AreWrittenAndDescribedButNotRead) {
  UnknownMembers unknown;
  const Weighing read =
      parse_record<Weighing>(R"({"weights": {"a": 1, "b": 1}, "total": "?"})", "x", &unknown);
  EXPECT_TRUE(unknown.empty());
  EXPECT_THAT(record_json(record_ref(read)), HasSubstr(R"("total": 2)"));
  const std::string tables = record_markdown(record_ref(read));
  EXPECT_THAT(tables, HasSubstr("| `total` | number |"));
  EXPECT_THAT(tables, HasSubstr("| `weights` | number by name |"));
  EXPECT_THAT(record_schema(record_ref(read)), HasSubstr("additionalProperties"));
}

TEST(RecordJson, FieldsOfFlatRecordsStandInTheOuterOne) {
  const Day open{{"a", {1, 2}}, Sales{5, {6, 7}}}, closed{{"b", {3, 4}}, {}};
  EXPECT_EQ(record_json(record_ref(open)),
            R"({"name": "a", "size": [1, 2], "apples": 5, "best": [6, 7]})");
  EXPECT_EQ(record_json(record_ref(closed)), R"({"name": "b", "size": [3, 4]})");
  for (const Day& day : {open, closed}) {
    const std::string json = record_json(record_ref(day));
    UnknownMembers unknown;
    EXPECT_EQ(record_json(record_ref(parse_record<Day>(json, "day.json", &unknown))), json);
    EXPECT_THAT(unknown, testing::IsEmpty());
    std::string bytes = pack_record(record_ref(day));
    std::string_view rest = bytes;
    Day again;
    unpack_record(rest, record_ref(again));
    EXPECT_EQ(record_json(record_ref(again)), json);
  }
  EXPECT_THROW(parse_record<Day>(R"({"name": "a", "size": [1, 2], "apples": 5})", "day.json"),
               FormatError);
  const nlohmann::json schema = nlohmann::json::parse(record_schema(record_ref(closed)));
  EXPECT_EQ(schema["properties"].size(), 4U);
  EXPECT_EQ(schema["required"], (nlohmann::json{"name", "size"}));
  EXPECT_THAT(record_markdown(record_ref(closed)), HasSubstr("| `best` | x, y, optional |"));
}

struct Gaps {
  std::vector<std::optional<int>> values{};
};
void describe(FieldVisitor& visit, Gaps& gaps) { visit("values", gaps.values, "some are absent"); }

TEST(RecordJson, ElementsThatAreAbsentAreNull) {
  const Gaps gaps{{1, {}, 3}};
  const std::string json = record_json(record_ref(gaps));
  EXPECT_EQ(json, R"({"values": [1, null, 3]})");
  EXPECT_EQ(parse_record<Gaps>(json, "gaps.json").values, gaps.values);
  const nlohmann::json schema = nlohmann::json::parse(record_schema(record_ref(gaps)));
  EXPECT_EQ(schema["properties"]["values"]["items"]["anyOf"][1]["type"], "null");
}

TEST(RecordTable, HasTheColumnsOfFlatRecordsAndPoints) {
  const Day open{{"a", {1, 2}}, Sales{5, {6, 7}}}, closed{{"b", {3, 4}}, {}};
  std::string text;
  const RecordRef like = record_ref(open);
  RecordTable table(string_sink(text), TableFormat::kCsv, {&like, 1});
  table.row({record_ref(open)});
  table.row({record_ref(closed)});
  table.finish();
  EXPECT_EQ(text,
            "name,size_width,size_height,apples,best_x,best_y\r\na,1,2,5,6,7\r\nb,3,4,,,\r\n");
}

}  // namespace
}  // namespace fovea::io::record_test
