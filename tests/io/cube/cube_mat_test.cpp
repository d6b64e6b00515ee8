// Covers: cube_mat_stream
#include <fovea/core/error.h>
#include <fovea/io/cube_io.h>

#include "support/cubes.h"
#include "support/files.h"
#include "support/mat_writer.h"

namespace fovea::io {
namespace {

using test::as_bytes;
using test::cube_value;
using test::cubes_equal;
using test::make_test_cube;
using test::MatWriter;
using test::message_of;
using testing::HasSubstr;

constexpr int kWidth = 3, kHeight = 70, kBands = 4;  // higher than a square of turn()
constexpr std::uint32_t kDouble = 6, kUint8 = 9, kComplex = 0x800;

// The test's cube as MATLAB orders it: column after column, band after band.
template <class T>
std::string values(const MatWriter& writer, int width = kWidth, int height = kHeight,
                   int bands = kBands) {
  std::string bytes;
  for (int b = 0; b < bands; ++b)
    for (int x = 0; x < width; ++x)
      for (int y = 0; y < height; ++y) bytes += writer.number(cube_value<T>(x, y, b));
  return bytes;
}

template <class T, class As = T>
void expect_reads(std::uint32_t type) {
  for (const bool big : {false, true}) {
    const MatWriter writer{big};
    const std::string matrix = writer.matrix(kDouble, {kHeight, kWidth, kBands}, "cube",
                                             writer.element(type, values<T>(writer)));
    for (const bool packed : {false, true}) {
      const std::string file = writer.header() + (packed ? writer.compressed(matrix) : matrix);
      const Cube cube = read_cube(as_bytes(file), "x.mat");
      EXPECT_TRUE(cubes_equal(cube, make_test_cube<T, As>(kWidth, kHeight, kBands)))
          << type << big << packed;
      EXPECT_EQ(cube.facts.variable, "cube");
      EXPECT_EQ(cube.facts.format, CubeFormat::kMat);
    }
  }
}

TEST(CubeMat, ReadsEveryTypeAndOrder) {
  expect_reads<std::int8_t>(1);
  expect_reads<std::uint8_t>(2);
  expect_reads<std::int16_t>(3);
  expect_reads<std::uint16_t>(4);
  expect_reads<std::int32_t>(5);
  expect_reads<std::uint32_t>(6);
  expect_reads<float>(7);
  expect_reads<double>(9);
  expect_reads<std::int64_t, double>(12);
  expect_reads<std::uint64_t, double>(13);
}

// A struct before it, a small one, a truth map, and the largest.
std::string several(const MatWriter& writer) {
  return writer.header() +
         writer.element(14, writer.element(6, writer.number(std::uint64_t{2})) +
                                writer.element(5, writer.number(1) + writer.number(1)) +
                                writer.small(1, "info")) +
         writer.matrix(kUint8, {1, 1, 2}, "few", writer.small(2, "ab")) +
         writer.compressed(
             writer.matrix(0x200 | kUint8, {70, 3}, "a_long_name",
                           writer.element(2, values<std::uint8_t>(writer, 3, 70, 1)))) +
         writer.matrix(kDouble, {2, 3, 2}, "most",
                       writer.element(2, values<std::uint8_t>(writer, 3, 2, 2)));
}

TEST(CubeMat, ChoosesTheVariable) {
  for (const bool big : {false, true}) {
    const std::string file = several(MatWriter{big});
    EXPECT_TRUE(cubes_equal(read_cube(as_bytes(file), "x"), make_test_cube<std::uint8_t>(3, 2, 2)));
    EXPECT_TRUE(cubes_equal(read_cube(as_bytes(file), "x", {.variable = "a_long_name"}),
                            make_test_cube<std::uint8_t>(3, 70, 1)));
    const Cube few = read_cube(as_bytes(file), "x", {.variable = "few"});
    EXPECT_EQ(std::get<Stack<std::uint8_t>>(few.bands).plane(1).at(0, 0), 'b');
    EXPECT_THAT(
        message_of<InvalidArgument>([&] { read_cube(as_bytes(file), "x", {.variable = "none"}); }),
        test::says("'none'", "1x1", "1x1x2", "a_long_name", "70x3", "2x3x2"));
    EXPECT_THAT(
        message_of<FormatError>([&] { read_cube(as_bytes(file), "x", {.variable = "info"}); }),
        test::says("'info'", "1x1"));
  }
}

TEST(CubeMat, ReadsAMapWhereThereIsNoCube) {
  const MatWriter writer;
  const std::string file =
      writer.header() + writer.matrix(kDouble, {2, 3}, "map",
                                      writer.element(2, values<std::uint8_t>(writer, 3, 2, 1)));
  EXPECT_TRUE(cubes_equal(read_cube(as_bytes(file), "x"), make_test_cube<std::uint8_t>(3, 2, 1)));
}

// As MATLAB writes a string or a table: no dimensions, but the names of a variable, of what knows
// it and of its class, and where its insides are.
std::string opaque(const MatWriter& writer, const std::string& name) {
  return writer.element(
      14, writer.element(6, writer.number(17U) + writer.number(0U)) + writer.element(1, name) +
              writer.small(1, "MCOS") + writer.element(1, "string") +
              writer.matrix(13, {6, 1}, "", writer.element(6, std::string(24, '\1'))));
}

std::string refusal(const std::string& file, const char* name = "x.mat",
                    const CubeReadOptions& options = {}) {
  return message_of<FormatError>([&] { read_cube(as_bytes(file), name, options); });
}

TEST(CubeMat, NamesOtherVersions) {
  const MatWriter writer;
  EXPECT_THAT(refusal(writer.header("MATLAB 7.3 MAT-file") + std::string(900, '\0')),
              test::says("x.mat", "MATLAB", "7.3", "HDF5", "-v7"));
  EXPECT_THAT(refusal("\x89HDF\r\n\x1a\n" + std::string(900, '\0')), HasSubstr("HDF5"));
  EXPECT_THAT(refusal(writer.number(0) + writer.number(2) + writer.number(2) + writer.number(0) +
                      writer.number(2) + "a" + std::string(33, '\0')),
              HasSubstr("is a MATLAB 4 file"));
  EXPECT_THAT(refusal("not a file of MATLAB, but some words that stand in its place"),
              HasSubstr("is no MATLAB file"));
}

TEST(CubeMat, SaysWhatIsWrong) {
  const MatWriter writer;
  const std::string bytes(24, 'x');
  const auto file = [&](std::vector<std::int32_t> sides, std::uint32_t type,
                        std::uint32_t array_class = kDouble) {
    return writer.header() + writer.matrix(array_class, sides, "cube", writer.element(type, bytes));
  };
  EXPECT_EQ(refusal(file({2, 3, 4}, 2)), "");
  EXPECT_EQ(refusal(file({2, 3, 4, 1}, 2)), "");
  EXPECT_THAT(refusal(file({2, 3, 5}, 2)), test::says("'cube'", "2x3x5 of 1 bytes", "24 bytes"));
  EXPECT_THAT(refusal(file({0x7fffffff, 0x7fffffff, 0x7fffffff}, 9)), HasSubstr("no cube that"));
  EXPECT_THAT(refusal(file({16000, 16000, 0x7fff0000}, 9)), HasSubstr("has 24 bytes"));
  EXPECT_THAT(refusal(file({0x7fff0000, 0x7fff0000, 0x7fff0000}, 9)),
              HasSubstr("raise max_pixels"));
  EXPECT_THAT(refusal(file({-2, 3, 4}, 2)), HasSubstr("negative dimension"));
  EXPECT_THAT(refusal(file({0, 3, 4}, 2)), HasSubstr("3x0 with 4 bands"));
  EXPECT_THAT(refusal(file({2, 3, 2, 2}, 2)), HasSubstr("holds no cube"));
  EXPECT_THAT(refusal(file({2, 3, 4}, 8)), HasSubstr("stored as type 8"));
  EXPECT_THAT(refusal(file({2, 3, 4}, 2, kDouble | kComplex), "x", {.variable = "cube"}),
              HasSubstr("is 2x3x4 complex"));
  EXPECT_THAT(refusal(file({2, 3, 4}, 2), "x", {.most_bytes = 23}),
              HasSubstr("more than the 23 bytes allowed"));
  EXPECT_THAT(refusal(writer.header()), HasSubstr("holds no arrays"));
  // A matrix shorter than what it holds, and an array that a file this short cannot inflate to.
  std::string lying = file({2, 3, 4}, 2).substr(128);
  lying[4] = static_cast<char>(lying[4] - 24);
  EXPECT_THAT(refusal(writer.header() + writer.compressed(lying)),
              HasSubstr("more than it says it has"));
  const std::string packed = writer.compressed(writer.element(
      14, writer.element(6, writer.number(std::uint64_t{kDouble})) +
              writer.element(5, writer.number(1000) + writer.number(1000) + writer.number(1000)) +
              writer.small(1, "big") + writer.number(2U) + writer.number(1000000000U) + bytes));
  EXPECT_THAT(refusal(writer.header() + packed), HasSubstr("claims an image of 1000000000 bytes"));
}

TEST(CubeMat, PassesOverObjects) {
  for (const bool big : {false, true}) {
    const MatWriter writer{big};
    const std::string cube = writer.matrix(
        kDouble, {2, 3, 2}, "cube", writer.element(2, values<std::uint8_t>(writer, 3, 2, 2)));
    // Before 2008 objects had dimensions, and their class's name behind their own.
    const std::string old =
        writer.matrix(3, {1, 1}, "old", writer.element(1, "inline") + writer.small(5, "abcd"));
    const std::string label = opaque(writer, "label");
    // The insides of objects, which no variable is and which is more than the cube.
    const std::string insides =
        writer.matrix(kUint8, {1, 200, 2}, "", writer.element(2, std::string(400, 'i')));
    for (const bool packed : {false, true}) {
      const std::string before =
          (packed ? writer.compressed(label) + writer.compressed(old) : label + old);
      std::string file = writer.header() + before + cube;
      file.replace(116, 8, writer.number(static_cast<std::uint64_t>(file.size())));
      file += packed ? writer.compressed(insides) : insides;
      EXPECT_TRUE(
          cubes_equal(read_cube(as_bytes(file), "x"), make_test_cube<std::uint8_t>(3, 2, 2)));
      EXPECT_TRUE(cubes_equal(read_cube(as_bytes(file), "x", {.variable = "cube"}),
                              make_test_cube<std::uint8_t>(3, 2, 2)));
      EXPECT_THAT(message_of<InvalidArgument>(
                      [&] { read_cube(as_bytes(file), "x", {.variable = "none"}); }),
                  test::says("'none'", "2x3x2"));
      for (const char* name : {"label", "old"})
        EXPECT_THAT(refusal(file, "x", {.variable = name}),
                    HasSubstr(std::string("variable '") + name +
                              "' is an object of MATLAB, which is not read"));
      EXPECT_THAT(refusal(writer.header() + before),
                  HasSubstr("holds no cube: arrays of two or three dimensions of real numbers are "
                            "read, not objects alone"));
    }
    std::string hostile = writer.header() + label + cube;
    for (std::size_t length = 128; length < hostile.size(); ++length)
      EXPECT_EQ(refusal(hostile.substr(0, length)).find('\n'), std::string::npos);
    for (std::size_t at = 128; at < 128 + label.size(); ++at) {
      const char kept = hostile[at];
      for (const char value : {'\0', '\xff', '\x80', static_cast<char>(kept ^ 1)}) {
        hostile[at] = value;
        EXPECT_EQ(refusal(hostile).find('\n'), std::string::npos);
      }
      hostile[at] = kept;
    }
  }
}

TEST(CubeMat, SurvivesHostileFiles) {
  for (const bool big : {false, true}) {
    std::string file = several(MatWriter{big});
    for (std::size_t length = 0; length < file.size(); ++length) {
      const std::string message = refusal(file.substr(0, length), "hostile.mat");
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    for (std::size_t at = 120; at < file.size(); ++at) {
      const char kept = file[at];
      for (const char value :
           {'\0', '\xff', '\x80', static_cast<char>(kept ^ 1), static_cast<char>(kept + 1)}) {
        file[at] = value;
        const std::string message = refusal(file, "hostile.mat", {.most_bytes = 1 << 20});
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      }
      file[at] = kept;
    }
  }
}

}  // namespace
}  // namespace fovea::io
