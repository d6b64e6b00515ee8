#include "io/output_file.h"

#include <fovea/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace fovea::io {
namespace {

// Beside the target, since a rename does not cross file systems; hidden, so that globs and listings
// pass it over.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}.{}.{}.{}.part", folder, name, getpid(), counter++);
}

}  // namespace

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), temporary_(temporary_beside(path_)) {
  struct stat status {};
  if (stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("create");
  file_ = fdopen(descriptor, "wb");
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("write");
}

void OutputFile::commit() {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0 || fsync(fileno(file_)) != 0)
    fail("write");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename");
  std::fclose(file_);
  file_ = nullptr;
}

void OutputFile::fail(const char* doing) {
  throw IoError(fmt::format("{}: cannot {}: {}", path_, doing, std::strerror(errno)));
}

}  // namespace fovea::io
