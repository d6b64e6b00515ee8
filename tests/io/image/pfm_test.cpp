#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <cmath>
#include <limits>

#include "support/files.h"
#include "support/hostile.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using test::as_bytes;
using test::images_equal;
using test::load;
using test::message_of;
using test::random_image;
using test::TempFolder;
using testing::HasSubstr;

TEST(Pfm, RoundTrips) {
  const TempFolder folder;
  Random random(1);
  for (const int channels : {1, 3}) {
    auto image = random_image<float>(random, 7, 5, channels);
    image.at(0, 0) = std::numeric_limits<float>::infinity();
    write_image(folder / "a.pfm", image);
    const AnyImage back = read_image(folder / "a.pfm");
    EXPECT_TRUE(images_equal(std::get<Image<float>>(back.pixels), image));
    EXPECT_EQ(back.facts.format, ImageFormat::kPfm);
    EXPECT_EQ(image_info(folder / "a.pfm").channels, channels);
  }
}

TEST(Pfm, ReadsBothByteOrdersFromTheBottomUp) {
  const std::string little = "Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40"s;
  const std::string big = "Pf\n1 2\n1.0\n\x3f\x80\0\0\x40\0\0\0"s;
  for (const std::string& file : {little, big}) {
    const auto image = to_float(read_image(as_bytes(file), "pfm"));
    EXPECT_EQ(image.at(0, 1), 1);
    EXPECT_EQ(image.at(0, 0), 2);
  }
}

TEST(Pfm, SurvivesHostileFiles) {
  const TempFolder folder;
  Random random(2);
  write_image(folder / "a.pfm", random_image<float>(random, 3, 2, 3));
  test::expect_truncations_refused(load(folder / "a.pfm"));
  test::expect_corruptions_survived(load(folder / "a.pfm"));
}

TEST(Pfm, SaysWhatIsWrong) {
  const auto message = [](const std::string& file) {
    return message_of<FormatError>([&] { read_image(as_bytes(file), "x.pfm"); });
  };
  EXPECT_THAT(message("Pf\n1 2\n0\n12345678"), HasSubstr("x.pfm: has the scale 0"));
  EXPECT_THAT(message("Pf\n1 2\nnan\n12345678"), HasSubstr("scale"));
  EXPECT_THAT(message("Pf\n-1 2\n1\n12345678"), HasSubstr("width"));
  EXPECT_THAT(message("Pf\n9000 9000\n1\n12345678"),
              test::says("324000000", "byte 15", "8 are there"));
}

TEST(Pfm, RefusesWhatItCannotHold) {
  const TempFolder folder;
  EXPECT_THROW(write_image(folder / "a.pfm", Image<std::uint8_t>(2, 2)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.pfm", Image<float>(2, 2, 2)), InvalidArgument);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace fovea::io
