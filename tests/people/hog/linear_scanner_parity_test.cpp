// The scanner of linear models on CUDA against the CPU's: every score of every window, to the bit.
#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "people/model_parts.h"
#include "people/scanner.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::people {
namespace {

LinearModel random_model(const HogOptions& hog) {
  LinearModel model{hog, {}, 0.25F};
  Random random(7);
  for (int i = 0; i < descriptor_size(hog); ++i)
    model.weights.push_back(static_cast<float>(random.normal()));
  return model;
}

// Smooth shades with edges and noise: gradients of all strengths and none.
Image<std::uint8_t> picture(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  Random random(3);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i) {
      const int x = i / channels, c = i % channels;
      const double wave = 60 * std::sin(0.07 * x + c) + 40 * std::sin(0.11 * y);
      const bool plain = x / 40 % 3 == 1;
      image.row(y)[i] = static_cast<std::uint8_t>(
          plain ? 90 : 110 + wave + (x / 23 % 2 ? 15 : -15) + random.below(12));
    }
  return image;
}

void expect_equal_scans(Kind kind, const HogOptions& hog, const Image<std::uint8_t>& image,
                        const ScanOptions& scan) {
  const LinearModel model = random_model(hog);
  const ScanPlan plan = plan_scan({image.width(), image.height()}, hog.window, 0.8, scan);
  ASSERT_FALSE(plan.levels.empty());
  const ScanRequest request{image, plan, -std::numeric_limits<float>::infinity()};
  const ScanResult cpu =
      cpu::make_linear_scanner(kind, model)->scan(request, {.device = Device::cpu()});
  const ScanResult gpu =
      cuda::make_linear_scanner(kind, model)->scan(request, {.device = Device::cuda()});
  EXPECT_EQ(cpu.counts.windows, gpu.counts.windows);
  EXPECT_EQ(cpu.counts.evaluations, gpu.counts.evaluations);
  ASSERT_EQ(cpu.hits.size(), gpu.hits.size());
  int different = 0;
  for (std::size_t i = 0; i < cpu.hits.size(); ++i) {
    if (cpu.hits[i] == gpu.hits[i]) continue;
    if (different++ < 3)
      ADD_FAILURE() << to_string(kind) << " level " << cpu.hits[i].level << " column "
                    << cpu.hits[i].column << " row " << cpu.hits[i].row << ": " << cpu.hits[i].score
                    << " and " << gpu.hits[i].score;
  }
  EXPECT_EQ(different, 0) << "of " << cpu.hits.size();
}

TEST(LinearScannerParity, TheCommonDescriptor) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int channels : {1, 3, 4})
    for (const int stride : {8, 16})
      expect_equal_scans(Kind::kHog, {}, picture(301, 222, channels),
                         {.ratio = 1.2, .stride = stride, .padding = 24});
}

TEST(LinearScannerParity, EveryKind) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral})
    for (const int stride : {4, 8, 12})
      expect_equal_scans(kind, {}, picture(200, 190, 3),
                         {.ratio = 1.4, .stride = stride, .padding = 8});
}

TEST(LinearScannerParity, OtherGeometriesAndNorms) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<std::uint8_t> image = picture(120, 110, 3);
  const ScanOptions scan{.ratio = 1.5, .stride = 6, .padding = 0};
  for (const BlockNorm norm :
       {BlockNorm::kL2, BlockNorm::kL2Hys, BlockNorm::kL1, BlockNorm::kL1Sqrt}) {
    HogOptions hog{.window = {36, 48},
                   .cell = 6,
                   .block = 3,
                   .block_stride = 6,
                   .bins = 12,
                   .signed_angle = true,
                   .norm = norm};
    expect_equal_scans(Kind::kHog, hog, image, scan);
    hog = {.norm = norm};
    hog.gamma = Gamma::kNone;
    hog.window.height = 64;
    hog.sigma = 0;
    expect_equal_scans(Kind::kHog, hog, image, {.ratio = 1.5, .stride = 8, .padding = 0});
  }
  expect_equal_scans(Kind::kHog, {.window = {32, 48}, .shape = BlockShape::kCircular}, image, scan);
}

TEST(LinearScannerParity, MasksVotesAndConstants) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<std::uint8_t> image = picture(110, 120, 3);
  const ScanOptions scan{.ratio = 1.5, .stride = 8, .padding = 0};
  for (const GradientMask mask : {GradientMask::kUncentered, GradientMask::kCubic,
                                  GradientMask::kSobel, GradientMask::kDiagonal})
    for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral})
      expect_equal_scans(kind, {.window = {32, 48}, .mask = mask}, image, scan);
  for (const VoteWeight vote : {VoteWeight::kRoot, VoteWeight::kSquare, VoteWeight::kBinary})
    expect_equal_scans(Kind::kHog, {.window = {32, 48}, .vote = vote}, image, scan);
  expect_equal_scans(Kind::kHog, {.window = {32, 48}, .norm = BlockNorm::kNone, .epsilon = 2},
                     image, scan);
  expect_equal_scans(Kind::kHog, {.window = {32, 48}, .epsilon = 0.001F}, image, scan);
  // Blocks that do not fill the window, or are closer than cells.
  expect_equal_scans(Kind::kHog, {.window = {35, 50}}, image, scan);
  expect_equal_scans(Kind::kHog, {.window = {32, 48}, .block_stride = 4}, image, scan);
  expect_equal_scans(
      Kind::kHog,
      {.window = {32, 48}, .shape = BlockShape::kCircular, .rings = 1, .sectored_center = true},
      image, scan);
}

TEST(LinearScannerParity, RefusesWhatOnlyTheCpuHas) {
  FOVEA_SKIP_WITHOUT_CUDA();
  EXPECT_THROW(cuda::make_linear_scanner(Kind::kHog, random_model({.smooth = 1})), InvalidArgument);
  EXPECT_THROW(cuda::make_linear_scanner(Kind::kHog, random_model({.cell_height = 4})),
               InvalidArgument);
}

TEST(LinearScannerParity, OnlyWhatReachesTheThreshold) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<std::uint8_t> image = picture(640, 400, 1);
  const LinearModel model = random_model({});
  const ScanPlan plan = plan_scan({640, 400}, {64, 128}, 0.8, {});
  for (const float threshold : {-2.F, 1.F, 1e9F}) {
    const ScanRequest request{image, plan, threshold};
    const auto cpu =
        cpu::make_linear_scanner(Kind::kHog, model)->scan(request, {.device = Device::cpu()});
    const auto scanner = cuda::make_linear_scanner(Kind::kHog, model);
    for (int repeat = 0; repeat < 3; ++repeat)
      EXPECT_EQ(scanner->scan(request, {.device = Device::cuda()}).hits, cpu.hits);
  }
}

}  // namespace
}  // namespace fovea::people
