// Reading from pipes that may be silent: a plain read of one waits forever, and with it everything
// that was found so far.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <span>
#include <stop_token>

namespace fovea::io {

// As read() does, but where `stop` fires while nothing comes, it fails with ECANCELED within a
// tenth of a second. The descriptor may be one that does not block.
ssize_t read_or_stop(int descriptor, std::span<std::byte> to, const std::stop_token& stop);

}  // namespace fovea::io
