#include "view/upload_folder.h"

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

namespace fovea::view {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kName = "fovea-view-";
constexpr std::size_t kRandomLetters = 6;

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Others may put anything under such a name into a folder that all share: only what this user alone
// may enter is taken for a folder of ours.
bool is_ours(int folder) {
  struct stat state {};
  return fstat(folder, &state) == 0 && state.st_uid == geteuid() && (state.st_mode & 07777) == 0700;
}

void remove_if_left(const fs::path& path) {
  const int folder = open_folder(path);
  if (folder < 0) return;
  std::error_code ignored;
  if (is_ours(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
  close(folder);
}

void remove_left(const fs::path& place) {
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kName) && name.size() == kName.size() + kRandomLetters)
      remove_if_left(entry->path());
  }
}

}  // namespace

UploadFolder::UploadFolder(const std::string& place) {
  remove_left(place);
  std::string name = (fs::path(place) / (std::string(kName) + "XXXXXX")).string();
  // Only this user may enter it. Another process that begins now may remove it before it is locked.
  for (int tries = 0; tries < 3 && held_ < 0; ++tries) {
    std::string made = name;
    if (mkdtemp(made.data()) == nullptr) break;
    const int folder = open_folder(made);
    struct stat state {};
    // Where a file system has no locks, nobody finds the folder left either.
    const bool locked = folder >= 0 && (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK ||
                                        errno == EOPNOTSUPP);
    if (locked && stat(made.c_str(), &state) == 0) {
      path_ = made;
      held_ = folder;
    } else if (folder >= 0) {
      close(folder);
    }
  }
  if (held_ < 0)
    throw WriteError(fmt::format("{}: no temporary folder for uploads can be made", name));
}

UploadFolder::~UploadFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(held_);
}

}  // namespace fovea::view
