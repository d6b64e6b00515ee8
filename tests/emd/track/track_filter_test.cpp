// Covers: track_filter_cpu, track_filter_cuda, track_filter_engine, track_filter_math
#include "emd/track/track_filter.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "support/devices.h"

namespace fovea::emd {
namespace {

// A pattern of `size` pixels per wave around (x, y) on another one.
Image<std::uint8_t> waves(double x, double y, double size) {
  Image<std::uint8_t> image(120, 90);
  for (int j = 0; j < 90; ++j) {
    for (int i = 0; i < 120; ++i) {
      const double dx = (i + 0.5 - x) / size, dy = (j + 0.5 - y) / size;
      const bool inside = std::max(std::abs(dx), std::abs(dy)) <= 1;
      const double value = inside ? 128 + 100 * std::sin(5 * dx + 2 * dy * dy) * std::cos(4 * dy)
                                  : 90 + 20 * std::sin(0.15 * i + 0.02 * j * j);
      image.at(i, j) = static_cast<std::uint8_t>(value);
    }
  }
  return image;
}

// A filter and the frames that it looks at, on one device.
class EmdTrackFilter : public test::OnEveryPlace {
 protected:
  using Frame = Image<std::uint8_t>;

  Frame there(const Frame& image) const {
    return clone(image.view(), device().kind == DeviceKind::kCuda ? Memory::kCuda : Memory::kHost);
  }
  EdgeFilter learned(const Frame& image, double size = 24) const {
    Exec exec;
    exec.device = device();
    return {there(image).view(), {60, 45, 1}, size, size, exec};
  }
  void look(EdgeFilter& filter, const Frame& image) const {
    filter.look(there(image).view(), {60, 45, 1});
  }
  double matched(EdgeFilter& filter, const Frame& image, double scale = 1) const {
    const FilterPlace place{60, 45, scale};
    filter.see(there(image).view(), std::span(&place, 1));
    return filter.match(0);
  }
};
FOVEA_ON_EVERY_PLACE(EmdTrackFilter);

TEST_P(EmdTrackFilter, AnswersOneWhereItLearnedAndLittleElsewhere) {
  const auto image = waves(60, 45, 12);
  EdgeFilter filter = learned(image);
  look(filter, image);
  EXPECT_NEAR(filter.response(60, 45), 1, 0.1);
  EXPECT_NEAR(filter.highest_in({0, 0, 120, 90}), filter.response(60, 45), 0.01);
  EXPECT_NEAR(filter.highest_in({54, 39, 12, 12}), filter.response(60, 45), 0.01);
  EXPECT_LT(filter.response(75, 45), 0.2);
  EXPECT_EQ(filter.response(500, 45), 0);
}

TEST_P(EmdTrackFilter, FindsAMovedTarget) {
  EdgeFilter filter = learned(waves(60, 45, 12));
  look(filter, waves(66, 41, 12));
  double most = -1, x = 0, y = 0;
  for (int dy = -12; dy <= 12; ++dy) {
    for (int dx = -12; dx <= 12; ++dx) {
      const double response = filter.response(60 + dx, 45 + dy);
      if (response <= most) continue;
      most = response;
      x = 60 + dx;
      y = 45 + dy;
    }
  }
  EXPECT_NEAR(x, 66, 1);
  EXPECT_NEAR(y, 41, 1);
  EXPECT_GT(most, 0.4);
  EXPECT_NEAR(filter.highest_in({62, 37, 8, 8}), most, 0.05);
  EXPECT_LT(filter.highest_in({50, 47, 8, 8}), 0.5 * most);  // not near the target
  EXPECT_EQ(filter.highest_in({500, 45, 10, 10}), 0);
}

TEST_P(EmdTrackFilter, MatchIsTheResponseOfThePlace) {
  const auto second = waves(61, 45, 12.4);
  EdgeFilter filter = learned(waves(60, 45, 12));
  look(filter, second);
  EXPECT_NEAR(matched(filter, second), filter.response(60, 45), 1e-3);
}

TEST_P(EmdTrackFilter, TheRightScaleMatchesBest) {
  EdgeFilter filter = learned(waves(60, 45, 12));
  const auto grown = waves(60, 45, 14.4);
  const double right = matched(filter, grown, 1.2);
  EXPECT_GT(right, matched(filter, grown));
  EXPECT_GT(right, matched(filter, grown, 1.4));
}

TEST_P(EmdTrackFilter, LearnsWhatItIsShown) {
  const auto second = waves(60, 45, 7);
  EdgeFilter filter = learned(waves(60, 45, 12));
  const double before = matched(filter, second);
  filter.learn(0, 0.5);
  EXPECT_GT(matched(filter, second), before);
  filter.learn(0, 1);
  EXPECT_NEAR(matched(filter, second), 1, 0.1);
}

// All numbers that a filter gives in a few frames.
std::vector<double> numbers_of(const Device& device, int channels, double size) {
  Exec exec;
  exec.device = device;
  const Memory memory = device.kind == DeviceKind::kCuda ? Memory::kCuda : Memory::kHost;
  const auto frame = [&](double x, double y, double half) {
    const auto gray = waves(x, y, half);
    Image<std::uint8_t> image(gray.width(), gray.height(), channels);
    for (int j = 0; j < image.height(); ++j)
      for (int i = 0; i < image.width(); ++i)
        for (int k = 0; k < channels; ++k)
          image.at(i, j, k) = static_cast<std::uint8_t>((gray.at(i, j) + 31 * k) % 256);
    return clone(image.view(), memory);
  };
  std::vector<double> numbers;
  EdgeFilter filter(frame(52, 40, size / 2).view(), {52, 40, 1}, size, 1.5 * size, exec);
  for (int i = 1; i < 4; ++i) {
    const double x = 52 + 2 * i, y = 40 + i, scale = 1 + 0.03 * i;
    const auto image = frame(x, y, size * scale / 2);
    filter.look(image.view(), {x - 2, y - 1, scale});
    for (int dy = -20; dy <= 20; dy += 4)
      for (int dx = -20; dx <= 20; dx += 4) numbers.push_back(filter.response(x + dx, y + dy));
    numbers.push_back(filter.highest_in({x - 10, y - 10, 20, 20}));
    const std::array<FilterPlace, 3> places{
        {{x, y, scale}, {x, y, scale / 1.03}, {x, y, scale * 1.03}}};
    filter.see(image.view(), places);
    for (std::size_t k = 0; k < places.size(); ++k) numbers.push_back(filter.match(k));
    filter.learn(static_cast<std::size_t>(i - 1), 0.1 * i);
  }
  return numbers;
}

TEST(EmdTrackFilterParity, TwinsAreEqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int channels : {1, 3}) {
    // From squares that are enlarged to ones that reach far beyond the frame.
    for (const double size : {5.0, 24.0, 61.0, 220.0})
      EXPECT_EQ(numbers_of(Device::cuda(0), channels, size),
                numbers_of(Device::cpu(), channels, size))
          << channels << " channels, " << size << " pixels";
  }
}

}  // namespace
}  // namespace fovea::emd
