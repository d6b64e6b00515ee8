// Covers: src/scenes/words/code_room_math.h
#include "scenes/words/code_room_math.h"

#include <gtest/gtest.h>

namespace fovea::scenes {
namespace {

TEST(CodeRoom, PartsFollowEachOther) {
  const CodeRoom few = code_room({Coding::kFisher, 64, 32}, 128, 32);
  EXPECT_EQ(few.numbers, 128 * 36);  // descriptors need more than scores
  EXPECT_EQ(few.masks, few.numbers + 32 * 36);
  EXPECT_EQ(few.cells, few.masks + 64);
  EXPECT_EQ(few.end, few.cells + 32);
  const CodeRoom many = code_room({Coding::kSoft, 1001, 16}, 32, 8);
  EXPECT_EQ(many.numbers, 9012);  // 1001 * 9, rounded up to a multiple of four
  EXPECT_EQ(many.bytes(), (9012U + 16 * 12 + 1001 + 8) * sizeof(float));
}

TEST(CodeRoom, TakesAsManyPlacesAsFit) {
  constexpr std::size_t kHopper = 227 << 10, kAmpere = 99 << 10, kTuring = 64 << 10;
  for (const std::size_t bytes : {kHopper, kAmpere, kTuring}) {
    EXPECT_EQ(code_places({Coding::kFisher, 128, 64}, 128, bytes), 32);
    EXPECT_EQ(code_places({Coding::kFisher, 256, 128}, 96, bytes), 32);
  }
  EXPECT_EQ(code_places({Coding::kSoft, 500, 64}, 128, kHopper), 32);
  EXPECT_EQ(code_places({Coding::kSoft, 500, 64}, 128, kTuring), 16);
  EXPECT_EQ(code_places({Coding::kSoft, 1024, 128}, 128, kHopper), 16);
  EXPECT_EQ(code_places({Coding::kSoft, 1024, 128}, 128, kAmpere), 16);
  EXPECT_EQ(code_places({Coding::kSoft, 1024, 128}, 128, kTuring), 8);
}

// The greatest codes fit every GPU that CUDA 13 supports.
TEST(CodeRoom, GreatestCodesFit) {
  for (const int inputs : {32, 96, 128, 384})
    EXPECT_LE(code_room({Coding::kFisher, 1024, 128}, inputs, kLeastCodePlaces).bytes(), 64U << 10);
}

}  // namespace
}  // namespace fovea::scenes
