#include "io/model/crc32.h"

#include <gtest/gtest.h>

#include <string>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::as_bytes;

TEST(Crc32, KnownAnswers) {
  EXPECT_EQ(crc32(as_bytes("")), 0U);
  EXPECT_EQ(crc32(as_bytes("a")), 0xE8B7BE43U);
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926U);  // the check value of its definition
  EXPECT_EQ(crc32(as_bytes("The quick brown fox jumps over the lazy dog")), 0x414FA339U);
}

TEST(Crc32, GoesOnFromAnyPlace) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  const std::uint32_t whole = crc32(as_bytes(text));
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32(as_bytes(text).subspan(cut), crc32(as_bytes(text).first(cut))), whole) << cut;
}

TEST(Crc32, FindsEveryChangeOfOneByte) {
  std::string text(37, 'x');
  const std::uint32_t whole = crc32(as_bytes(text));
  for (char& c : text) {
    for (int change = 1; change < 256; ++change) {
      c = static_cast<char>('x' ^ change);
      EXPECT_NE(crc32(as_bytes(text)), whole);
    }
    c = 'x';
  }
}

}  // namespace
}  // namespace fovea::io
