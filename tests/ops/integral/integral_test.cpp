// Covers: integral_f32, integral_f64, integral_u32, integral_u64
#include <fovea/core/error.h>
#include <fovea/ops/integral.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <type_traits>

#include "reference/integral.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea {
namespace {

using test::random_image;

class Integral : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Integral);

// Calls test(In{}, Out{}) for every pair of types the operation has.
template <class Test>
void for_each_type(Test test) {
  test(std::uint8_t{}, std::uint32_t{});
  test(std::uint8_t{}, std::int32_t{});
  test(std::uint8_t{}, std::uint64_t{});
  test(std::uint8_t{}, float{});
  test(std::uint8_t{}, double{});
  test(std::uint16_t{}, std::uint64_t{});
  test(std::uint16_t{}, double{});
  test(std::uint32_t{}, std::uint32_t{});
  test(std::uint32_t{}, std::uint64_t{});
  test(float{}, float{});
  test(float{}, double{});
  test(double{}, double{});
}

// Integers modulo their range, floating point to a relative rounding error that grows with the
// number of additions.
template <class Out, class Sum>
testing::AssertionResult agrees(Out is, Sum expected) {
  if constexpr (std::is_integral_v<Out>) {
    if (is == static_cast<Out>(expected)) return testing::AssertionSuccess();
  } else {
    const double relative = sizeof(Out) == 4 ? 1e-5 : 1e-12;
    const auto wanted = static_cast<double>(expected);
    if (std::abs(static_cast<double>(is) - wanted) <= relative * std::abs(wanted))
      return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << is << " instead of " << static_cast<double>(expected);
}

template <class In, class Out>
testing::AssertionResult equals_reference(StackView<const In> images, StackView<const Out> sums,
                                          const IntegralOptions& options) {
  const int shift = options.kind == IntegralKind::kInclusive ? 1 : 0;
  for (int i = 0; i < images.count; ++i)
    for (int c = 0; c < images.channels; ++c) {
      const reference::Integral<In> expected(images.plane(i), c, options.squares);
      for (int y = 0; y < sums.height; ++y)
        for (int x = 0; x < sums.width; ++x)
          if (const auto same =
                  agrees(sums.plane(i).at(x, y, c), expected.at(x + shift, y + shift));
              !same)
            return testing::AssertionFailure()
                   << "image " << i << " channel " << c << " at " << x << ' ' << y << " of "
                   << sums.width << 'x' << sums.height << ": " << same.message();
    }
  return testing::AssertionSuccess();
}

// A stack whose rows and planes lie apart by odd distances, filled with what no sum is.
template <class T>
struct Strided {
  Strided(Random& random, int width, int height, int count, int channels)
      : stride(width * channels + static_cast<int>(random.below(9))),
        offset(static_cast<int>(random.below(5))),
        plane_stride(stride * height + static_cast<int>(random.below(7))),
        pixels(static_cast<std::size_t>(plane_stride * count + offset)),
        view{pixels.data() + offset, width, height, count, channels, stride, plane_stride} {
    for (T& pixel : pixels) {
      if constexpr (std::is_floating_point_v<T>) pixel = static_cast<T>(random.uniform());
      else pixel = static_cast<T>(random.bits());
    }
  }
  std::ptrdiff_t stride, offset, plane_stride;
  Array<T> pixels;
  StackView<T> view;
};

TEST_P(Integral, OfOnesCountsThePixels) {
  const Exec exec{.device = device()};
  Image<std::uint8_t> ones(301, 203);
  for (int y = 0; y < 203; ++y) std::fill_n(ones.row(y), 301, std::uint8_t{1});
  Image<std::uint32_t> exclusive(302, 204), inclusive(301, 203);
  integral(ones, exclusive, {.exec = exec});
  integral(ones, inclusive, {.kind = IntegralKind::kInclusive, .exec = exec});
  for (int y = 0; y < 204; ++y)
    for (int x = 0; x < 302; ++x) ASSERT_EQ(exclusive.at(x, y), x * y);
  for (int y = 0; y < 203; ++y)
    for (int x = 0; x < 301; ++x) ASSERT_EQ(inclusive.at(x, y), (x + 1) * (y + 1));
}

TEST_P(Integral, EqualsTextbookForEveryTypeSizeChannelsAndStride) {
  Random random(1);
  for_each_type([&](auto in, auto out) {
    for (int round = 0; round < 24; ++round) {
      const auto [width, height] = test::random_size(random);
      const int count = 1 + static_cast<int>(random.below(3)), channels = 1 + round % 4;
      const IntegralOptions options{.kind = static_cast<IntegralKind>(round / 4 % 2),
                                    .squares = round / 8 % 2 == 1,
                                    .exec = {.device = device(), .threads = 1 + round % 3}};
      const int more = options.kind == IntegralKind::kExclusive ? 1 : 0;
      Strided<decltype(in)> images(random, width, height, count, channels);
      Strided<decltype(out)> sums(random, width + more, height + more, count, channels);
      integral(images.view, sums.view, options);
      ASSERT_TRUE(equals_reference<decltype(in)>(
          images.view, StackView<const decltype(out)>(sums.view), options))
          << sizeof(in) << " to " << sizeof(out) << " bytes";
    }
  });
}

TEST_P(Integral, EqualsTextbookForLargeImages) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  Random random(2);
  for_each_type([&](auto in, auto out) {
    const IntegralOptions options{.exec = {.device = device(), .threads = 3}};
    const auto image = random_image<decltype(in)>(random, 1000, 700);
    Image<decltype(out)> sums(1001, 701);
    integral(image, sums, options);
    EXPECT_TRUE((equals_reference<decltype(in), decltype(out)>(
        StackView<const decltype(in)>(image.view()),
        StackView<const decltype(out)>(std::as_const(sums).view()), options)));
  });
}

// Widths and heights around the tiles of the GPU and the strips of the CPU.
TEST_P(Integral, EqualsTextbookAroundTileBorders) {
  Random random(3);
  for (const int width : {127, 128, 255, 256, 257, 511, 512, 769, 4097})
    for (const int height : {31, 33, 63, 64, 65, 129, 300}) {
      const auto kind = static_cast<IntegralKind>(random.below(2));
      const int more = kind == IntegralKind::kExclusive ? 1 : 0;
      const int channels = width < 600 ? 1 + static_cast<int>(random.below(4)) : 1;
      const IntegralOptions options{.kind = kind, .exec = {.device = device(), .threads = 2}};
      const auto image = random_image<std::uint8_t>(random, width, height, channels);
      Image<std::uint32_t> sums(width + more, height + more, channels);
      integral(image, sums, options);
      ASSERT_TRUE((equals_reference<std::uint8_t, std::uint32_t>(
          StackView<const std::uint8_t>(image.view()),
          StackView<const std::uint32_t>(std::as_const(sums).view()), options)));
    }
}

TEST_P(Integral, CropsReadAndWriteOnlyThemselves) {
  Random random(4);
  auto image = random_image<float>(random, 90, 70);
  Image<float> sums(120, 100);
  for (int y = 0; y < 100; ++y) std::fill_n(sums.row(y), 120, -1.0F);
  const auto part = image.view().crop(7, 5, 61, 43);
  const auto target = sums.view().crop(11, 13, 62, 44);
  const IntegralOptions options{.exec = {.device = device()}};
  integral(part, target, options);
  EXPECT_TRUE((equals_reference<float, float>(
      StackView<const float>(ImageView<const float>(part)),
      StackView<const float>(ImageView<const float>(target)), options)));
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 120; ++x) {
      const bool inside = x >= 11 && x < 73 && y >= 13 && y < 57;
      ASSERT_TRUE(inside || sums.at(x, y) == -1.0F) << x << ' ' << y;
    }
}

TEST_P(Integral, RectangleSumsAreRightThoughTheTableWraps) {
  Image<std::uint32_t> image(200, 150), sums(201, 151);
  Random random(5);
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x) image.at(x, y) = random.bits() >> 4;
  integral(image, sums, {.exec = {.device = device()}});
  for (int round = 0; round < 50; ++round) {
    const int w = 1 + static_cast<int>(random.below(4)), h = 1 + static_cast<int>(random.below(4));
    const int x = static_cast<int>(random.below(197)), y = static_cast<int>(random.below(147));
    std::uint32_t expected = 0;
    for (int j = y; j < y + h; ++j)
      for (int i = x; i < x + w; ++i) expected += image.at(i, j);
    EXPECT_EQ(rectangle_sum(sums.view(), x, y, w, h), expected);
  }
}

TEST_P(Integral, ARowMayAddUpToMoreThan32Bits) {
  constexpr int kWidth = 17'000'000;
  Image<std::uint8_t> row(kWidth, 1);
  std::fill_n(row.row(0), kWidth, std::uint8_t{255});
  const IntegralOptions options{.kind = IntegralKind::kInclusive, .exec = {.device = device()}};
  const auto adds_up = [&]<class Out>(Out) {
    Image<Out> sums(kWidth, 1);
    integral(row, sums, options);
    for (int x = 0; x < kWidth; x += 999)
      ASSERT_EQ(sums.at(x, 0), static_cast<Out>(255 * (std::int64_t{x} + 1))) << x;
  };
  adds_up(std::uint64_t{});
  adds_up(double{});
}

TEST(IntegralThreads, DoNotChangeTheResult) {
  Random random(6);
  for (const int channels : {1, 3}) {
    const auto image = random_image<float>(random, 1501, 203, channels);
    Image<float> one(1502, 204, channels), many(1502, 204, channels);
    integral(image, one, {.exec = {.device = Device::cpu(), .threads = 1}});
    for (const int threads : {2, 7}) {
      integral(image, many, {.exec = {.device = Device::cpu(), .threads = threads}});
      EXPECT_TRUE(test::images_equal(one, many));
    }
  }
}

TEST(IntegralThreads, StopWhenAskedTo) {
  Image<float> image(300, 200), sums(301, 201);
  std::stop_source source;
  source.request_stop();
  for (const int threads : {1, 4})
    EXPECT_THROW(
        integral(
            image, sums,
            {.exec = {.device = Device::cpu(), .threads = threads, .stop = source.get_token()}}),
        Cancelled);
}

TEST(IntegralParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(7);
  for_each_type([&](auto in, auto out) {
    using Out = decltype(out);
    for (int round = 0; round < 6; ++round) {
      const auto [width, height] = test::random_size(random, 1500);
      const int channels = round < 3 ? 1 : round - 1;
      const auto image = random_image<decltype(in)>(random, width, height, channels);
      Image<Out> sums(width + 1, height + 1, channels), on_cuda(width + 1, height + 1, channels);
      integral(image, sums, {.exec = {.device = Device::cpu()}});
      integral(image, on_cuda, {.exec = {.device = Device::cuda()}});
      for (int y = 0; y <= height; ++y)
        for (int i = 0; i < (width + 1) * channels; ++i)
          ASSERT_TRUE(agrees(on_cuda.row(y)[i], sums.row(y)[i])) << i << ' ' << y;
    }
  });
}

TEST(IntegralParity, CudaGivesTheSameBitsInEveryRun) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(8);
  const auto image = clone(random_image<float>(random, 4099, 4111), Memory::kCuda);
  Image<float> sums(4100, 4112, 1, Memory::kCuda);
  integral(image, sums);
  const auto first = clone(sums);
  for (int run = 0; run < 20; ++run) {
    integral(image, sums);
    ASSERT_TRUE(test::images_equal(clone(sums), first));
  }
}

TEST(IntegralParity, StacksOnTheDeviceRunInOneCall) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(9);
  constexpr int kWidth = 333, kHeight = 277, kCount = 40;
  Stack<std::uint8_t> images(kWidth, kHeight, kCount);
  for (int i = 0; i < kCount; ++i)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        images.plane(i).at(x, y) = static_cast<std::uint8_t>(random.bits());
  Stack<std::uint8_t> device_images(kWidth, kHeight, kCount, 1, Memory::kCuda);
  copy(images.view(), device_images.view());
  Stack<std::uint32_t> sums(kWidth + 1, kHeight + 1, kCount), back(kWidth + 1, kHeight + 1, kCount),
      device_sums(kWidth + 1, kHeight + 1, kCount, 1, Memory::kCuda);
  integral(images.view(), sums.view(), {.exec = {.device = Device::cpu()}});
  integral(device_images.view(), device_sums.view());
  copy(device_sums.view(), back.view());
  for (int i = 0; i < kCount; ++i)
    EXPECT_TRUE(test::images_equal(back.plane(i), sums.plane(i))) << i;
}

TEST(IntegralError, NamesTheSizeItExpects) {
  Image<float> image(8, 6), same(8, 6), larger(9, 7);
  const Exec exec{.device = Device::cpu()};
  EXPECT_THAT(
      [&] { integral(image, same, {.exec = exec}); },
      testing::ThrowsMessage<InvalidArgument>(testing::AllOf(
          testing::HasSubstr("sums"), testing::HasSubstr("8x6"), testing::HasSubstr("9x7"))));
  EXPECT_THROW(integral(image, larger, {.kind = IntegralKind::kInclusive, .exec = exec}),
               InvalidArgument);
}

TEST(IntegralError, NamesTheNumberOfPlanes) {
  Stack<float> images(8, 6, 3), sums(9, 7, 2);
  EXPECT_THAT([&] { integral(images.view(), sums.view(), {.exec = {.device = Device::cpu()}}); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::AllOf(testing::HasSubstr("2 planes"), testing::HasSubstr("3 images"))));
}

TEST(IntegralError, RefusesFiveChannels) {
  Image<float> image(8, 6, 5), sums(9, 7, 5);
  EXPECT_THROW(integral(image, sums, {.exec = {.device = Device::cpu()}}), InvalidArgument);
}

}  // namespace
}  // namespace fovea
