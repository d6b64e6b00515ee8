#include <fovea/io/samples.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::io {
namespace {

TEST(Samples, AreRoundedAndLimited) {
  Image<float> values(4, 1);
  values.at(0, 0) = -3;
  values.at(1, 0) = 1.6F;
  values.at(2, 0) = 300;
  values.at(3, 0) = std::nanf("");
  const auto bytes = samples_from<std::uint8_t>(values);
  EXPECT_THAT(std::vector(bytes.row(0), bytes.row(0) + 4), testing::ElementsAre(0, 2, 255, 0));
}

TEST(Samples, KeepTheirValuesInAnotherType) {
  Image<std::int16_t> image(2, 2, 2);
  for (int y = 0; y < 2; ++y)
    for (int i = 0; i < 4; ++i) image.row(y)[i] = static_cast<std::int16_t>(100 * y - 3 * i);
  const auto values = samples_as<float>(image.view());
  EXPECT_EQ(values.channels(), 2);
  EXPECT_EQ(values.at(1, 0, 1), -9);
  EXPECT_EQ(values.at(0, 1, 0), 100);
  const auto back = samples_from<std::int16_t>(values);
  for (int y = 0; y < 2; ++y)
    for (int i = 0; i < 4; ++i) EXPECT_EQ(back.row(y)[i], image.row(y)[i]);
}

}  // namespace
}  // namespace fovea::io
