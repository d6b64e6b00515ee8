#include <fovea/core/error.h>
#include <fovea/io/cube_io.h>

#include <filesystem>

#include "io/cube/cube_format.h"
#include "support/cubes.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::as_bytes;
using test::cubes_equal;
using test::make_test_cube;
using test::message_of;
using test::save;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
class CubeTypes : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::int8_t, std::int16_t,
                             std::int32_t, float, double>;
TYPED_TEST_SUITE(CubeTypes, Types);

TYPED_TEST(CubeTypes, TiffRoundTrips) {
  const TempFolder folder;
  for (const int bands : {1, 2, 4, 9}) {
    const Cube cube = make_test_cube<TypeParam>(5, 3, bands);
    write_cube(folder / "a.tif", cube);
    EXPECT_TRUE(cubes_equal(read_cube(folder / "a.tif"), cube));
  }
}

TYPED_TEST(CubeTypes, BecomesFloat) {
  const Cube cube = make_test_cube<TypeParam>(5, 3, 2);
  const Stack<float> floats = to_float(cube);
  EXPECT_EQ(floats.plane(1).at(4, 2), test::cube_value<TypeParam>(4, 2, 1));
  EXPECT_EQ(to_float(make_test_cube<TypeParam>(5, 3, 2)).plane(0).at(1, 0),
            test::cube_value<TypeParam>(1, 0, 0));
}

std::vector<AnyView> planes(const Cube& cube) {
  std::vector<AnyView> views;
  for (int b = 0; b < cube.count(); ++b)
    views.emplace_back(std::get<Stack<std::uint16_t>>(cube.bands).plane(b));
  return views;
}

TEST(CubeIo, PagesAreBands) {
  const TempFolder folder;
  const Cube cube = make_test_cube<std::uint16_t>(6, 4, 3);
  write_pages(folder / "a.tif", planes(cube));
  EXPECT_TRUE(cubes_equal(read_cube(folder / "a.tif"), cube));
  std::vector<AnyView> mixed = planes(cube);
  const Image<std::uint16_t> other(6, 5);
  mixed[2] = other;
  write_pages(folder / "b.tif", mixed);
  EXPECT_THAT(message_of<FormatError>([&] { read_cube(folder / "b.tif"); }),
              test::says("page 2", "6x5", "uint16", "6x4"));
}

TEST(CubeIo, ChannelsAreBandsAndOpacityIsNot) {
  const TempFolder folder;
  Image<std::uint8_t> image(4, 2, 4);
  for (int y = 0; y < 2; ++y)
    for (int i = 0; i < 16; ++i) image.row(y)[i] = static_cast<std::uint8_t>(10 * i + y);
  write_image(folder / "a.png", image);
  const Cube cube = read_cube(folder / "a.png");
  EXPECT_EQ(cube.count(), 3);
  EXPECT_EQ(std::get<Stack<std::uint8_t>>(cube.bands).plane(2).at(3, 1), 141);
  EXPECT_EQ(cube.facts.white, 255);
  write_image(folder / "a.npy", image);
  EXPECT_EQ(read_cube(folder / "a.npy").count(), 4);
}

TEST(CubeIo, FoldersAreInNaturalOrder) {
  const TempFolder folder;
  const Cube cube = make_test_cube<std::uint16_t>(6, 4, 3);
  const std::vector<AnyView> bands = planes(cube);
  write_image(folder / "band10.png", bands[2]);
  write_image(folder / "band9.tif", bands[1]);
  write_image(folder / "band1.pgm", bands[0]);
  save(folder / "notes.txt", "no band");
  const Cube back = read_cube(folder.path());
  EXPECT_TRUE(cubes_equal(back, cube));
  EXPECT_THAT(back.facts.names, ElementsAre("band1", "band9", "band10"));
  EXPECT_EQ(back.facts.format, CubeFormat::kFolder);
  write_image(folder / "band11.png", Image<std::uint8_t>(6, 4));
  EXPECT_THAT(message_of<FormatError>([&] { read_cube(folder.path()); }),
              test::says("band11.png", "6x4", "uint8", "uint16"));
}

TEST(CubeIo, SaysWhatIsWrong) {
  const TempFolder folder;
  EXPECT_THAT(message_of<IoError>([&] { read_cube(folder / "none.mat"); }), HasSubstr("none.mat"));
  EXPECT_THAT(message_of<IoError>([&] { read_cube(folder.path()); }), HasSubstr("image"));
  EXPECT_THAT(
      message_of<FormatError>([] { read_cube(as_bytes("YUV4MPEG2 W2 H2 F1:1\n"), "a.y4m"); }),
      HasSubstr("a.y4m: is a video, not a cube"));
  EXPECT_THAT(message_of<FormatError>([] { read_cube(as_bytes("GIF89a"), "a.gif"); }),
              HasSubstr("is a GIF"));
  const Cube cube = make_test_cube<std::uint16_t>(6, 4, 3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_cube(folder / "a.mat", cube); }),
              HasSubstr("extension '.mat' names no format of cubes"));
  EXPECT_THROW(write_cube(folder / "a.tif", Cube{}), InvalidArgument);
  write_cube(folder / "a.tif", cube);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { read_cube(folder / "a.tif", {.variable = "map"}); }),
      HasSubstr("only .mat files have variables"));
  EXPECT_THAT(message_of<FormatError>([&] { read_cube(folder / "a.tif", {.most_bytes = 143}); }),
              HasSubstr("more than the 143 bytes allowed"));
}

// A .mat file of 4 MB may hold 8000x8000x60 bytes, which as floats are 15 GB more.
TEST(CubeIo, MemoryIsLimitedWithTheFloatsThatSamplesBecome) {
  const Source source(as_bytes("0123456789"), "c.mat");
  const CubeShape cube{8000, 8000, 60, SampleType::kUint8};
  constexpr std::uint64_t kFile = 4 << 20;
  EXPECT_NO_THROW(check_cube_memory(source, kFile, cube, {}));
  EXPECT_THAT(
      message_of<FormatError>([&] { check_cube_memory(source, kFile, cube, {.as_float = true}); }),
      test::says("8000x8000x60", "19200000000 bytes with its floats", "4294967296 bytes allowed",
                 "--max-pixels"));
  EXPECT_NO_THROW(check_cube_memory(source, 3ULL << 30, cube, {.as_float = true}));
  EXPECT_THAT(message_of<FormatError>([&] {
                check_cube_memory(source, kFile, cube, {.most_bytes = 1 << 30, .as_float = true});
              }),
              test::says("1073741824 bytes allowed", "--memory"));
  const CubeShape wide{1 << 30, 1 << 30, 1 << 30, SampleType::kFloat64};
  EXPECT_THROW(check_cube_memory(source, kFile, wide, {.as_float = true}), FormatError);
}

}  // namespace
}  // namespace fovea::io
