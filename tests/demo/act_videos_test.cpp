#include "demo/act_videos.h"

#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gtest/gtest.h>

#include "demo/actor.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(ActVideos, StandSideBySide) {
  const ActVideo left = draw_act_video(Act::kWave, {1}, 2),
                 right = draw_act_video(Act::kBend, {2}, 2);
  const ActVideo both = side_by_side(left, right);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].width(), 2 * kActorWidth);
  EXPECT_EQ(both[1].at(3, 7), left[1].at(3, 7));
  EXPECT_EQ(both[1].at(kActorWidth + 80, 60), right[1].at(80, 60));
  EXPECT_EQ(gray_video(both)[0].channels(), 1);
  EXPECT_EQ(frame_views(both)[0].width, 2 * kActorWidth);
  EXPECT_THROW(side_by_side(left, draw_act_video(Act::kBend, {2}, 3)), InvalidArgument);
}

TEST(ActVideos, AreWrittenIntoNewFolders) {
  const test::TempFolder folder;
  write_act_video(folder / "a/b.y4m", draw_act_video(Act::kWalk, {0}, 2));
  EXPECT_EQ(io::VideoReader(folder / "a/b.y4m").info().size.width, kActorWidth);
}

}  // namespace
}  // namespace fovea::cli
