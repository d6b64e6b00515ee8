// Operations in the order of a caller's stream: the results of a call that waits, while the call
// itself does not; and in a CUDA graph, which replays them on whatever the input then holds.
#include <fovea/ops/convolve.h>
#include <fovea/ops/gradient.h>
#include <fovea/ops/integral.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <fovea/ops/window_histogram.h>

#include <numeric>

#include "core/timing/timing.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

constexpr int kWidth = 301, kHeight = 203, kBins = 8;

Image<std::uint8_t> random_input(int seed, Memory memory) {
  Random random(static_cast<std::uint64_t>(seed));
  return clone(test::random_image<std::uint8_t>(random, kWidth, kHeight), memory);
}

// Every operation once, on one image.
struct Results {
  explicit Results(Memory memory)
      : blurred(kWidth, kHeight, 1, memory),
        blurred_wide(kWidth, kHeight, 1, memory),
        convolved(kWidth, kHeight, 1, memory),
        small(131, 77, 1, memory),
        smoothed(131, 77, 1, memory),
        half((kWidth + 1) / 2, (kHeight + 1) / 2, 1, memory),
        bin(kWidth, kHeight, 1, memory),
        orientation(kWidth, kHeight, 1, memory),
        dx(kWidth, kHeight, 1, memory),
        dy(kWidth, kHeight, 1, memory),
        counts(kWidth, kHeight, kBins, memory),
        magnitude(kWidth, kHeight, 1, memory),
        sums(kWidth + 1, kHeight + 1, 1, memory),
        histogram(kWidth + 1, kHeight + 1, kBins, 1, memory) {}

  void compute(ImageView<const std::uint8_t> image, const Exec& exec) {
    // Large enough not to fit in the arguments of one kernel.
    Image<float> kernel(33, 31);
    for (int y = 0; y < 31; ++y)
      std::iota(kernel.row(y), kernel.row(y) + 33, static_cast<float>(y) - 20);
    gaussian_blur(image, blurred, 1.5, {.exec = exec});
    gaussian_blur(image, blurred_wide, 12, {.exec = exec});
    convolve(image, convolved, kernel, {.exec = exec});
    resize(image, small, {.antialias = false, .exec = exec});
    resize(image, smoothed, {.antialias = true, .exec = exec});
    gaussian_halve(image, half, exec);
    quantize(image, bin, {.levels = kBins, .exec = exec});
    polar_gradient(image, magnitude, orientation, {.bins = kBins, .exec = exec});
    gradient(image, dx, dy, {.exec = exec});
    window_histogram(bin.view(), counts.view(), {.exec = exec});
    integral(image, sums.view(), {.exec = exec});
    integral_histogram(bin, histogram, {.exec = exec});
  }

  Image<std::uint8_t> blurred, blurred_wide;
  Image<float> convolved;
  Image<std::uint8_t> small, smoothed, half, bin, orientation;
  Image<std::int16_t> dx, dy;
  Image<std::uint16_t> counts;
  Image<float> magnitude;
  Image<std::uint32_t> sums;
  Stack<std::uint32_t> histogram;
};

void expect_equal(const Results& a, const Results& b) {
  const auto same = [](const auto& x, const auto& y) {
    return test::images_equal(clone(x), clone(y));
  };
  EXPECT_TRUE(same(a.blurred, b.blurred)) << "gaussian_blur";
  EXPECT_TRUE(same(a.blurred_wide, b.blurred_wide)) << "gaussian_blur, wide";
  EXPECT_TRUE(same(a.convolved, b.convolved)) << "convolve";
  EXPECT_TRUE(same(a.small, b.small)) << "resize";
  EXPECT_TRUE(same(a.smoothed, b.smoothed)) << "resize, antialias";
  EXPECT_TRUE(same(a.half, b.half)) << "gaussian_halve";
  EXPECT_TRUE(same(a.bin, b.bin)) << "quantize";
  EXPECT_TRUE(same(a.magnitude, b.magnitude)) << "polar_gradient";
  EXPECT_TRUE(same(a.orientation, b.orientation)) << "polar_gradient";
  EXPECT_TRUE(same(a.dx, b.dx)) << "gradient";
  EXPECT_TRUE(same(a.dy, b.dy)) << "gradient";
  EXPECT_TRUE(same(a.counts, b.counts)) << "window_histogram";
  EXPECT_TRUE(same(a.sums, b.sums)) << "integral";
  for (int i = 0; i < kBins; ++i)
    EXPECT_TRUE(same(a.histogram.plane(i), b.histogram.plane(i))) << "integral_histogram";
}

TEST(Streams, TheCpuTakesNoNoticeOfAStream) {
  const auto image = random_input(1, Memory::kHost);
  Results without(Memory::kHost), with(Memory::kHost);
  int never_touched = 0;
  without.compute(image, {.device = Device::cpu()});
  with.compute(image, {.device = Device::cpu(), .stream = &never_touched});
  expect_equal(with, without);
}

TEST(Streams, AStreamOfTheCallersOwnGivesTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  const auto image = random_input(1, Memory::kCuda);
  Results waited(Memory::kCuda), streamed(Memory::kCuda);
  waited.compute(image, exec);
  cuda::time_on_device(exec, [&](const Exec& on_stream) { streamed.compute(image, on_stream); });
  expect_equal(streamed, waited);
}

TEST(Streams, DataOnTheHostIsThereWhenTheCallReturns) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  for (const Memory memory : {Memory::kHost, Memory::kPinned}) {
    const auto image = random_input(2, memory);
    Results waited(memory), streamed(memory);
    waited.compute(image, exec);
    cuda::time_on_device(exec, [&](const Exec& on_stream) {
      streamed.compute(image, on_stream);
      expect_equal(streamed, waited);
    });
  }
}

// What the caller does to a pinned input once the call has returned must not reach the result.
TEST(Streams, AnInputOnTheHostMayBeRefilledAtOnce) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  constexpr int kSide = 4000;
  Image<float> image(kSide, kSide, 1, Memory::kPinned), dx(kSide, kSide, 1, Memory::kCuda),
      dy(kSide, kSide, 1, Memory::kCuda);
  const auto fill = [&](float step) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) image.at(x, y) = step * static_cast<float>(x);
  };
  fill(1);
  cuda::time_on_device(exec, [&](const Exec& on_stream) {
    gradient(image, dx, dy, {.exec = on_stream});
    fill(3);
  });
  Image<float> expected(kSide, kSide), ignored(kSide, kSide);
  fill(1);
  gradient(image, expected, ignored, {.exec = exec});
  EXPECT_TRUE(test::images_equal(clone(dx), expected));
}

TEST(Streams, APyramidIsBuiltInTheOrderOfItsStream) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  for (const PyramidFilter filter : {PyramidFilter::kTriangle, PyramidFilter::kGaussian}) {
    for (const Memory from : {Memory::kHost, Memory::kPinned, Memory::kCuda}) {
      for (const Memory to : {Memory::kHost, Memory::kCuda}) {
        const auto image = random_input(3, from);
        Pyramid<std::uint8_t> waited({.filter = filter, .exec = exec}, to);
        waited.build(image);
        cuda::time_on_device(exec, [&](const Exec& on_stream) {
          Image<std::uint8_t> arriving(kWidth, kHeight, 1, from);
          copy(image.view(), arriving.view(), on_stream);
          Pyramid<std::uint8_t> streamed({.filter = filter, .exec = on_stream}, to);
          streamed.build(arriving);
          ASSERT_EQ(streamed.levels(), waited.levels());
          for (int i = 0; i < waited.levels(); ++i) {
            const ImageView<const std::uint8_t> level = streamed.level(i);
            Image<std::uint8_t> fetched(level.width, level.height);
            copy(level, fetched.view(), on_stream);
            EXPECT_TRUE(test::images_equal(fetched, clone(waited.level(i)))) << "level " << i;
          }
        });
      }
    }
  }
}

TEST(Streams, AGraphReplaysOnNewInput) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec exec{.device = Device::cuda()};
  auto image = random_input(4, Memory::kCuda);
  Results replayed(Memory::kCuda), waited(Memory::kCuda);
  replayed.compute(image, exec);  // loads every kernel
  const auto replay = cuda::record_on_device(
      exec, [&](const Exec& on_stream) { replayed.compute(image, on_stream); });
  for (const int seed : {5, 6}) {
    copy(random_input(seed, Memory::kHost).view(), image.view());
    replay();
    waited.compute(image, exec);
    expect_equal(replayed, waited);
  }
}

// More rows than a grid has in y.
TEST(Streams, VeryTallImages) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec cpu{.device = Device::cpu()}, gpu{.device = Device::cuda()};
  constexpr int kTall = 65535 * 32 + 77, kHalf = (kTall + 1) / 2;
  std::vector<std::uint8_t> pixels(kTall);
  Random random(7);
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(kBins));
  const ImageView<const std::uint8_t> image = packed_view(std::as_const(pixels).data(), 1, kTall);
  const auto agree = [&](int height, const auto& operation) {
    std::vector<std::uint8_t> a(static_cast<std::size_t>(height)), b(a.size());
    operation(packed_view(a.data(), 1, height), cpu);
    operation(packed_view(b.data(), 1, height), gpu);
    return a == b;
  };
  using Out = ImageView<std::uint8_t>;
  EXPECT_TRUE(agree(kHalf, [&](Out out, const Exec& exec) { gaussian_halve(image, out, exec); }));
  EXPECT_TRUE(agree(kTall, [&](Out out, const Exec& exec) {
    quantize(image, out, {.levels = 3, .high = kBins, .exec = exec});
  }));
  EXPECT_TRUE(agree(kTall, [&](Out out, const Exec& exec) {
    window_histogram(image, out, {.window = {3, 5}, .exec = exec});
  }));
  Image<float> kernel(1, 3);
  for (int y = 0; y < 3; ++y) kernel.at(0, y) = 1;
  EXPECT_TRUE(agree(
      kTall, [&](Out out, const Exec& exec) { convolve(image, out, kernel, {.exec = exec}); }));
}

}  // namespace
}  // namespace fovea
