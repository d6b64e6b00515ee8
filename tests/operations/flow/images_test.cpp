#include "operations/flow/images.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::operations {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(FlowImages, ImagesOfAnyKindBecomeOnesThatEstimatorsTake) {
  EXPECT_EQ(flow_image({Image<std::uint8_t>(3, 2, 3)}).type(), io::SampleType::kUint8);
  EXPECT_EQ(flow_image({Image<std::uint16_t>(3, 2)}).type(), io::SampleType::kUint16);
  EXPECT_EQ(flow_image({Image<double>(3, 2)}).type(), io::SampleType::kFloat32);
  EXPECT_EQ(flow_image({Image<std::uint32_t>(3, 2)}).type(), io::SampleType::kFloat32);
  EXPECT_THROW(flow_image({Image<std::uint8_t>(3, 2, 5)}), InvalidArgument);
}

TEST(FlowImages, APairHasOneSizeAndOneKindOfSample) {
  const test::TempFolder folder;
  Random random(1);
  io::write_image(folder / "a.png", test::random_image<std::uint8_t>(random, 9, 7));
  io::write_image(folder / "b.png", test::random_image<std::uint16_t>(random, 9, 7));
  io::write_image(folder / "c.png", test::random_image<std::uint8_t>(random, 7, 9));
  EXPECT_EQ(read_pair(pair_source(folder / "a.png", folder / "a.png")).first.type(),
            io::SampleType::kUint8);
  const ImagePair mixed = read_pair(pair_source(folder / "a.png", folder / "b.png"));
  EXPECT_EQ(mixed.first.type(), io::SampleType::kFloat32);
  EXPECT_EQ(mixed.second.type(), io::SampleType::kFloat32);
  EXPECT_THAT(
      message_of<FormatError>([&] { read_pair(pair_source(folder / "a.png", folder / "c.png")); }),
      HasSubstr("c.png is 7x9; a pair has one size"));
}

TEST(FlowImages, AnImageWithAValueThatIsNotFiniteIsNamedWithItsPixel) {
  const test::TempFolder folder;
  Random random(1);
  const auto clean = test::random_image<float>(random, 9, 7);
  io::write_image(folder / "a.pfm", clean);
  for (const char* name : {"b.npy", "b.pfm", "b.tif"}) {
    auto image = clone(clean);
    image.at(5, 2) = std::numeric_limits<float>::quiet_NaN();
    io::write_image(folder / name, image);
    EXPECT_THAT(
        message_of<FormatError>([&] { read_pair(pair_source(folder / name, folder / "a.pfm")); }),
        HasSubstr(std::string(name) + ": pixel (5, 2) is nan"));
    EXPECT_THAT(
        message_of<FormatError>([&] { read_pair(pair_source(folder / "a.pfm", folder / name)); }),
        HasSubstr(std::string(name) + ": pixel (5, 2) is nan"));
    Image<std::uint8_t> mask(9, 7);
    for (int y = 0; y < 7; ++y) std::fill_n(mask.row(y), 9, std::uint8_t{255});
    mask.at(5, 2) = 0;
    EXPECT_NO_THROW(read_pair(pair_source(folder / name, folder / "a.pfm"), mask.view()));
  }
}

TEST(FlowImages, AMaskIsGrayBytes) {
  Image<std::uint8_t> color(2, 1, 3);
  std::fill_n(color.row(0), 6, std::uint8_t{0});
  color.at(1, 0, 1) = 200;
  const Image<std::uint8_t> mask = as_mask("m.png", {std::move(color)});
  EXPECT_EQ(mask.channels(), 1);
  EXPECT_EQ(mask.at(0, 0), 0);
  EXPECT_GT(mask.at(1, 0), 0);
  EXPECT_THAT(message_of<FormatError>([] { as_mask("m.tif", {Image<std::uint8_t>(2, 1, 5)}); }),
              HasSubstr("m.tif: has 5 channels"));
}

}  // namespace
}  // namespace fovea::operations
