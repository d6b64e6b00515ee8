#include "io/text/output_file.h"

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

// The temporary file lies beside the target, because a rename cannot cross file systems, and is
// hidden, so that globs and listings skip it.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}.{}.{}.{}.part", folder, name, getpid(), counter++);
}

// The path behind symbolic links, so that the rename replaces the file and not the link to it.
// Unlike realpath(), it also accepts a path where nothing exists yet.
std::string resolved(std::string path) {
  constexpr int kMostLinks = 40;  // Linux's limit; more are a cycle, which open() reports
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = (fs::path(path).parent_path() / next).string();
  }
  return path;
}

// The number of the open descriptor that the path stands for, or -1. Such a path leads to a file
// that a shell has opened; replacing that file would leave the shell with a deleted one.
int descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    path.remove_prefix(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    return error == std::errc() && end == path.data() + path.size() ? number : -1;
  }
  return -1;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(path_) {
  if (const int open_already = descriptor_of(path_); open_already >= 0) {
    const int copy = dup(open_already);
    file_ = copy < 0 ? nullptr : fdopen(copy, "wb");
    if (file_ == nullptr) fail("open");
    return;
  }
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) fail("write");
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) fail("open");
    return;
  }
  target_ = resolved(path_);
  temporary_ = temporary_beside(target_);
  const mode_t mode = exists ? status.st_mode & 0777U : 0666U;
  const int descriptor = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) fail("create");
  // The process's umask may have removed bits from open()'s mode that the older file has.
  if (!exists || fchmod(descriptor, mode) == 0) file_ = fdopen(descriptor, "w+b");
  if (file_ != nullptr) return;
  const int cause = errno;
  close(descriptor);
  unlink(temporary_.c_str());
  errno = cause;
  fail("create");
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("write");
}

void OutputFile::commit() {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0) fail("write");
  if (!temporary_.empty()) {
    if (fsync(fileno(file_)) != 0) fail("write");
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename");
  }
  std::fclose(file_);
  file_ = nullptr;
}

void OutputFile::fail(const char* doing) const {
  throw WriteError(fmt::format("{}: cannot {}: {}", path_, doing, std::strerror(errno)));
}

}  // namespace fovea::io
