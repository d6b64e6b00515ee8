// Pipes, terminals and sockets as C streams whose reads end when a stop is requested. A plain read
// of a silent pipe would wait forever, and everything found so far would wait with it.
#pragma once
#include <stop_token>
#include <string>

#include "io/video/y4m.h"

namespace fovea::io {

// A stream over a descriptor, which the caller still owns. When `stop` fires, reads fail with
// ECANCELED within a tenth of a second.
FilePointer pipe_stream(int descriptor, const std::stop_token& stop);

// The same for a named pipe, which need not have a writer yet. Throws an IoError that names the
// path.
FilePointer open_pipe(const std::string& path, const std::stop_token& stop);

}  // namespace fovea::io
