// Colors: closed forms, a textbook search over three channels, and what only the CPU does.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using testing::HasSubstr;

// Waves whose brightness is the same everywhere: only the colors tell the motion.
Image<float> even_light(int width, int height, double u, double v) {
  Image<float> image(width, height, 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double px = x - u, py = y - v;
      const double red = std::sin(0.31 * px) + std::sin(0.23 * py + 0.1 * px);
      const double blue = std::sin(0.27 * py) + std::cos(0.19 * px - 0.15 * py);
      image.at(x, y, 0) = static_cast<float>(128 + 25 * red);
      image.at(x, y, 2) = static_cast<float>(128 + 25 * blue);
      image.at(x, y, 1) = static_cast<float>(128 - 25 * (0.299 * red + 0.114 * blue) / 0.587);
    }
  return image;
}

double error_of(const Flow& flow, double u, double v, int margin) {
  double sum = 0;
  int count = 0;
  for (int y = margin; y < flow.u.height() - margin; ++y)
    for (int x = margin; x < flow.u.width() - margin; ++x, ++count)
      sum += std::hypot(flow.u.at(x, y) - u, flow.v.at(x, y) - v);
  return sum / count;
}

FlowOptions on_cpu(Method method, Channels channels = Channels::kColor) {
  return {.method = method, .channels = channels, .exec = {.device = Device::cpu(), .threads = 2}};
}

TEST(FlowColor, FindsMotionThatGrayValuesDoNotShow) {
  const auto first = even_light(90, 70, 0, 0), second = even_light(90, 70, 2, 1);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    const Flow flow = Estimator(on_cpu(method)).estimate(first, second);
    EXPECT_LT(error_of(flow, 2, 1, 12), 0.1) << static_cast<int>(method);
  }
  FlowOptions block = on_cpu(Method::kBlockMatching);
  for (const BlockCost cost : {BlockCost::kSad, BlockCost::kSsd}) {
    block.bm.cost = cost;
    EXPECT_LT(error_of(Estimator(block).estimate(first, second), 2, 1, 12), 0.15);
  }
}

TEST(FlowColor, ThreeEqualChannelsAreNearlyGray) {
  const auto first = even_light(80, 60, 0, 0), second = even_light(80, 60, 1.4, -0.8);
  Image<float> gray[2]{Image<float>(80, 60), Image<float>(80, 60)};
  Image<float> equal[2]{Image<float>(80, 60, 3), Image<float>(80, 60, 3)};
  for (int k = 0; k < 2; ++k)
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 80; ++x) {
        gray[k].at(x, y) = (k == 0 ? first : second).at(x, y, 0);
        for (int c = 0; c < 3; ++c) equal[k].at(x, y, c) = gray[k].at(x, y);
      }
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    const Flow one = Estimator(on_cpu(method, Channels::kGray)).estimate(gray[0], gray[1]);
    const Flow three = Estimator(on_cpu(method)).estimate(equal[0], equal[1]);
    const Flow from_gray = Estimator(on_cpu(method)).estimate(gray[0], gray[1]);
    double apart = 0;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 80; ++x)
        apart += std::hypot(one.u.at(x, y) - three.u.at(x, y), one.v.at(x, y) - three.v.at(x, y));
    EXPECT_LT(apart / (80 * 60), 0.01) << static_cast<int>(method);
    EXPECT_TRUE(test::images_equal(three.u, from_gray.u));
  }
}

// The score of two blocks of colors, pixel by pixel.
double score_of(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b, int x, int y, int u,
                int v, int block, BlockCost cost) {
  double covariance = 0, variance_a = 0, variance_b = 0, absolute = 0, squared = 0;
  for (int c = 0; c < 3; ++c) {
    double n = 0, sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
    for (int j = 0; j < block; ++j)
      for (int i = 0; i < block; ++i) {
        const double p = a.at(x + i, y + j, c), q = b.at(x + i + u, y + j + v, c);
        n += 1, sa += p, sb += q, aa += p * p, bb += q * q, ab += p * q;
        absolute += std::abs(p - q), squared += (p - q) * (p - q);
      }
    covariance += n * ab - sa * sb, variance_a += n * aa - sa * sa, variance_b += n * bb - sb * sb;
  }
  if (cost == BlockCost::kSad) return -absolute;
  if (cost == BlockCost::kSsd) return -squared;
  return covariance / std::sqrt(variance_a * variance_b);
}

TEST(FlowColor, TheSearchIsThatOfTheTextbook) {
  Random random(3);
  constexpr int kWidth = 40, kHeight = 36, kRange = 3;
  auto first = test::random_image<std::uint8_t>(random, kWidth, kHeight, 3);
  auto second = test::random_image<std::uint8_t>(random, kWidth, kHeight, 3);
  first.at(0, 0, 0) = second.at(0, 0, 0) = 0;
  // The whole range of bytes, so that colors are compared as they are.
  for (int k = 0; k < 40; ++k)
    for (auto* image : {&first, &second}) image->at(k, 1, 0) = 0, image->at(k, 2, 0) = 255;
  for (const BlockCost cost : {BlockCost::kSad, BlockCost::kSsd, BlockCost::kNcc})
    for (const int block : {4, 8, 16}) {
      FlowOptions options = on_cpu(Method::kBlockMatching);
      use_preset(options, Preset::kPaper);
      options.bm.cost = cost;
      options.bm.block = options.bm.step.emplace(block);
      options.bm.levels = 1;
      options.bm.range = kRange;
      const Flow flow = Estimator(options).estimate(first, second);
      for (int y = block; y + 2 * block < kHeight; y += block)
        for (int x = block; x + 2 * block < kWidth; x += block) {
          double best = -1e30;
          int best_u = 0, best_v = 0;
          for (int v = -kRange; v <= kRange; ++v)
            for (int u = -kRange; u <= kRange; ++u)
              if (const double score = score_of(first, second, x, y, u, v, block, cost);
                  score > best)
                best = score, best_u = u, best_v = v;
          EXPECT_EQ(flow.u.at(x, y), best_u) << block << " at " << x << ' ' << y;
          EXPECT_EQ(flow.v.at(x + block - 1, y + block - 1), best_v);
        }
    }
}

TEST(FlowColor, TilesThreadsAndMasksGiveWhatTheWholeGives) {
  const auto first = even_light(1000, 800, 0, 0), second = even_light(1000, 800, 1.3, 2.1);
  FlowOptions options = on_cpu(Method::kLucasKanade);
  options.quality = Quality::kFast;
  Image<std::uint8_t> mask(1000, 800);
  for (int y = 0; y < 800; ++y)
    for (int x = 0; x < 1000; ++x) mask.at(x, y) = x > 200 && y < 400 ? 255 : 0;
  const Flow whole = Estimator(options).estimate(first, second, mask);
  options.exec.threads = 1;
  EXPECT_TRUE(test::images_equal(whole.u, Estimator(options).estimate(first, second, mask).u));
  options.memory_bytes = 56 << 20;
  const Flow tiled = Estimator(options).estimate(first, second, mask);
  EXPECT_TRUE(test::images_equal(whole.u, tiled.u));
}

TEST(FlowColor, BlocksRefuseAGpuAndAutoIsTheCpu) {
  const auto image = even_light(40, 30, 0, 0);
  FlowOptions options = on_cpu(Method::kLucasKanade);
  EXPECT_EQ(cpu_only(options), "");
  options = on_cpu(Method::kBlockMatching);
  EXPECT_EQ(cpu_only(options), "blocks of colors are compared");
  options.exec.device = {};
  EXPECT_NO_THROW(Estimator(options).estimate(image, image));
  FOVEA_SKIP_WITHOUT_CUDA();
  options.exec.device = Device::cuda();
  EXPECT_THAT(test::message_of([&] { Estimator(options).estimate(image, image); }),
              HasSubstr("blocks of colors are compared on the CPU only"));
}

}  // namespace
}  // namespace fovea::flow
