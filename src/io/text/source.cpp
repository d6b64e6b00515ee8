#include "io/text/source.h"

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/text/pipe_read.h"

namespace fovea::io {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;

[[noreturn]] void refuse(const std::string& name, std::string_view cause) {
  throw IoError(fmt::format("{}: {}", name, cause));
}
[[noreturn]] void refuse_system(const std::string& name, const char* doing) {
  refuse(name, fmt::format("cannot {}: {}", doing, std::strerror(errno)));
}

}  // namespace

Source::Source(const std::string& path, const std::stop_token& stop) : name_(path) {
  // Without O_NONBLOCK, a named pipe would not be opened before it has a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) refuse_system(path, "open");
  descriptor_ = descriptor;
  struct stat status {};
  std::string problem;
  if (fstat(descriptor, &status) != 0) problem = std::strerror(errno);
  else if (S_ISDIR(status.st_mode)) problem = "is a folder; name a file in it";
  else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) problem = "is a device, not a file";
  if (!problem.empty()) {
    close(descriptor);
    refuse(path, problem);
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
  else read_pipe(descriptor, stop);
}

Source::Source(const std::stop_token& stop) : name_("standard input") {
  const int descriptor = dup(STDIN_FILENO);  // which read_pipe() closes
  if (descriptor < 0) refuse_system(name_, "read");
  read_pipe(descriptor, stop);
}

Source::~Source() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Source::read_pipe(int descriptor, const std::stop_token& stop) {
  descriptor_ = -1;
  std::size_t used = 0;
  ssize_t got = 0;
  do {
    pipe_.resize(std::max(used + kBufferBytes, used * 2));
    got = read_or_stop(descriptor, std::span(pipe_).subspan(used), stop);
    if (got > 0) used += static_cast<std::size_t>(got);
  } while (got > 0);
  const int error = errno;
  close(descriptor);
  errno = error;
  if (got < 0 && error == ECANCELED) throw Cancelled(fmt::format("{}: stopped on request", name_));
  if (got < 0) refuse_system(name_, "read");
  pipe_.resize(used);
  data_ = pipe_;
  size_ = used;
}

std::size_t Source::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  if (offset >= size_) return 0;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), size_ - offset));
  if (descriptor_ < 0) {
    if (wanted > 0) std::memcpy(to.data(), data_.data() + offset, wanted);
    return wanted;
  }
  std::size_t used = 0;
  while (used < wanted) {
    const ssize_t got =
        pread(descriptor_, to.data() + used, wanted - used, static_cast<off_t>(offset + used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_system(name_, "read");
    if (got == 0) break;  // the file has become shorter since it was opened
    used += static_cast<std::size_t>(got);
  }
  return used;
}

void Source::fail(std::string_view cause) const {
  throw FormatError(fmt::format("{}: {}", name_, cause));
}

bool Cursor::refill() {
  buffer_.resize(kBufferBytes);
  buffer_begin_ = 0;
  buffer_end_ = source_.read_at(offset_, buffer_);
  offset_ += buffer_end_;
  return buffer_end_ > 0;
}

std::size_t Cursor::read(std::span<std::byte> to) {
  const std::size_t buffered = std::min(to.size(), buffer_end_ - buffer_begin_);
  if (buffered > 0) std::memcpy(to.data(), buffer_.data() + buffer_begin_, buffered);
  buffer_begin_ += buffered;
  to = to.subspan(buffered);
  if (to.empty()) return buffered;
  if (to.size() >= kBufferBytes) {
    const std::size_t direct = source_.read_at(offset_, to);
    offset_ += direct;
    return buffered + direct;
  }
  return refill() ? buffered + read(to) : buffered;
}

void Cursor::read_all(std::span<std::byte> to) {
  const std::uint64_t start = position();
  const std::size_t got = read(to);
  if (got < to.size())
    source_.fail(fmt::format("is truncated: {} bytes were expected at byte {}, {} are there",
                             to.size(), start, got));
}

}  // namespace fovea::io
