// Covers: npy_image
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>

#include <algorithm>
#include <bit>
#include <cstring>

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

// A file with the header text given, padded as NumPy does.
std::string make_npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string text = dictionary;
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(text.size() >> 8 * i & 255U);
  return file + text + data;
}

std::string header(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
class NpyTypes : public testing::Test {};
using Types = testing::Types<bool, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                             std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(NpyTypes, Types);

TYPED_TEST(NpyTypes, RoundTripsAnyShape) {
  const TempFolder folder;
  Random random(1);
  for (const std::vector<std::size_t>& shape :
       {std::vector<std::size_t>{}, {5}, {3, 4}, {2, 3, 4}, {2, 1, 3, 2}, {0, 3}}) {
    NdArray array{dtype_of<TypeParam>(), shape, {}};
    std::size_t count = 1;
    for (const std::size_t side : shape) count *= side;
    array.data = Array<std::byte>(count * sizeof(TypeParam));
    for (auto& value : array.as<TypeParam>())
      value = static_cast<TypeParam>(random.below(2) == 1 ? random.bits() : 0);
    write_array(folder / "a.npy", array);
    const NdArray back = read_array(folder / "a.npy");
    EXPECT_EQ(back.shape, shape);
    ASSERT_EQ(back.type, array.type);
    const auto wanted = array.as<TypeParam>();
    const auto found = back.as<TypeParam>();
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), found.begin(), found.end()));
    EXPECT_EQ(back.numbers(), std::vector<double>(wanted.begin(), wanted.end()));
  }
}

TYPED_TEST(NpyTypes, ReadsBothByteOrdersAndVersions) {
  if constexpr (sizeof(TypeParam) > 1) {
    const auto value = static_cast<TypeParam>(1.5);
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof(value));
    const std::string code = (std::is_floating_point_v<TypeParam> ? "f"
                              : std::is_signed_v<TypeParam>       ? "i"
                                                                  : "u") +
                             std::to_string(sizeof(TypeParam));
    const bool little = std::endian::native == std::endian::little;
    for (int version = 1; version <= 3; ++version) {
      const std::string native =
          make_npy(header((little ? "<" : ">") + code, "(1,)"), bytes, version);
      EXPECT_EQ(read_array(as_bytes(native), "native").template as<TypeParam>()[0], value);
      const std::string reversed(bytes.rbegin(), bytes.rend());
      const std::string other =
          make_npy(header((little ? ">" : "<") + code, "(1,)"), reversed, version);
      EXPECT_EQ(read_array(as_bytes(other), "other").template as<TypeParam>()[0], value);
    }
  }
}

TEST(Npy, ReordersFortran) {
  // The array [[1 2 3] [4 5 6]] column by column.
  const std::string file = make_npy(header("|u1", "(2, 3)", true), "\1\4\2\5\3\6");
  const NdArray array = read_array(as_bytes(file), "fortran");
  const auto values = array.as<std::uint8_t>();
  EXPECT_THAT(std::vector<int>(values.begin(), values.end()), ElementsAre(1, 2, 3, 4, 5, 6));
  const AnyImage image = read_image(as_bytes(file), "fortran");
  EXPECT_EQ(image.width(), 3);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(2, 0), 3);
  const std::string cube = make_npy(header("|u1", "(2, 1, 2)", true), "\1\3\2\4");
  const NdArray three = read_array(as_bytes(cube), "cube");
  const auto cells = three.as<std::uint8_t>();
  EXPECT_THAT(std::vector<int>(cells.begin(), cells.end()), ElementsAre(1, 2, 3, 4));
}

TEST(Npy, WidensHalvesAndMasks) {
  const std::string halves = make_npy(header("<f2", "(1, 2)"), "\x00\x3c\x00\xc0"s);
  EXPECT_EQ(read_array(as_bytes(halves), "half").as<float>()[1], -2);
  const AnyImage image = read_image(as_bytes(halves), "half");
  EXPECT_EQ(std::get<Image<float>>(image.pixels).at(0, 0), 1);
  EXPECT_EQ(image.facts.bits, 16);
  for (const bool fortran : {false, true}) {
    const std::string mask = make_npy(header("|b1", "(1, 2)", fortran), "\x01\x00"s);
    const AnyImage bits = read_image(as_bytes(mask), "mask");
    EXPECT_EQ(std::get<Image<std::uint8_t>>(bits.pixels).at(0, 0), 255);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(bits.pixels).at(1, 0), 0);
  }
}

TEST(Npy, WritesWhatNumpyWrites) {
  const TempFolder folder;
  Image<std::uint8_t> image(2, 1);
  image.at(0, 0) = 'a';
  image.at(1, 0) = 'b';
  write_image(folder / "a.npy", image);
  EXPECT_EQ(load(folder / "a.npy"), make_npy(header("|u1", "(1, 2)"), "ab"));
}

TEST(Npy, ImagesRoundTrip) {
  const TempFolder folder;
  Random random(2);
  for (const int channels : {1, 2, 3, 9}) {
    const auto image = random_image<std::int32_t>(random, 7, 5, channels);
    write_image(folder / "a.npy", image);
    const AnyImage back = read_image(folder / "a.npy");
    EXPECT_TRUE(images_equal(std::get<Image<std::int32_t>>(back.pixels), image));
    EXPECT_EQ(image_info(folder / "a.npy").channels, channels);
    EXPECT_EQ(read_array(folder / "a.npy").shape.size(), channels == 1 ? 2U : 3U);
  }
}

TEST(Npy, SaysWhatIsWrong) {
  const auto message = [](const std::string& file) {
    return message_of<FormatError>([&] { read_array(as_bytes(file), "x.npy"); });
  };
  EXPECT_THAT(message(make_npy(header("|O", "(1,)"), "abcdefgh")), HasSubstr("type '|O'"));
  EXPECT_THAT(
      message(make_npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")),
      HasSubstr("records"));
  EXPECT_THAT(message(make_npy(header("<f8", "(3, 4)"), "abcd")),
              test::says("x.npy", "truncated", "(3, 4)", "4 bytes"));
  EXPECT_THAT(message(make_npy(header("<f8", "(4294967296, 4294967296, 2)"), "abcd")),
              HasSubstr("truncated"));
  EXPECT_THAT(message(make_npy("{'descr': '<f4'}", "abcd")), HasSubstr("header"));
  EXPECT_THAT(message(make_npy(header("<f4", "(1,)"), "abcd", 9)), HasSubstr("version 9"));
  EXPECT_THAT(message("not an array"), HasSubstr("is not a .npy file"));
  const std::string wide = make_npy(header("<i8", "(1, 1)"), "abcdefgh");
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(wide), "x.npy"); }),
              HasSubstr("holds int64, which no image does"));
  const std::string deep = make_npy(header("<i4", "(1, 1, 1, 1)"), "abcd");
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(deep), "x.npy"); }),
              HasSubstr("has the shape (1, 1, 1, 1)"));
}

TEST(Npy, TypesMustMatch) {
  NdArray array{DType::kFloat32, {1}, Array<std::byte>(4)};
  EXPECT_THROW(array.as<double>(), InvalidArgument);
  array.shape = {2};
  const TempFolder folder;
  EXPECT_THROW(write_array(folder / "a.npy", array), InvalidArgument);
}

TEST(Npy, SurvivesHostileFiles) {
  for (const std::string& file : {make_npy(header("<u2", "(2, 3)"), "abcdefabcdef"),
                                  make_npy(header(">f2", "(2, 1, 3)", true), "abcdefabcdef", 3)}) {
    test::expect_truncations_refused(file);
    test::expect_corruptions_survived(file);
  }
}

}  // namespace
}  // namespace fovea::io
