#include "cluster/file_lock.h"

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace fovea::cluster::detail {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

std::string first_line_of(int file) {
  std::array<char, 512> text{};
  const ssize_t count = pread(file, text.data(), text.size() - 1, 0);
  const std::string found(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return found.substr(0, found.find('\n'));
}

// Whether the open file is still the one of this name: its last owner may have removed it.
bool is_named(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

FileLock::FileLock(std::string path, const std::string& guarded) : path_(std::move(path)) {
  do {
    if (file_ >= 0) close(file_);
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0)
      throw WriteError(fmt::format("{}: cannot be made: {}", path_, std::strerror(errno)));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (const int reason = errno; reason != EWOULDBLOCK) {
        close(std::exchange(file_, -1));
        throw WriteError(fmt::format("{}: cannot be locked: {}", path_, std::strerror(reason)));
      }
      struct stat state {};
      const std::string owner = first_line_of(file_);
      const auto age = fstat(file_, &state) == 0 ? std::time(nullptr) - state.st_mtime : 0;
      close(std::exchange(file_, -1));
      throw IoError(fmt::format("{}: {} has been writing to it for {} s ({}); wait for its end",
                                guarded, owner.empty() ? "another process" : owner,
                                std::max<std::time_t>(age, 0), path_));
    }
  } while (!is_named(file_, path_));
  const std::string owner = fmt::format("process {} on {}\n", getpid(), host_name());
  if (ftruncate(file_, 0) != 0 ||
      pwrite(file_, owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
    const int reason = errno;
    unlink(path_.c_str());
    close(std::exchange(file_, -1));
    throw WriteError(fmt::format("{}: cannot be written: {}", path_, std::strerror(reason)));
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(file_);
}

}  // namespace fovea::cluster::detail
