#include "io/text/pipe_read.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace fovea::io {
namespace {

constexpr int kLookForStopMilliseconds = 50;

}  // namespace

ssize_t read_or_stop(int descriptor, std::span<std::byte> to, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) {
      errno = ECANCELED;
      return -1;
    }
    pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = poll(&waited, 1, kLookForStopMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return -1;
    const ssize_t got = ::read(descriptor, to.data(), to.size());
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
  }
}

}  // namespace fovea::io
