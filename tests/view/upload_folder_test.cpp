#include "view/upload_folder.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "support/files.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;

// What another process leaves that makes a folder and is killed.
std::string left_by_a_killed_process(const std::string& place) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const UploadFolder folder(place);
    if (write(ends[1], folder.path().data(), folder.path().size()) < 0) _exit(1);
    close(ends[1]);
    pause();
    _exit(0);
  }
  close(ends[1]);
  std::string path(4096, '\0');
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], path.data(), 4096), 0)));
  close(ends[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return path;
}

TEST(UploadFolderTest, GoesWithItsOwner) {
  const test::TempFolder place;
  std::optional<UploadFolder> folder(std::in_place, place.path());
  const std::string path = folder->path();
  test::save(path + "/a.png", "x");
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::mask, fs::perms::owner_all);
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(UploadFolderTest, WhatAKilledProcessLeftGoesWithTheNext) {
  const test::TempFolder place;
  const std::string left = left_by_a_killed_process(place.path());
  ASSERT_TRUE(fs::exists(left)) << left;
  test::save(left + "/a.png", "x");
  const UploadFolder lives(place.path());
  EXPECT_FALSE(fs::exists(left));
  const UploadFolder second(place.path());
  EXPECT_TRUE(fs::exists(lives.path()));
  EXPECT_NE(lives.path(), second.path());
}

TEST(UploadFolderTest, OnlyWhatThisUserAloneMayEnterIsTaken) {
  const test::TempFolder place;
  fs::create_directory(place / "kept");
  test::save(place / "kept/a.txt", "x");
  fs::create_directory(place / "fovea-view-public");
  fs::create_directory(place / "fovea-view-open12");
  fs::permissions(place / "fovea-view-open12", fs::perms::all);
  fs::create_directory_symlink(place / "kept", place / "fovea-view-link12");
  const UploadFolder folder(place.path());
  for (const char* name :
       {"kept/a.txt", "fovea-view-public", "fovea-view-open12", "fovea-view-link12"})
    EXPECT_TRUE(fs::exists(place / name)) << name;
}

}  // namespace
}  // namespace fovea::view
