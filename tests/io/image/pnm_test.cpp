#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <class T = std::uint8_t>
std::vector<int> samples(const std::string& file) {
  const AnyImage image = read_image(as_bytes(file), "pnm");
  const auto& pixels = std::get<Image<T>>(image.pixels);
  std::vector<int> values;
  for (int y = 0; y < pixels.height(); ++y)
    values.insert(values.end(), pixels.row(y), pixels.row(y) + pixels.width() * pixels.channels());
  return values;
}

TEST(Pnm, ReadsEveryKind) {
  EXPECT_THAT(samples("P1\n# a comment\n3 2\n1 0 1\n010"), ElementsAre(0, 255, 0, 255, 0, 255));
  EXPECT_THAT(samples("P2 2 2 255 1 2\n3 255"), ElementsAre(1, 2, 3, 255));
  EXPECT_THAT(samples("P3\n1 2\n15\n0 5 15 1 2 3\n"), ElementsAre(0, 85, 255, 17, 34, 51));
  EXPECT_THAT(samples("P4\n9 2\n\xa0\x80\x01\x00"s),
              ElementsAre(0, 255, 0, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255,
                          0, 255));
  EXPECT_THAT(samples("P5 2 1 255\n\x01\xff"), ElementsAre(1, 255));
  EXPECT_THAT(samples("P5#c\n2 1#c\n255\n\x01\xff"), ElementsAre(1, 255));
  EXPECT_THAT(samples("P6\n1\n1\n255\nabc"), ElementsAre('a', 'b', 'c'));
  EXPECT_THAT(samples("P7\nWIDTH 1\nHEIGHT 1\n# c\nDEPTH 2\nMAXVAL 255\nTUPLTYPE "
                      "GRAYSCALE_ALPHA\nENDHDR\nab"),
              ElementsAre('a', 'b'));
}

TEST(Pnm, KeepsWideValuesAndSaysWhatWhiteIs) {
  const std::string file = "P5 2 1 1023 \x03\xff\x01\x00"s;
  EXPECT_THAT(samples<std::uint16_t>(file), ElementsAre(1023, 256));
  const AnyImage image = read_image(as_bytes(file), "pnm");
  EXPECT_EQ(image.facts.white, 1023);
  EXPECT_EQ(image.facts.bits, 10);
  EXPECT_EQ(to_bytes(image).at(0, 0), 255);
  EXPECT_FLOAT_EQ(to_float(image).at(1, 0), 256.0F / 1023);
  EXPECT_THAT(samples<std::uint16_t>("P2 2 1 300 300 7"), ElementsAre(300, 7));
}

TEST(Pnm, RoundTrips) {
  const TempFolder folder;
  Random random(1);
  for (const char* name : {"a.pgm", "a.ppm", "a.pnm", "a.pam"}) {
    const int channels = name[3] == 'g' ? 1 : 3;
    const auto bytes = random_image<std::uint8_t>(random, 7, 5, channels);
    write_image(folder / name, bytes);
    EXPECT_TRUE(
        images_equal(std::get<Image<std::uint8_t>>(read_image(folder / name).pixels), bytes));
    const auto wide = random_image<std::uint16_t>(random, 7, 5, channels);
    write_image(folder / name, wide);
    EXPECT_TRUE(
        images_equal(std::get<Image<std::uint16_t>>(read_image(folder / name).pixels), wide));
  }
  for (const int channels : {1, 2, 4, 6}) {
    const auto image = random_image<std::uint8_t>(random, 4, 3, channels);
    write_image(folder / "b.pam", image);
    const AnyImage back = read_image(folder / "b.pam");
    EXPECT_TRUE(images_equal(std::get<Image<std::uint8_t>>(back.pixels), image));
    EXPECT_EQ(back.facts.alpha, channels == 2 || channels == 4 ? Alpha::kStraight : Alpha::kNone);
  }
}

TEST(Pnm, WritesTheWhiteThatWasRead) {
  const TempFolder folder;
  write_image(folder / "a.pgm", read_image(as_bytes("P5 1 1 1023 \x01\x02"s), "pnm"));
  EXPECT_EQ(load(folder / "a.pgm"), "P5\n1 1\n1023\n\x01\x02");
}

TEST(Pnm, SurvivesHostileFiles) {
  for (const std::string& file :
       {"P1 3 2 101010"s, "P2 2 2 255 1 2 3 4 "s, "P3 1 2 15 0 5 15 1 2 3"s,
        "P4 9 2\n\xa0\x80\x01\x00"s, "P5 2 2 255\nabcd"s, "P6 1 2 65535\nabcdefabcdef"s,
        "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd"s}) {
    test::expect_truncations_refused(file, file[1] == '2' ? 1 : 0);
    test::expect_corruptions_survived(file);
  }
}

TEST(Pnm, SaysWhatIsWrong) {
  const auto message = [](const std::string& file) {
    return message_of<FormatError>([&] { read_image(as_bytes(file), "x.pgm"); });
  };
  EXPECT_THAT(message("P5 100000 100000 255\nabc"),
              test::says("x.pgm", "100000x100000", "10000000000"));
  EXPECT_THAT(message("P5 99999999999 1 255\nabc"), HasSubstr("width above"));
  EXPECT_THAT(message("P5 2 1 15\na\x10"),
              HasSubstr("a sample of 97, above its greatest value 15"));
  EXPECT_THAT(message("P5 0 1 255\na"), HasSubstr("0x1"));
  EXPECT_THAT(message("P5 1 1 0\na"), HasSubstr("greatest value is 0"));
  EXPECT_THAT(message("P5 1 1 70000\na"), HasSubstr("greatest value above 65535"));
  EXPECT_THAT(message("P2 2 1 255\n1 x"), HasSubstr("a sample was expected"));
  EXPECT_THAT(message("P7\nWIDTH x\nENDHDR\n"), HasSubstr("'WIDTH x'"));
}

TEST(Pnm, RefusesWhatItCannotHold) {
  const TempFolder folder;
  EXPECT_THROW(write_image(folder / "a.pgm", Image<std::uint8_t>(2, 2, 3)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.ppm", Image<std::uint8_t>(2, 2, 1)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.pnm", Image<std::uint8_t>(2, 2, 2)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.pam", Image<float>(2, 2, 2)), InvalidArgument);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace fovea::io
