// What a new field of a result costs: one line in its struct and one in describe(). A copy of a
// public record that has one more field shows that everything made from records has it then.
#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/io/csv_reader.h>
#include <fovea/io/parquet_reader.h>
#include <fovea/io/record_io.h>
#include <fovea/people/detector.h>

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace fovea::io::added_field_test {
namespace {

using testing::HasSubstr;

struct Detection : people::Detection {
  float meters = 0;
};
void describe(FieldVisitor& visit, Detection& person) {
  describe(visit, static_cast<people::Detection&>(person));
  visit("meters", person.meters, "how tall the person is", {.unit = "meters"});
}

// The result of an image, whose people are those above.
struct DetectResult {
  people::ScanCounts counts{};
  std::vector<Detection> people{};
};
void describe(FieldVisitor& visit, DetectResult& result) {
  describe(visit, result.counts);
  visit("people", result.people, "the highest score first");
}

DetectResult two_people() {
  return {.counts = {10, 200, 1},
          .people = {{{{1, 2, 3.5F, 4}, {0, 0, 8, 16}, 1.25F, 2}, 1.75F},
                     {{{5, 6, 7, 8}, {}, 0.5F, 1}, 1.5F}}};
}

std::string table_of(const DetectResult& result, TableFormat format) {
  std::string text;
  const RecordRef like = record_ref(result.people.front());
  RecordTable table(string_sink(text), format, {&like, 1});
  for (const Detection& person : result.people) table.row({record_ref(person)});
  table.finish();
  return text;
}

TEST(AddedField, IsWrittenAsJsonAndReadBack) {
  const DetectResult result = two_people();
  const std::string json = record_json(record_ref(result));
  EXPECT_THAT(json, HasSubstr(R"({"box": [1, 2, 3.5, 4], "score": 1.25, "scale": 2, )"
                              R"("meters": 1.75})"));
  const auto read = parse_record<DetectResult>(json, "a.json");
  ASSERT_EQ(read.people.size(), 2U);
  EXPECT_EQ(read.people[1].meters, 1.5F);
  EXPECT_EQ(record_json(record_ref(read)), json);
}

TEST(AddedField, IsRefusedByItsPlaceWhereItIsWrong) {
  std::string json = record_json(record_ref(two_people()));
  const std::string right = R"("meters": 1.5)";
  json.replace(json.find(right), right.size(), R"("meters": "tall")");
  try {
    (void)parse_record<DetectResult>(json, "a.json");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.json"), HasSubstr("people[1].meters")));
  }
}

TEST(AddedField, IsAColumnOfCsvAndParquet) {
  const DetectResult result = two_people();
  const CsvTable csv = parse_csv(table_of(result, TableFormat::kCsv), "csv"),
                 parquet = parse_parquet(table_of(result, TableFormat::kParquet), "parquet");
  for (const CsvTable& table : {csv, parquet}) {
    ASSERT_EQ(table.columns.size(), 8U);  // box, score, confidence, scale and the new one
    EXPECT_EQ(table.columns.back(), "meters");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].fields.back(), "1.75");
    EXPECT_EQ(table.rows[1].fields.back(), "1.5");
  }
}

// As manifests keep results, and by which two results are equal.
TEST(AddedField, IsPackedAndCompared) {
  const DetectResult result = two_people();
  const std::string bytes = pack_record(record_ref(result));
  std::string_view rest = bytes;
  DetectResult read;
  unpack_record(rest, record_ref(read));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(read.people.at(0).meters, 1.75F);
  read.people[0].meters = 1.8F;
  EXPECT_NE(pack_record(record_ref(read)), bytes);
}

TEST(AddedField, IsInTheSchemaAndTheTableOfTheDocumentation) {
  const DetectResult result = two_people();
  const auto schema = nlohmann::json::parse(record_schema(record_ref(result)));
  const auto& person = schema["properties"]["people"]["items"];
  EXPECT_EQ(person["properties"]["meters"]["type"], nlohmann::json({"number", "null"}));
  EXPECT_EQ(person["properties"]["meters"]["description"], "how tall the person is, in meters");
  EXPECT_THAT(person["required"].get<std::vector<std::string>>(), testing::Contains("meters"));
  EXPECT_THAT(record_markdown(record_ref(result)),
              HasSubstr("| `meters` | number | meters | how tall the person is |"));
}

}  // namespace
}  // namespace fovea::io::added_field_test
