#include <fovea/core/record.h>
#include <gmock/gmock.h>

namespace fovea {
namespace {

struct Point {
  float x = 1, y = 2;
};
void describe(FieldVisitor& visit, Point& point) {
  visit.record("Point", "a place");
  visit("x", point.x, "to the right", {.unit = "pixels"});
  visit("y", point.y, "down", {.unit = "pixels"});
}

struct Path {
  std::vector<Point> points{{3, 4}};
  std::vector<int> lengths{5, 6};
  std::optional<Point> end{};
};
void describe(FieldVisitor& visit, Path& path) {
  visit("points", path.points, "in their order");
  visit("lengths", path.lengths, "between them");
  visit("end", path.end, "where it ends");
}

TEST(Record, FieldsAreVisitedInTheirOrder) {
  std::vector<std::string> seen;
  for_each_field(record_ref(Point{}), [&](const Field& field) {
    seen.push_back(std::string(field.name) + ": " + std::string(field.help) + " " +
                   std::string(field.traits.unit));
  });
  EXPECT_THAT(seen, testing::ElementsAre("x: to the right pixels", "y: down pixels"));
}

TEST(Record, ListsAndOptionalValuesCanBeReadAndMade) {
  Path path;
  for_each_field(record_ref(path), [](const Field& field) {
    if (const auto* list = std::get_if<ListRef>(&field.value.ref)) {
      EXPECT_EQ(list->data != nullptr, field.name == "lengths");
      EXPECT_EQ(list->size(list->list), field.name == "lengths" ? 2U : 1U);
      list->resize(list->list, 3);
    } else {
      const auto& optional = std::get<OptionalRef>(field.value.ref);
      EXPECT_FALSE(optional.has(optional.field));
      optional.set(optional.field, true);
      EXPECT_TRUE(std::holds_alternative<RecordRef>(optional.value(optional.field).ref));
    }
  });
  EXPECT_EQ(path.points.size(), 3U);
  EXPECT_EQ(path.lengths.size(), 3U);
  ASSERT_TRUE(path.end.has_value());
  EXPECT_EQ(path.end->y, 2);
}

TEST(Record, NumbersHaveTheNamesAndSizesOfNumPy) {
  EXPECT_STREQ(to_string(NumberType::kFloat), "float32");
  EXPECT_STREQ(to_string(NumberType::kUint64), "uint64");
  EXPECT_EQ(number_bytes(NumberType::kUint16), 2U);
  EXPECT_EQ(number_bytes(NumberType::kDouble), 8U);
}

}  // namespace
}  // namespace fovea
