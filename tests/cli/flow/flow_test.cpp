#include "cli/flow/flow.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <limits>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(FlowVerbs, WorkingMemoryIsWhatCameAndWent) {
  EXPECT_GT(peak_memory_bytes(), 1U << 20U);
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const MemoryWatch watch;
  {
    std::vector<char> work(kBytes);
    for (std::size_t i = 0; i < kBytes; i += 512) work[i] = static_cast<char>(i);
    EXPECT_GE(work[512 * 3], 0);
  }
  const auto working = static_cast<double>(watch.working_bytes(0));
  EXPECT_GT(working, 0.8 * kBytes);
  EXPECT_LT(working, 2.0 * kBytes);
  EXPECT_LT(static_cast<double>(watch.working_bytes(kBytes)), 0.8 * kBytes);
}

TEST(FlowVerbs, PicturesAreKindsAndFiles) {
  EXPECT_TRUE(picture_files({}).empty());
  const std::vector<WordAndFile> words{{"wheel", "a.png"}, {"warp", "b=c.png"}};
  const auto pictures = picture_files(words);
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[0].kind, FlowPicture::kWheel);
  EXPECT_EQ(pictures[0].path, "a.png");
  EXPECT_EQ(pictures[1].kind, FlowPicture::kWarp);
  EXPECT_EQ(pictures[1].path, "b=c.png");
  for (const char* word : {"wheels", "error", ""}) {
    const std::vector<WordAndFile> wrong{{word, "a.png"}};
    EXPECT_THAT(message_of<InvalidArgument>([&] { picture_files(wrong); }),
                HasSubstr("expected wheel, arrows, warp or confidence"))
        << word;
  }
}

TEST(FlowVerbs, ImagesOfAnyKindBecomeOnesThatEstimatorsTake) {
  EXPECT_EQ(flow_image({Image<std::uint8_t>(3, 2, 3)}).type(), io::SampleType::kUint8);
  EXPECT_EQ(flow_image({Image<std::uint16_t>(3, 2)}).type(), io::SampleType::kUint16);
  EXPECT_EQ(flow_image({Image<double>(3, 2)}).type(), io::SampleType::kFloat32);
  EXPECT_EQ(flow_image({Image<std::uint32_t>(3, 2)}).type(), io::SampleType::kFloat32);
  EXPECT_THROW(flow_image({Image<std::uint8_t>(3, 2, 5)}), InvalidArgument);
}

TEST(FlowVerbs, APairHasOneSizeAndOneKindOfSample) {
  const test::TempFolder folder;
  Random random(1);
  io::write_image(folder / "a.png", test::random_image<std::uint8_t>(random, 9, 7));
  io::write_image(folder / "b.png", test::random_image<std::uint16_t>(random, 9, 7));
  io::write_image(folder / "c.png", test::random_image<std::uint8_t>(random, 7, 9));
  EXPECT_EQ(read_pair(folder / "a.png", folder / "a.png").first.type(), io::SampleType::kUint8);
  const ImagePair mixed = read_pair(folder / "a.png", folder / "b.png");
  EXPECT_EQ(mixed.first.type(), io::SampleType::kFloat32);
  EXPECT_EQ(mixed.second.type(), io::SampleType::kFloat32);
  EXPECT_THAT(message_of<FormatError>([&] { read_pair(folder / "a.png", folder / "c.png"); }),
              HasSubstr("c.png is 7x9; a pair has one size"));
}

TEST(FlowVerbs, AnImageWithAValueThatIsNotFiniteIsNamedWithItsPixel) {
  const test::TempFolder folder;
  Random random(1);
  const auto clean = test::random_image<float>(random, 9, 7);
  io::write_image(folder / "a.pfm", clean);
  for (const char* name : {"b.npy", "b.pfm", "b.tif"}) {
    auto image = clone(clean);
    image.at(5, 2) = std::numeric_limits<float>::quiet_NaN();
    io::write_image(folder / name, image);
    EXPECT_THAT(message_of<FormatError>([&] { read_pair(folder / name, folder / "a.pfm"); }),
                HasSubstr(std::string(name) + ": pixel (5, 2) is nan"));
    EXPECT_THAT(message_of<FormatError>([&] { read_pair(folder / "a.pfm", folder / name); }),
                HasSubstr(std::string(name) + ": pixel (5, 2) is nan"));
    Image<std::uint8_t> mask(9, 7);
    for (int y = 0; y < 7; ++y) std::fill_n(mask.row(y), 9, std::uint8_t{255});
    mask.at(5, 2) = 0;
    EXPECT_NO_THROW(read_pair(folder / name, folder / "a.pfm", mask.view()));
  }
}

TEST(FlowVerbs, AMaskIsGrayBytes) {
  const test::TempFolder folder;
  EXPECT_TRUE(read_mask("").empty());
  Image<std::uint8_t> color(2, 1, 3);
  std::fill_n(color.row(0), 6, std::uint8_t{0});
  color.at(1, 0, 1) = 200;
  io::write_image(folder / "m.png", color);
  const Image<std::uint8_t> mask = read_mask(folder / "m.png");
  EXPECT_EQ(mask.channels(), 1);
  EXPECT_EQ(mask.at(0, 0), 0);
  EXPECT_GT(mask.at(1, 0), 0);
}

}  // namespace
}  // namespace fovea::cli
