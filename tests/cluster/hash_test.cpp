#include <fovea/cluster/hash.h>

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/files.h"

namespace fovea::cluster {
namespace {

TEST(Hash, IsThatOfTheSpecification) {
  EXPECT_EQ(hash_of(""), 0xEF46DB3751D8E999U);
  EXPECT_EQ(hash_of("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(hash_of("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1U);
}

TEST(Hash, PiecesDoNotMatter) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 37);
  for (std::size_t length = 0; length <= text.size(); length += 13)
    for (std::size_t cut = 0; cut <= length; cut += 7) {
      Hasher hasher;
      hasher.add(std::string_view(text).substr(0, cut));
      hasher.add(std::string_view(text).substr(cut, length - cut));
      EXPECT_EQ(hasher.result(), hash_of(std::string_view(text).substr(0, length)));
    }
}

TEST(Hash, FilesAreKnownByTheirContent) {
  const test::TempFolder folder;
  std::ofstream(folder / "a") << std::string(1'000'000, 'x');
  const FileIdentity identity = identity_of_file(folder / "a");
  EXPECT_EQ(identity.size, 1'000'000U);
  EXPECT_EQ(identity.hash, hash_of(std::string(1'000'000, 'x')));
  EXPECT_THROW(identity_of_file(folder / "b"), IoError);
}

}  // namespace
}  // namespace fovea::cluster
