#include "core/timing/timing.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

TEST(Timing, CopiesEveryByteWhateverTheThreads) {
  std::vector<unsigned char> from((3U << 20) + 17);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 7 + i / 251);
  for (const int threads : {1, 3}) {
    std::vector<unsigned char> to(from.size());
    cpu::copy_bytes(from.data(), to.data(), from.size(), {.threads = threads});
    EXPECT_EQ(from, to) << threads << " threads";
  }
}

TEST(Timing, CountsTheOperationsOfEveryThread) {
  const double one = cpu::multiply_add(100, {.threads = 1});
  EXPECT_GE(one, 2.0 * 8 * 100);
  EXPECT_EQ(cpu::multiply_add(200, {.threads = 1}), 2 * one);
  EXPECT_EQ(cpu::multiply_add(100, {.threads = 3}), 3 * one);
}

}  // namespace
}  // namespace fovea
