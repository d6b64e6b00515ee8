#include <fovea/cluster/shard.h>

#include <fovea/core/error.h>
#include <gmock/gmock.h>

namespace fovea::cluster {
namespace {

TEST(Shard, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_shard("3/8"), (Shard{3, 8}));
  EXPECT_EQ(to_string(parse_shard("0/1")), "0/1");
}

TEST(Shard, WhatIsNoPartIsRefused) {
  for (const char* text :
       {"", "3", "/", "3/", "/8", "a/8", "3/b", "-1/8", "3/8/1", " 3/8", "1.0/2"})
    EXPECT_THROW(parse_shard(text), InvalidArgument) << text;
  try {
    parse_shard("8/8");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the last of 8 is 7"));
  }
  EXPECT_THROW(parse_shard("0/0"), InvalidArgument);
  EXPECT_THROW(parse_shard("0/1000001"), InvalidArgument);
  EXPECT_THROW(parse_shard("0/99999999999999999999"), InvalidArgument);
}

TEST(Shard, PartsFollowEachOtherAndAreOfLikeSize) {
  for (const std::uint64_t units : {0ULL, 1ULL, 7ULL, 100ULL, 1'000'000'000'000ULL})
    for (const int count : {1, 2, 3, 7, 1000}) {
      std::uint64_t end = 0;
      const std::uint64_t least = units / static_cast<std::uint64_t>(count);
      for (int i = 0; i < count; ++i) {
        const UnitRange range = units_of({i, count}, units);
        EXPECT_EQ(range.first, end);
        EXPECT_GE(range.size(), least);
        EXPECT_LE(range.size(), least + 1);
        end = range.last;
      }
      EXPECT_EQ(end, units);
    }
}

}  // namespace
}  // namespace fovea::cluster
