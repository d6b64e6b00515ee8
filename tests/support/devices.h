// Runs a test on every device, and on every instruction set of the CPU.
#pragma once
#include <fovea/core/device.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

namespace fovea::test {

// A place to run: the CPU with one of its instruction sets, or a GPU.
struct Place {
  Device device;
  std::int64_t simd_target = 0;  // 0: whatever is best
};

// The CPU with every instruction set compiled in, and CUDA, which skips where there is no GPU.
std::vector<Place> every_place();
void PrintTo(const Place& place, std::ostream* out);
std::string place_name(const testing::TestParamInfo<Place>& info);

// Fixture of a test over every_place(): skips with a reason where the place cannot be used here.
class OnEveryPlace : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override;
  void TearDown() override;
  Device device() const { return GetParam().device; }
};

}  // namespace fovea::test

// TEST_P(Fixture, ...) on every place.
#define FOVEA_ON_EVERY_PLACE(Fixture)                                                      \
  INSTANTIATE_TEST_SUITE_P(Places, Fixture, testing::ValuesIn(fovea::test::every_place()), \
                           fovea::test::place_name)

// In a test that compares the twins.
#define FOVEA_SKIP_WITHOUT_CUDA()                                        \
  if (const std::string reason = fovea::cuda_absence(); !reason.empty()) \
  GTEST_SKIP() << "no CUDA here: " << reason
