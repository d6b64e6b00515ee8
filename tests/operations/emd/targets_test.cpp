#include "operations/emd/targets.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::operations {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(EmdTargets, AreBoxesOrFiles) {
  const auto targets = parse_targets({"1,2,30,40", "ball.png", "-1.5,0,3,4"});
  ASSERT_EQ(targets.size(), 3U);
  EXPECT_EQ(std::get<Rect<double>>(targets[0]), (Rect<double>{1, 2, 30, 40}));
  EXPECT_EQ(std::get<std::string>(targets[1]), "ball.png");
  EXPECT_EQ(std::get<Rect<double>>(targets[2]), (Rect<double>{-1.5, 0, 3, 4}));
  for (const char* word : {"1,2,3", "1,2,3,4,5", "7"})
    EXPECT_THAT(message_of<InvalidArgument>([&] { parse_target(word); }),
                HasSubstr(std::string("'") + word + "'; expected x,y,width,height or a file"));
}

TEST(EmdTargets, BoxesOfMapsAreWholePixelsWithinTheFrame) {
  const Rect<int> box = box_within({3, 4, 5, 6}, 8, 10);
  EXPECT_EQ(box.x, 3);
  EXPECT_EQ(box.height, 6);
  const auto refusal = [](const Rect<double>& of) {
    return message_of<InvalidArgument>([&] { box_within(of, 8, 10); });
  };
  EXPECT_EQ(refusal({3, 4, 6, 6}), "--target 3,4,6,6 reaches outside of the frame of 8x10");
  EXPECT_THAT(refusal({-1, 4, 2, 2}), HasSubstr("outside"));
  EXPECT_THAT(refusal({1e300, 4, 2, 2}), HasSubstr("outside"));
  EXPECT_THAT(refusal({1, 2, 0, 4}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({1.5, 2, 2, 4}), HasSubstr("whole pixels"));
  EXPECT_THAT(refusal({NAN, 2, 2, 4}), HasSubstr("whole pixels"));
}

}  // namespace
}  // namespace fovea::operations
