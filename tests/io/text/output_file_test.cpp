#include "io/text/output_file.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::load;
using test::message_of;
using test::save;
using test::TempFolder;
using testing::AllOf;
using testing::HasSubstr;

TEST(OutputFile, OpenDescriptorsAreWrittenInPlace) {
  const TempFolder folder;
  save(folder / "log", "");
  const int descriptor = open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  struct stat before {
  }, after{};
  ASSERT_EQ(stat((folder / "log").c_str(), &before), 0);
  for (const std::string name : {"/dev/fd/", "/proc/self/fd/"}) {
    OutputFile file(name + std::to_string(descriptor));
    file.write("line\n");
    file.commit();
  }
  close(descriptor);
  ASSERT_EQ(stat((folder / "log").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "the file was replaced";
  EXPECT_EQ(load(folder / "log"), "line\nline\n");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(OutputFile, AppearsOnCommitOnly) {
  const TempFolder folder;
  const std::string path = folder / "out.txt";
  {
    OutputFile file(path);
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(folder.files(), 0U);
  OutputFile file(path);
  file.write("whole");
  file.commit();
  EXPECT_EQ(load(path), "whole");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(OutputFile, KeepsTheOlderFileUntilCommit) {
  const TempFolder folder;
  save(folder / "out.txt", "old");
  { OutputFile(folder / "out.txt").write("new"); }
  EXPECT_EQ(load(folder / "out.txt"), "old");
}

TEST(OutputFile, TwoWritersLeaveOneWholeFile) {
  const TempFolder folder;
  const std::string path = folder / "out.txt";
  const auto write = [&](char letter) {
    const std::string text(100000, letter);
    for (int i = 0; i < 20; ++i) {
      OutputFile file(path);
      file.write(text);
      file.commit();
    }
  };
  std::thread other(write, 'a');
  write('b');
  other.join();
  const std::string found = load(path);
  EXPECT_EQ(found, std::string(100000, found[0]));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(OutputFile, FollowsSymbolicLinks) {
  const TempFolder folder;
  save(folder / "real.txt", "old");
  std::filesystem::create_symlink(folder / "real.txt", folder / "link.txt");
  OutputFile file(folder / "link.txt");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(load(folder / "real.txt"), "new");
}

TEST(OutputFile, FollowsLinksToWhatIsNotThereYet) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "deep");
  std::filesystem::create_symlink("deep/second", folder / "first");
  std::filesystem::create_symlink("real.txt", folder / "deep/second");
  OutputFile file(folder / "first");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "deep/second"));
  EXPECT_EQ(load(folder / "deep/real.txt"), "new");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THROW(OutputFile(folder / "circle"), WriteError);
}

TEST(OutputFile, AReplacedFileKeepsItsPermissions) {
  const TempFolder folder;
  for (const mode_t mode : {0600U, 0644U, 0666U, 0755U}) {
    save(folder / "out.txt", "old");
    ASSERT_EQ(chmod((folder / "out.txt").c_str(), mode), 0);
    OutputFile file(folder / "out.txt");
    file.write("new");
    file.commit();
    struct stat status {};
    ASSERT_EQ(stat((folder / "out.txt").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, mode);
    EXPECT_EQ(load(folder / "out.txt"), "new");
  }
}

TEST(OutputFile, WritesToDevicesDirectly) {
  OutputFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, NamesPathAndReason) {
  const TempFolder folder;
  EXPECT_THAT(message_of<WriteError>([&] { OutputFile(folder / "no/such.txt"); }),
              AllOf(HasSubstr("no/such.txt: "), HasSubstr("No such file")));
  EXPECT_THAT(message_of<WriteError>([&] { OutputFile{folder.path()}; }), HasSubstr("directory"));
  EXPECT_THAT(message_of<WriteError>([&] {
                OutputFile file("/dev/full");
                file.write(std::string(1 << 20, 'x'));
                file.commit();
              }),
              HasSubstr("/dev/full: cannot write: No space left"));
}

}  // namespace
}  // namespace fovea::io
