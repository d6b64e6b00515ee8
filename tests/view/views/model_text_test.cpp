#include "view/views/model_text.h"

#include <gmock/gmock.h>

namespace fovea::view {
namespace {

using testing::HasSubstr;

TEST(ModelText, SaysWhatAModelKnows) {
  EXPECT_THAT(
      model_text("channels", "people"),
      testing::MatchesRegex("Kind channels: people of [0-9]+ pixels and more, by default "
                            "from a score of .* on, trained with 2416 pictures of people\\."));
  EXPECT_THAT(model_text("hog", "people"), HasSubstr("trained with 2416 positives"));
  EXPECT_EQ(model_text("sun8", "scenes"),
            "Knows airport, auditorium, bedroom, campus, desert, football_stadium, landscape, "
            "rainforest; trained with 1331 images.");
  EXPECT_THAT(model_text("weizmann", "actions"),
              HasSubstr("walk, wave1, wave2; trained with 90 clips of 9 people."));
  EXPECT_EQ(model_text("gone", "people"), "");
}

}  // namespace
}  // namespace fovea::view
