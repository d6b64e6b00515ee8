// Refined flow on CUDA against the CPU's: every number of every field, to the bit.
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include "flow/parity.h"
#include "support/devices.h"

namespace fovea::flow {
namespace {

using parity::expect_equal;
using parity::holes;
using parity::picture;

struct RefineCase {
  FlowOptions options{.quality = Quality::kBest};
  int width = 101, height = 87;
  int channels = 1;
  bool masked = false;
};
void expect_equal_fields(const RefineCase& given) {
  const auto first = picture<std::uint8_t>(given.width, given.height, given.channels, 0);
  const auto second = picture<std::uint8_t>(given.width, given.height, given.channels, 2.3);
  Image<std::uint8_t> mask;
  if (given.masked) mask = holes(given.width, given.height);
  const auto field = [&](Device device) {
    FlowOptions options = given.options;
    options.exec.device = device;
    return Estimator(options).estimate<std::uint8_t>(first, second, mask, mask);
  };
  expect_equal(field(Device::cpu()), field(Device::cuda()));
}

TEST(RefineParity, SizesThatTilesDoNotDivide) {
  FOVEA_SKIP_WITHOUT_CUDA();
  // Levels of more than 128 tiles of 16x16 pixels are relaxed in larger ones.
  for (const auto& [width, height] :
       {std::pair{101, 87}, {64, 64}, {33, 70}, {1, 1}, {7, 3}, {210, 170}}) {
    SCOPED_TRACE(testing::Message() << width << "x" << height);
    expect_equal_fields({.width = width, .height = height});
  }
}

TEST(RefineParity, BothMethodsAndOptions) {
  FOVEA_SKIP_WITHOUT_CUDA();
  RefineCase given;
  given.options.method = Method::kBlockMatching;
  expect_equal_fields(given);
  given.options.fuse = Fuse::kOff;
  given.options.warps = 1;
  expect_equal_fields(given);
  given.options.method = Method::kLucasKanade;
  expect_equal_fields(given);
  given.options.fuse = Fuse::kOn;
  given.options.warps = 0;
  expect_equal_fields(given);
  given.options.quality = Quality::kFast;
  given.options.method = Method::kBlockMatching;
  given.options.warps = 1;
  expect_equal_fields(given);
}

TEST(RefineParity, MasksAndColors) {
  FOVEA_SKIP_WITHOUT_CUDA();
  expect_equal_fields({.masked = true});
  expect_equal_fields({.width = 230, .height = 150, .masked = true});
  RefineCase alone{.masked = true};
  alone.options.method = Method::kBlockMatching;
  alone.options.fuse = Fuse::kOff;
  expect_equal_fields(alone);
  RefineCase colors{.channels = 3};
  colors.options.channels = Channels::kColor;
  expect_equal_fields(colors);
}

TEST(RefineParity, Video) {
  FOVEA_SKIP_WITHOUT_CUDA();
  FlowOptions options{.quality = Quality::kBest};
  options.exec.device = Device::cpu();
  Estimator cpu(options);
  options.exec.device = Device::cuda();
  Estimator gpu(options);
  for (const double shift : {0.0, 1.2, 2.9}) {
    const auto frame = picture<std::uint8_t>(90, 70, 1, shift);
    const auto wanted = cpu.push(frame), found = gpu.push(frame);
    ASSERT_EQ(wanted.has_value(), found.has_value());
    if (wanted) expect_equal(*wanted, *found);
  }
}

}  // namespace
}  // namespace fovea::flow
