#include "operations/explain.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::operations {
namespace {

using testing::HasSubstr;

TEST(Explain, ChecksHowManyNumbersThereAre) {
  EXPECT_NO_THROW(check_explain({}, {2, 4}, ""));
  EXPECT_NO_THROW(check_explain({1, 2}, {2, 4}, "a.png"));
  EXPECT_THAT(test::message_of<InvalidArgument>([] {
                check_explain({1}, {2, 4}, "");
              }),
              HasSubstr("--explain has 1 numbers; expected 2 or 4"));
}

TEST(Explain, APictureNeedsSomethingToExplainAndAnEnding) {
  EXPECT_THAT(test::message_of<InvalidArgument>([] { check_explain({}, {2}, "a.png"); }),
              HasSubstr("--explain-picture a.png needs --explain"));
  EXPECT_THROW(check_explain_picture(true, "a.txt"), InvalidArgument);
  EXPECT_NO_THROW(check_explain_picture(false, ""));
}

TEST(Explain, APixelLiesInTheImage) {
  const ExplainedPixel pixel = explained_pixel({3.7, 0}, {4, 1});
  EXPECT_EQ(pixel.x, 3);
  EXPECT_EQ(pixel.y, 0);
  for (const ExplainNumbers& outside : {ExplainNumbers{4, 0}, {0, 1}, {-0.5, 0}})
    EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                  (void)explained_pixel(outside, {4, 1});
                }),
                HasSubstr("lies outside of the image of 4x1"));
}

}  // namespace
}  // namespace fovea::operations
