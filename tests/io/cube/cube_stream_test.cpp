#include <fovea/core/error.h>
#include <fovea/io/cube_stream.h>
#include <gmock/gmock.h>

#include <fstream>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 12\ninterleave = bip\nbyte order = 0\n";

std::string cubes(int count, int first = 0) {
  std::string bytes;
  for (int i = 0; i < 12 * count; ++i) {
    const int value = first + i;
    bytes += static_cast<char>(value & 255);
    bytes += static_cast<char>(value >> 8);
  }
  return bytes;
}

class CubeStreamTest : public testing::Test {
 protected:
  CubeStream open(const std::string& bytes, const std::string& header = kHeader) const {
    test::save(folder_ / "a.raw", bytes);
    test::save(folder_ / "frame.hdr", header);
    return CubeStream(folder_ / "a.raw", folder_ / "frame.hdr");
  }
  template <class Fault>
  std::string fault(const std::string& bytes, const std::string& header = kHeader) const {
    try {
      CubeStream stream = open(bytes, header);
      std::vector<std::byte> cube;
      while (stream.fetch(cube)) {
      }
    } catch (const Fault& error) {
      return error.what();
    }
    return "accepted";
  }
  test::TempFolder folder_;
};

TEST_F(CubeStreamTest, ReadsCubeAfterCube) {
  CubeStream stream = open(cubes(3));
  EXPECT_EQ(stream.cube_bytes(), 24U);
  EXPECT_EQ(stream.expected_cubes(), 3);
  std::vector<std::byte> bytes;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream.fetch(bytes));
    const Cube cube = stream.decode(bytes);
    EXPECT_EQ(cube.count(), 2);
    const auto& bands = std::get<Stack<std::uint16_t>>(cube.bands);
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        for (int b = 0; b < 2; ++b) EXPECT_EQ(bands.plane(b).at(x, y), 12 * i + 6 * y + 2 * x + b);
  }
  EXPECT_FALSE(stream.fetch(bytes));
}

// What precedes the samples precedes those of every cube.
TEST_F(CubeStreamTest, PassesWhatPrecedesEachCube) {
  const std::string header = std::string(kHeader) + "header offset = 4\n";
  CubeStream stream = open("abcd" + cubes(1) + "efgh" + cubes(1, 100), header);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(stream.fetch(bytes));
  ASSERT_TRUE(stream.fetch(bytes));
  EXPECT_EQ(std::get<Stack<std::uint16_t>>(stream.decode(bytes).bands).plane(0).at(0, 0), 100);
  EXPECT_FALSE(stream.fetch(bytes));
}

TEST_F(CubeStreamTest, FaultsNameFileAndCube) {
  EXPECT_THAT(fault<FormatError>(cubes(2).substr(0, 40)),
              test::says("a.raw", "cube 1", "16", "24 bytes"));
  EXPECT_THAT(fault<FormatError>("abc"), HasSubstr("has 3 bytes, but"));
  EXPECT_THAT(fault<FormatError>(cubes(1), "text\n"), HasSubstr("not the header of an ENVI file"));
  EXPECT_THAT(fault<FormatError>(cubes(1), "ENVI\nsamples = 3\n"), HasSubstr("has no 'data type'"));
  EXPECT_THAT(fault<FormatError>(cubes(1),
                                 "ENVI\nsamples = 2000000000\nlines = 2000000000\n"
                                 "bands = 2000000000\ndata type = 5\n"),
              testing::Not(HasSubstr("accepted")));
  open(cubes(1));  // writes a good header
  EXPECT_THROW(CubeStream(folder_ / "none.raw", folder_ / "frame.hdr"), IoError);
  EXPECT_THROW(CubeStream(folder_ / "a.raw", folder_ / "none.hdr"), IoError);
  EXPECT_THROW(CubeStream(folder_.path(), folder_ / "frame.hdr"), Error);
}

}  // namespace
}  // namespace fovea::io
