// The archive is read by another program.
#include "view/save/zip.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "support/files.h"

namespace fovea::view {
namespace {

// What a command prints.
std::string printed(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  for (int letter; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  return pclose(pipe) == 0 ? text : "failed";
}

TEST(Zip, HoldsFilesThatPythonReads) {
  const test::TempFolder folder;
  test::save(folder / "a.zip",
             zip_of({{"one.txt", "first"}, {"zwei \xc3\xbc.bin", std::string(3, '\0')}}));
  EXPECT_EQ(printed("python3 -c \"import zipfile; z = zipfile.ZipFile('" + (folder / "a.zip") +
                    "'); print(z.testzip(), [ascii(n) for n in z.namelist()], "
                    "[z.read(n) for n in z.namelist()])\""),
            "None [\"'one.txt'\", \"'zwei \\\\xfc.bin'\"] [b'first', b'\\x00\\x00\\x00']\n");
}

TEST(Zip, HasTheSameBytesEachTime) { EXPECT_EQ(zip_of({{"a", "b"}}), zip_of({{"a", "b"}})); }

}  // namespace
}  // namespace fovea::view
