#include "io/text/extension.h"

#include <gtest/gtest.h>

namespace fovea::io {
namespace {

TEST(Extension, IsWhatFollowsTheLastDotOfTheName) {
  EXPECT_EQ(extension_of("a/photo.JPG"), ".jpg");
  EXPECT_EQ(extension_of("archive.tar.Gz"), ".gz");
  EXPECT_EQ(extension_of("folder.d/name"), "");
  EXPECT_EQ(extension_of("name"), "");
  EXPECT_EQ(extension_of("name."), ".");
  EXPECT_EQ(extension_of(""), "");
  EXPECT_EQ(extension_of("a.\xC4PNG"), ".\xC4png") << "bytes beyond ASCII stay";
}

}  // namespace
}  // namespace fovea::io
