#include "cli/program/files.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(Files, PendingOnesThatWereNotKeptAreRemoved) {
  const test::TempFolder folder;
  {
    PendingFiles pending;
    for (const char* name : {"a", "b", "c"}) {
      write_text(folder / name, name);
      pending.add(folder / name);
    }
    pending.keep(folder / "b");
    std::filesystem::remove(folder / "c");  // which somebody else did
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b"));
}

TEST(Files, AFileIsNoFolder) {
  const test::TempFolder folder;
  write_text(folder / "file", "x");
  EXPECT_NO_THROW(require_no_file("-o", folder / "new"));
  EXPECT_NO_THROW(require_no_file("-o", ""));
  EXPECT_EQ(
      test::message_of<InvalidArgument>([&] { require_no_file("--charts", folder / "file"); }),
      "--charts " + (folder / "file") + " is a file; expected a folder");
}

TEST(Files, AModelNeedsANameThatEndsAsModelsDo) {
  EXPECT_NO_THROW(require_model_output("scenes train", "m.safetensors"));
  EXPECT_EQ(test::message_of<InvalidArgument>([] { require_model_output("scenes train", ""); }),
            "scenes train needs -o MODEL, the file to write");
  EXPECT_EQ(test::message_of<InvalidArgument>([] { require_model_output("scenes train", "m.h5"); }),
            "-o m.h5: the name of a model ends in .safetensors");
}

}  // namespace
}  // namespace fovea::cli
