// What a build without libwebp says: its stand-in is compiled here beside the real functions, under
// names of its own.
#include <gmock/gmock.h>

#include "io/image/webp_decoder.h"
#include "support/files.h"
#include "support/messages.h"

#define decode_webp decode_without_libwebp
#define webp_feature feature_without_libwebp
#include "io/image/no_webp.cpp"
#undef decode_webp
#undef webp_feature

namespace fovea::io {
namespace {

TEST(NoWebp, SaysWhatToInstall) {
  const Source source(test::as_bytes("RIFF"), "picture.webp");
  EXPECT_THAT(test::message_of<FormatError>([&] { decode_without_libwebp(source, {}, {}); }),
              test::says("picture.webp", "is a WebP", "libwebp-dev", "PNG"));
  EXPECT_FALSE(feature_without_libwebp().usable);
  EXPECT_THAT(feature_without_libwebp().detail, testing::HasSubstr("libwebp-dev"));
}

}  // namespace
}  // namespace fovea::io
