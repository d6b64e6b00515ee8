// Covers: block_matching_frame, block_matching_matcher, block_matching_search
// Covers: block_matching_smooth, block_matching_tile
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cmath>

#include "flow/matcher.h"
#include "reference/block_matching.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::flow {
namespace {

using test::images_equal;

struct Field {
  Image<float> u, v, confidence;
  FlowView view() { return {u.view(), v.view(), confidence.view()}; }
};
Field make_field(int width, int height) {
  return {Image<float>(width, height), Image<float>(width, height), Image<float>(width, height)};
}

Field match(const reference::BlockPair& pair, const bm::Settings& options, int threads = 1) {
  const Exec exec{.device = Device::cpu(), .threads = threads};
  const auto matcher = cpu::make_block_matching(options);
  const auto first = matcher->prepare(pair.first, pair.mask, nullptr, exec);
  const auto second = matcher->prepare(pair.second, pair.mask, nullptr, exec);
  Field out = make_field(pair.first.width, pair.first.height);
  matcher->match({*first, *second}, out.view(), exec);
  return out;
}

// A smooth random texture that can be looked at anywhere: waves of many directions.
class Texture {
 public:
  explicit Texture(std::uint64_t seed, double finest = 1.2) {
    Random random(seed);
    for (Wave& wave : waves_) {
      const double angle = random.uniform() * 6.283, pace = (0.2 + random.uniform()) * finest / 1.2;
      wave = {std::cos(angle) * pace, std::sin(angle) * pace, random.uniform() * 6.283};
    }
  }
  double at(double x, double y) const {
    double sum = 0;
    for (const Wave& wave : waves_) sum += std::sin(wave.x * x + wave.y * y + wave.phase);
    return 127.5 + 14.0 * sum;
  }
  Image<float> image(int width, int height, double u = 0, double v = 0) const {
    Image<float> image(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<float>(at(x - u, y - v));
    return image;
  }

 private:
  struct Wave {
    double x, y, phase;
  };
  Wave waves_[24];
};

struct Errors {
  double mean = 0, worst = 0;
  int confident = 0, pixels = 0;
};
// Against one shift, away from the border.
Errors errors_of(const Field& field, double u, double v, int border) {
  Errors errors;
  for (int y = border; y < field.u.height() - border; ++y)
    for (int x = border; x < field.u.width() - border; ++x) {
      const double error = std::hypot(field.u.at(x, y) - u, field.v.at(x, y) - v);
      errors.mean += error;
      errors.worst = std::max(errors.worst, error);
      errors.confident += field.confidence.at(x, y) > 0.3F;
      ++errors.pixels;
    }
  errors.mean /= std::max(errors.pixels, 1);
  return errors;
}

testing::AssertionResult equal(const Field& field, const reference::Nodes& expected) {
  if (auto result = images_equal(field.u, expected.u); !result) return result << " (u)";
  if (auto result = images_equal(field.v, expected.v); !result) return result << " (v)";
  return images_equal(field.confidence, expected.confidence) << " (confidence)";
}

class BlockMatching : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    OnEveryPlace::SetUp();
    if (!IsSkipped() && device().kind == DeviceKind::kCuda)
      GTEST_SKIP() << "the face has the tests that run on a GPU";
  }
};
FOVEA_ON_EVERY_PLACE(BlockMatching);

TEST_P(BlockMatching, FindsWholeShiftsExactlyWithoutSmoothing) {
  Random random(1);
  const auto wide = test::random_image<std::uint8_t>(random, 120, 110);
  for (const BlockCost cost : {BlockCost::kSad, BlockCost::kSsd, BlockCost::kNcc})
    for (const auto& [u, v] : {std::pair{0, 0}, {3, -2}, {-4, 4}}) {
      Image<float> first(80, 70), second(80, 70);
      for (int y = 0; y < 70; ++y)
        for (int x = 0; x < 80; ++x) {
          first.at(x, y) = wide.at(x + 20, y + 20);
          second.at(x, y) = wide.at(x + 20 - u, y + 20 - v);
        }
      const Field field = match({first, second}, {.cost = cost,
                                                  .block = 9,
                                                  .step = 1,
                                                  .range = 5,
                                                  .levels = 1,
                                                  .subpixel = false,
                                                  .passes = 0});
      const Errors errors = errors_of(field, u, v, 9);
      EXPECT_EQ(errors.worst, 0) << u << ' ' << v;
      EXPECT_EQ(errors.confident, errors.pixels);
    }
}

TEST_P(BlockMatching, FindsPartsOfAPixel) {
  const Texture texture(2, 0.6);
  for (const auto& [u, v] : {std::pair{0.5, 0.25}, {-1.75, 2.3}, {7.4, -9.6}}) {
    const auto first = texture.image(160, 140), second = texture.image(160, 140, u, v);
    const Errors errors = errors_of(match({first, second}, {}), u, v, 16);
    EXPECT_LT(errors.mean, 0.12) << u << ' ' << v;
    EXPECT_LT(errors.worst, 0.6) << u << ' ' << v;
  }
}

TEST_P(BlockMatching, FollowsWhatGrowsAndTurns) {
  const Texture texture(3);
  const int side = 160;
  const auto first = texture.image(side, side);
  Image<float> second(side, side);
  // u = 0.03 (x - 80) - 0.02 (y - 80), v likewise turned; the second image looks back along it.
  const double a = 1.03, b = 0.02, det = a * a + b * b;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const double dx = x - 80, dy = y - 80;
      second.at(x, y) = static_cast<float>(
          texture.at(80 + (a * dx + b * dy) / det, 80 + (a * dy - b * dx) / det));
    }
  const Field field = match({first, second}, {});
  double sum = 0;
  for (int y = 16; y < side - 16; ++y)
    for (int x = 16; x < side - 16; ++x)
      sum += std::hypot(field.u.at(x, y) - (0.03 * (x - 80) - 0.02 * (y - 80)),
                        field.v.at(x, y) - (0.02 * (x - 80) + 0.03 * (y - 80)));
  EXPECT_LT(sum / ((side - 32) * (side - 32)), 0.12);
}

// Any size, any overlap, any cost, masks, levels: to the bit.
TEST_P(BlockMatching, EqualsTheTextbook) {
  Random random(4);
  const auto below = [&](int count) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
  };
  for (int round = 0; round < 30; ++round) {
    const auto [width, height] = test::random_size(random, 48);
    bm::Settings options{.cost = static_cast<BlockCost>(below(3)),
                         .block = 2 + below(round % 5 == 0 ? 30 : 10),
                         .step = 1 + below(round % 3 == 0 ? 20 : 5),
                         .range = 1 + below(4),
                         .refine = 1 + below(2),
                         .levels = 1 + below(3),
                         .subpixel = below(4) != 0,
                         .least_texture = static_cast<float>(below(3)) * 8,
                         .passes = below(3),
                         .forward_backward = below(3) == 0};
    const Texture texture(random.bits(), 0.3 + 2 * random.uniform());
    const double u = below(9) - 4, v = below(9) - 4;
    auto first = texture.image(width, height), second = texture.image(width, height, u / 2, v / 2);
    if (below(3) == 0) first = test::random_image<float>(random, width, height);  // near flat
    Image<std::uint8_t> mask;
    if (below(2) == 0) {
      mask = Image<std::uint8_t>(width, height);
      const int kind = below(2);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          mask.at(x, y) = kind == 0 ? below(8) != 0 : x < width / 2 || y > height / 3;
    }
    const reference::BlockPair pair{first, second, mask.view()};
    ASSERT_TRUE(equal(match(pair, options), reference::block_matching(pair, options)))
        << "round " << round << ": cost " << static_cast<int>(options.cost) << " block "
        << options.block << " step " << options.step << " range " << options.range << " levels "
        << options.levels;
  }
}

TEST(BlockMatchingScore, IsTheCorrelationOfTheTextbook) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const int n = 4 + static_cast<int>(random.below(400));
    std::vector<double> x, y;
    bm::PairSums sums{};
    for (int i = 0; i < n; ++i) {
      const int p = static_cast<int>(random.below(256));
      const int q = (p + static_cast<int>(random.below(200))) % 256;
      x.push_back(p), y.push_back(q);
      sums.n += 1, sums.x += p, sums.y += q, sums.xx += p * p, sums.yy += q * q;
      sums.product += p * q;
    }
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; ++i) mean_x += x[i] / n, mean_y += y[i] / n;
    for (int i = 0; i < n; ++i) {
      xx += (x[i] - mean_x) * (x[i] - mean_x);
      yy += (y[i] - mean_y) * (y[i] - mean_y);
      xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    EXPECT_NEAR(bm::pair_score(BlockCost::kNcc, sums, 0), xy / std::sqrt(xx * yy), 1e-6);
  }
}

TEST(BlockMatchingScore, WholeFloatsOfTheLargestBlocks) {
  const std::int64_t n = bm::kGreatestBlock * bm::kGreatestBlock;
  const bm::PairSums sums{n, n / 2 * 255, n / 2 * 255, n / 2 * 65025, n / 2 * 65025, n / 2 * 65025};
  EXPECT_FLOAT_EQ(bm::pair_score(BlockCost::kNcc, sums, 0), 1);
}

TEST(BlockMatchingThreads, DoNotChangeTheResult) {
  const Texture texture(6);
  const auto first = texture.image(203, 151), second = texture.image(203, 151, 4.3, -2.6);
  const bm::Settings options{.forward_backward = true};
  const Field one = match({first, second}, options, 1);
  for (const int threads : {2, 7}) {
    const Field more = match({first, second}, options, threads);
    EXPECT_TRUE(images_equal(one.u, more.u));
    EXPECT_TRUE(images_equal(one.v, more.v));
    EXPECT_TRUE(images_equal(one.confidence, more.confidence));
  }
}

TEST(BlockMatchingLight, DoesNotMatterToCorrelation) {
  const Texture texture(7);
  const auto first = texture.image(150, 120);
  auto second = texture.image(150, 120, 2.5, 1.5);
  const Errors same = errors_of(match({first, second}, {}), 2.5, 1.5, 12);
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 150; ++x) second.at(x, y) = 0.6F * second.at(x, y) + 60;
  const Errors other = errors_of(match({first, second}, {}), 2.5, 1.5, 12);
  EXPECT_LT(other.mean, same.mean + 0.02);
  const Errors squares = errors_of(match({first, second}, {.cost = BlockCost::kSsd}), 2.5, 1.5, 12);
  EXPECT_GT(squares.mean, other.mean);
}

TEST(BlockMatchingFlat, ImagesHaveNoFlowAndNoConfidence) {
  for (const BlockCost cost : {BlockCost::kSad, BlockCost::kSsd, BlockCost::kNcc})
    for (const float least : {0.0F, 0.5F})
      for (const int step : {1, 2, 7}) {
        Image<float> flat(64, 50);
        for (int y = 0; y < 50; ++y) std::fill_n(flat.row(y), 64, 90.0F);
        const Field field =
            match({flat, flat}, {.cost = cost, .step = step, .least_texture = least});
        const Image<float> zero = [] {
          Image<float> image(64, 50);
          for (int y = 0; y < 50; ++y) std::fill_n(image.row(y), 64, 0.0F);
          return image;
        }();
        EXPECT_TRUE(images_equal(field.u, zero));
        EXPECT_TRUE(images_equal(field.v, zero));
        EXPECT_TRUE(images_equal(field.confidence, zero));
      }
}

TEST(BlockMatchingFlat, PartsAreFilledInFromWhatIsAround) {
  const Texture texture(8);
  auto first = texture.image(160, 120), second = texture.image(160, 120, 3, -2);
  const auto flatten = [](Image<float>& image, int u, int v) {
    for (int y = 45 + v; y < 75 + v; ++y)
      for (int x = 65 + u; x < 95 + u; ++x) image.at(x, y) = 128;
  };
  flatten(first, 0, 0);
  flatten(second, 3, -2);
  const Field field = match({first, second}, {});
  EXPECT_EQ(field.confidence.at(80, 60), 0);
  EXPECT_NEAR(field.u.at(80, 60), 3, 0.5);
  EXPECT_NEAR(field.v.at(80, 60), -2, 0.5);
}

TEST(BlockMatchingTiny, ImagesOfAnySize) {
  const Texture texture(9);
  for (int width = 1; width < 12; ++width)
    for (int height = 1; height < 12; height += 3)
      for (const int block : {2, 7, 16}) {
        const auto first = texture.image(width, height), second = texture.image(width, height, 1);
        const Field field =
            match({first, second}, {.block = block, .step = 1 + block / 5, .levels = 4});
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) {
            ASSERT_TRUE(std::isfinite(field.u.at(x, y)) && std::isfinite(field.v.at(x, y)));
            ASSERT_TRUE(field.confidence.at(x, y) >= 0 && field.confidence.at(x, y) <= 1);
          }
      }
}

TEST(BlockMatchingMask, PixelsLeftOutCountNowhere) {
  const Texture texture(10);
  Random random(11);
  const auto first = texture.image(120, 100), second = texture.image(120, 100, 2, 1);
  Image<std::uint8_t> mask(120, 100);
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 120; ++x) mask.at(x, y) = x < 40 || (y > 30 && x > 60);
  auto noisy_first = clone(first), noisy_second = clone(second);
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 120; ++x)
      if (mask.at(x, y) == 0) {
        noisy_first.at(x, y) = static_cast<float>(random.below(256));
        noisy_second.at(x, y) = std::nanf("");
      }
  const Field clean = match({first, second, mask}, {});
  const Field noisy = match({noisy_first, noisy_second, mask}, {});
  EXPECT_TRUE(images_equal(clean.u, noisy.u));
  EXPECT_TRUE(images_equal(clean.v, noisy.v));
  EXPECT_TRUE(images_equal(clean.confidence, noisy.confidence));
  EXPECT_EQ(clean.u.at(50, 50), 0);
  EXPECT_EQ(clean.confidence.at(50, 50), 0);
  EXPECT_NEAR(clean.u.at(20, 50), 2, 0.1);
  EXPECT_NEAR(clean.v.at(90, 70), 1, 0.1);
}

TEST(BlockMatchingConfidence, OfTheWrongIsLower) {
  const Texture texture(12);
  Random random(13);
  const auto first = texture.image(160, 120);
  auto second = texture.image(160, 120, 2.5, -1.5);
  for (int y = 0; y < 120; ++y)  // a part that is not there any more
    for (int x = 100; x < 140; ++x) second.at(x, y) = static_cast<float>(random.below(256));
  for (const bool back : {false, true}) {
    const Field field = match({first, second}, {.forward_backward = back});
    double good = 0, bad = 0;
    for (int y = 20; y < 100; ++y)
      for (int x = 20; x < 60; ++x)
        good += field.confidence.at(x, y), bad += field.confidence.at(x + 80, y);
    EXPECT_LT(bad, 0.35 * good);
  }
}

// Coarse levels once, the fine ones from their result: the same as all at once.
TEST(BlockMatchingLevels, GoOnFromAStart) {
  const Texture texture(14);
  const Exec exec{.device = Device::cpu()};
  const auto first = texture.image(161, 119), second = texture.image(161, 119, 6.3, -4.2);
  Image<std::uint8_t> mask(161, 119);
  for (int y = 0; y < 119; ++y)
    for (int x = 0; x < 161; ++x) mask.at(x, y) = x < 100 || y > 60;
  for (const bool masked : {false, true})
    for (const int step : {1, 2, 5}) {
      const auto matcher = cpu::make_block_matching({.step = step, .levels = 3});
      const auto used = masked ? mask.view() : ImageView<std::uint8_t>{};
      const auto a = matcher->prepare(first, used, nullptr, exec);
      const auto b = matcher->prepare(second, used, nullptr, exec);
      Field all = make_field(161, 119), coarse = make_field(81, 60), fine = make_field(161, 119);
      matcher->match({*a, *b}, all.view(), exec);
      matcher->match({.first = *a, .second = *b, .last_level = 1}, coarse.view(), exec);
      if (!masked) {
        EXPECT_LT(errors_of(coarse, 3.15, -2.1, 8).mean, 0.15);
      }
      matcher->match({.first = *a, .second = *b, .start = coarse.view(), .start_level = 1},
                     fine.view(), exec);
      EXPECT_TRUE(images_equal(all.u, fine.u)) << step;
      EXPECT_TRUE(images_equal(all.v, fine.v));
      EXPECT_TRUE(images_equal(all.confidence, fine.confidence));
    }
}

// A part of the image that begins at a multiple of 8 pixels of the start's level, with a margin.
TEST(BlockMatchingLevels, OfAPartOfTheImageEqualTheWhole) {
  const Texture texture(19);
  const Exec exec{.device = Device::cpu()};
  const auto first = texture.image(240, 200), second = texture.image(240, 200, 3.3, 5.2);
  const auto matcher = cpu::make_block_matching({});
  const auto a = matcher->prepare(first, {}, nullptr, exec);
  const auto b = matcher->prepare(second, {}, nullptr, exec);
  Field all = make_field(240, 200), coarse = make_field(120, 100), part = make_field(144, 152);
  matcher->match({*a, *b}, all.view(), exec);
  matcher->match({.first = *a, .second = *b, .last_level = 1}, coarse.view(), exec);
  const auto crop = [](ImageView<float> plane) { return plane.crop(48, 24, 72, 76); };
  const auto part_a = matcher->prepare(first.view().crop(96, 48, 144, 152), {}, nullptr, exec);
  const auto part_b = matcher->prepare(second.view().crop(96, 48, 144, 152), {}, nullptr, exec);
  matcher->match({.first = *part_a,
                  .second = *part_b,
                  .start = {crop(coarse.u), crop(coarse.v), crop(coarse.confidence)},
                  .start_level = 1},
                 part.view(), exec);
  // What lies farther from the cut than the matcher says it looks, and than pixels move.
  const int margin = matcher->reach(0) + 6;
  const auto inner = [&](ImageView<float> plane, int x, int y) {
    return plane.crop(x + margin, y + margin, 144 - margin, 152 - margin);
  };
  EXPECT_TRUE(images_equal(inner(all.u, 96, 48), inner(part.u, 0, 0)));
  EXPECT_TRUE(images_equal(inner(all.confidence, 96, 48), inner(part.confidence, 0, 0)));
}

// As tiles of a large image do it: the coarse levels of an image halved beforehand.
TEST(BlockMatchingLevels, OfAnImageHalvedBeforehand) {
  const Texture texture(18);
  const Exec exec{.device = Device::cpu()};
  const auto first = texture.image(160, 120), second = texture.image(160, 120, 6.3, -4.2);
  Image<float> half_first(80, 60), half_second(80, 60);
  gaussian_halve(first, half_first, exec);
  gaussian_halve(second, half_second, exec);
  const auto matcher = cpu::make_block_matching({.levels = 3});
  Field coarse = make_field(80, 60), expected = make_field(80, 60);
  matcher->match({.first = *matcher->prepare(first, {}, nullptr, exec),
                  .second = *matcher->prepare(second, {}, nullptr, exec),
                  .last_level = 1},
                 expected.view(), exec);
  matcher->set_base_level(1);
  matcher->match({*matcher->prepare(half_first, {}, nullptr, exec),
                  *matcher->prepare(half_second, {}, nullptr, exec)},
                 coarse.view(), exec);
  EXPECT_TRUE(images_equal(coarse.u, expected.u));
  EXPECT_TRUE(images_equal(coarse.confidence, expected.confidence));
}

TEST(BlockMatchingLevels, ThatAreNotThereAreNamed) {
  const Texture texture(15);
  const Exec exec{.device = Device::cpu()};
  const auto image = texture.image(64, 64);
  const auto matcher = cpu::make_block_matching({.levels = 2});
  const auto frame = matcher->prepare(image, {}, nullptr, exec);
  Field out = make_field(16, 16);
  try {
    matcher->match({.first = *frame, .second = *frame, .last_level = 2}, out.view(), exec);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("of 2 levels"));
  }
}

TEST(BlockMatchingFrames, AreReusedForOtherSizesAndMasks) {
  const Texture texture(16);
  const Exec exec{.device = Device::cpu()};
  const auto matcher = cpu::make_block_matching({});
  Image<std::uint8_t> mask(90, 70);
  for (int y = 0; y < 70; ++y) std::fill_n(mask.row(y), 90, y > 20 ? 1 : 0);
  const auto other = texture.image(90, 70), first = texture.image(120, 90),
             second = texture.image(120, 90, 1.5, 1);
  auto a = matcher->prepare(other, mask, nullptr, exec);
  a = matcher->prepare(first, {}, std::move(a), exec);
  const auto b = matcher->prepare(second, {}, nullptr, exec);
  Field again = make_field(120, 90);
  matcher->match({*a, *b}, again.view(), exec);
  const Field fresh = match({first, second}, {});
  EXPECT_TRUE(images_equal(again.u, fresh.u));
  EXPECT_TRUE(images_equal(again.confidence, fresh.confidence));
}

TEST(BlockMatchingOptionsError, IsNamed) {
  const auto refused = [](const BlockMatchingOptions& options) {
    return test::message_of<InvalidArgument>(
        [&] { Estimator({.method = Method::kBlockMatching, .bm = options}); });
  };
  EXPECT_THAT(refused({.block = 1}), testing::HasSubstr("bm-block"));
  EXPECT_THAT(refused({.step = 0}), testing::HasSubstr("bm-step"));
  EXPECT_THAT(refused({.range = 65}), testing::HasSubstr("bm-range"));
}

TEST(BlockMatchingQuality, ChoosesWhatHasNoValue) {
  const bm::Settings plain = bm::settle({}, Quality::kDefault), defaults;
  EXPECT_EQ(plain.step, defaults.step);
  EXPECT_EQ(plain.range, defaults.range);
  EXPECT_EQ(plain.refine, defaults.refine);
  EXPECT_EQ(plain.passes, defaults.passes);
  EXPECT_FALSE(plain.forward_backward);
  const bm::Settings fast = bm::settle({.step = 1}, Quality::kFast);
  EXPECT_EQ(fast.step, 1);
  EXPECT_EQ(fast.passes, 1);
  const bm::Settings best = bm::settle({.range = 3}, Quality::kBest);
  EXPECT_EQ(best.range, 3);
  EXPECT_GT(best.refine, plain.refine);
  EXPECT_TRUE(best.forward_backward);
}

TEST(BlockMatchingMedian, OfNineIsTheMiddleOne) {
  Random random(17);
  for (int round = 0; round < test::problems(2000); ++round) {
    float values[9];
    for (float& value : values) value = static_cast<float>(random.below(12));
    std::vector<float> sorted(values, values + 9);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(bm::median9(values), sorted[4]);
  }
}

}  // namespace
}  // namespace fovea::flow
