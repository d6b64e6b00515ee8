#include "operations/measure.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace fovea::operations {
namespace {

TEST(Measure, WorkingMemoryIsWhatCameAndWent) {
  EXPECT_GT(peak_memory_bytes(), 1U << 20U);
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const MemoryWatch watch;
  {
    std::vector<char> work(kBytes);
    for (std::size_t i = 0; i < kBytes; i += 512) work[i] = static_cast<char>(i);
    EXPECT_GE(work[512 * 3], 0);
  }
  const auto working = static_cast<double>(watch.working_bytes(0));
  EXPECT_GT(working, 0.8 * kBytes);
  EXPECT_LT(working, 2.0 * kBytes);
  EXPECT_LT(static_cast<double>(watch.working_bytes(kBytes)), 0.8 * kBytes);
}

TEST(Measure, LinesTellTimesAndDroppedFramesOrNothing) {
  EXPECT_EQ(time_at_end(true, 0.0431), ", 43.1 ms");
  EXPECT_EQ(time_at_end(false, 0.0431), "");
  EXPECT_EQ(dropped_text(12), ", 12 dropped");
  EXPECT_EQ(dropped_text(0), "");
}

}  // namespace
}  // namespace fovea::operations
