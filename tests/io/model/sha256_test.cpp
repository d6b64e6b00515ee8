#include "io/model/sha256.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace fovea::io {
namespace {

std::string sha256(std::string_view text, std::size_t piece = SIZE_MAX) {
  Sha256 hasher;
  for (std::span<const std::byte> rest = test::as_bytes(text); !rest.empty();) {
    hasher.add(rest.first(std::min(piece, rest.size())));
    rest = rest.subspan(std::min(piece, rest.size()));
  }
  return hasher.result();
}

// The examples of FIPS 180-4 and of NIST's test vectors.
TEST(Sha256Test, KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesGiveTheSame) {
  for (const std::size_t length : {1U, 55U, 56U, 63U, 64U, 65U, 119U, 120U, 1000U}) {
    const std::string text(length, 'x');
    for (const std::size_t piece : {1U, 7U, 64U, 100U})
      EXPECT_EQ(sha256(text, piece), sha256(text)) << length << " in pieces of " << piece;
  }
}

}  // namespace
}  // namespace fovea::io
