// Any record has marks and facts.
#include "view/record.h"

#include <gmock/gmock.h>

namespace fovea::view {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Part {
  Rect<int> box{};
  float score = 0;
  std::string name{};
  std::optional<float> confidence{};
};
void describe(FieldVisitor& visit, Part& part) {
  visit("box", part.box, "where it is");
  visit("score", part.score, "how sure it is");
  visit("name", part.name, "what it is");
  visit("confidence", part.confidence, "from 0 to 1");
}

struct Inner {
  bool whole = true;
};
void describe(FieldVisitor& visit, Inner& inner) { visit("whole", inner.whole, "all of it"); }

struct Outer {
  Extent size{4, 3};
  double share = 1.0 / 3;
  double run_seconds = 2;
  std::string hidden = "x";
  std::optional<int> absent{}, count_of_rows = 5;
  std::vector<Part> parts{{{1, 2, 3, 4}, 0.5F, "leg"}, {{5, 6, 7, 8}, 2, "", 0.75F}};
  std::vector<double> numbers{1, 2};
  Inner inner{};
};
void describe(FieldVisitor& visit, Outer& outer) {
  visit("size", outer.size, "of it", {.unit = "pixels"});
  visit("share", outer.share, "a part");
  visit("run_seconds", outer.run_seconds, "how long", {.timing = true});
  visit("hidden", outer.hidden, "not printed", {.printed = false});
  visit("absent", outer.absent, "is not there");
  visit("count_of_rows", outer.count_of_rows, "is there");
  visit("parts", outer.parts, "with boxes");
  visit("numbers", outer.numbers, "too many to show");
  visit("inner", outer.inner, "a record");
}

TEST(ShowRecord, MarksBoxesAndListsFacts) {
  operations::Shown shown;
  show_record(record_ref(Outer()), shown);
  ASSERT_EQ(shown.marks.size(), 2U);
  EXPECT_EQ(shown.marks[0].box, (Rect<double>{1, 2, 3, 4}));
  EXPECT_EQ(shown.marks[0].label, "leg 0.50");
  EXPECT_EQ(shown.marks[1].label, "2.00 (75 %)");
  EXPECT_THAT(shown.facts,
              ElementsAre(Pair("size", "4x3 pixels"), Pair("share", "0.3333"),
                          Pair("count of rows", "5"), Pair("parts", "2"), Pair("whole", "yes")));
}

}  // namespace
}  // namespace fovea::view
