// Pipes, terminals and sockets as C streams whose reads end when a stop is requested: a plain read
// of a silent pipe waits forever, and with it everything that was found so far.
#pragma once
#include <stop_token>
#include <string>

#include "io/video/y4m.h"

namespace fovea::io {

// A stream over a descriptor, which stays the caller's. Where `stop` fires, reads fail with
// ECANCELED within a tenth of a second.
FilePointer pipe_stream(int descriptor, const std::stop_token& stop);

// The same for a named pipe, which need not have a writer yet. Throws IoError that names the path.
FilePointer open_pipe(const std::string& path, const std::stop_token& stop);

}  // namespace fovea::io
