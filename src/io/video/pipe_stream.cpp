#include "io/video/pipe_stream.h"

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>

#include "io/text/pipe_read.h"

namespace fovea::io {
namespace {

struct Pipe {
  int descriptor = -1;
  bool owned = false;
  std::stop_token stop{};
};

ssize_t read_pipe(void* cookie, char* to, std::size_t bytes) {
  const Pipe& pipe = *static_cast<const Pipe*>(cookie);
  return read_or_stop(pipe.descriptor, std::as_writable_bytes(std::span(to, bytes)), pipe.stop);
}

int close_pipe(void* cookie) {
  const std::unique_ptr<Pipe> pipe(static_cast<Pipe*>(cookie));
  return pipe->owned ? ::close(pipe->descriptor) : 0;
}

FilePointer stream_of(const Pipe& pipe) {
  auto kept = std::make_unique<Pipe>(pipe);
  std::FILE* stream =
      fopencookie(kept.get(), "rb",
                  {.read = read_pipe, .write = nullptr, .seek = nullptr, .close = close_pipe});
  if (stream == nullptr) throw IoError(fmt::format("cannot read a pipe: {}", std::strerror(errno)));
  static_cast<void>(kept.release());  // the stream owns it now
  return {stream, std::fclose};
}

}  // namespace

FilePointer pipe_stream(int descriptor, const std::stop_token& stop) {
  return stream_of({.descriptor = descriptor, .owned = false, .stop = stop});
}

FilePointer open_pipe(const std::string& path, const std::stop_token& stop) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return stream_of({.descriptor = descriptor, .owned = true, .stop = stop});
}

}  // namespace fovea::io
