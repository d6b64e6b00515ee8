#include "operations/rivals/rivals.h"

#include <gmock/gmock.h>

namespace fovea::operations {
namespace {

// Where there is no module, the reason is named and nothing is prepared; where there is one, every
// rival of a case has its name and its work.
TEST(Rivals, HaveWorksOrAReason) {
  const Rivals rivals;
  EXPECT_EQ(rivals.source_name().empty(), !rivals.absence().empty()) << rivals.absence();
  RivalCase pair{.name = "flow", .shape = {.width = 64, .height = 48}};
  pair.image = pair.second = std::make_shared<Image<std::uint8_t>>(64, 48);
  const std::vector<Rivals::Work> works = rivals.prepare(pair, 1);
  const auto tracks = rivals.begin_tracks(pair.image->view(), {10, 10, 8, 8});
  if (!rivals.absence().empty()) {
    EXPECT_TRUE(works.empty() && tracks.empty());
    EXPECT_THAT(rivals.absence(), testing::HasSubstr("fovea_rivals.so"));
    return;
  }
  EXPECT_FALSE(works.empty());
  for (const Rivals::Work& work : works) EXPECT_FALSE(work.rival.empty());
}

TEST(Rivals, AnUnknownCaseHasNone) {
  EXPECT_TRUE(Rivals().prepare({.name = "zebra", .shape = {}}, 1).empty());
}

}  // namespace
}  // namespace fovea::operations
