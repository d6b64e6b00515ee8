#include "operations/files.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "support/files.h"

namespace fovea::operations {
namespace {

using testing::HasSubstr;

TEST(Files, FoldersAndTextAreMadeOrTheirNameIsToldWithTheReason) {
  const test::TempFolder folder;
  make_folder(folder / "a/b");
  make_folder(folder / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
  write_text(folder / "a/b/text", "words");
  EXPECT_EQ(test::load(folder / "a/b/text"), "words");
  EXPECT_THAT(test::message_of<WriteError>([&] { make_folder(folder / "a/b/text/c"); }),
              HasSubstr("a/b/text/c: cannot make the folder: "));
  EXPECT_THAT(test::message_of<WriteError>([&] { write_text(folder / "none/text", ""); }),
              HasSubstr("none/text"));
}

TEST(Files, ACameraHasANameForFiles) {
  EXPECT_EQ(live_stem("camera:0"), "camera_0");
  EXPECT_EQ(live_stem("rtsp://host:554/door"), "rtsp_host_554_door");
}

}  // namespace
}  // namespace fovea::operations
