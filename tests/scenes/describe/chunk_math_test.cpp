// Chunks of images: within limits, each image once, a large one alone.
#include "scenes/describe/chunk_math.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea::scenes {
namespace {

std::vector<std::size_t> ends_of(const std::vector<ChunkNeed>& needs, const ChunkNeed& limits) {
  std::vector<std::size_t> ends;
  for (std::size_t first = 0; first < needs.size(); first = ends.back())
    ends.push_back(chunk_end(needs, first, limits));
  return ends;
}

TEST(Chunks, HoldAsManyImagesAsLimitsAllow) {
  const ChunkNeed limits{.staged_bytes = 100, .counts = 10, .pixels = 1000};
  const ChunkNeed small{.staged_bytes = 40, .counts = 1, .pixels = 40};
  EXPECT_EQ(ends_of({small, small, small, small, small}, limits),
            (std::vector<std::size_t>{2, 4, 5}));
  const ChunkNeed resident{.staged_bytes = 0, .counts = 3, .pixels = 10};
  EXPECT_EQ(ends_of({resident, resident, resident, resident}, limits),
            (std::vector<std::size_t>{3, 4}));
  const ChunkNeed wide{.staged_bytes = 0, .counts = 1, .pixels = 600};
  EXPECT_EQ(ends_of({wide, wide}, limits), (std::vector<std::size_t>{1, 2}));
}

TEST(Chunks, AnImageBeyondTheLimitsGoesAlone) {
  const ChunkNeed limits{.staged_bytes = 100, .counts = 10, .pixels = 1000};
  const ChunkNeed small{.staged_bytes = 1, .counts = 1, .pixels = 1};
  const ChunkNeed large{.staged_bytes = 5000, .counts = 1, .pixels = 5000};
  EXPECT_EQ(ends_of({small, large, small, small}, limits), (std::vector<std::size_t>{1, 2, 4}));
}

TEST(Chunks, PixelsAreAligned) {
  EXPECT_EQ(staged_bytes_of(1, 1, 1), 16);
  EXPECT_EQ(staged_bytes_of(4, 4, 1), 16);
  EXPECT_EQ(staged_bytes_of(3, 5, 3), 48);
  EXPECT_EQ(staged_bytes_of(100000, 100000, 3), 30000000000);
}

}  // namespace
}  // namespace fovea::scenes
