#pragma once
#include <fovea/core/api.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fovea::io {

// Where a writer puts its text, piece by piece. A sink that cannot take a piece throws.
using Sink = std::function<void(std::string_view)>;

// Whether an output of this name is the standard output: "-" or "/dev/stdout".
FOVEA_API bool is_standard_output(std::string_view path);

// Appends to a string that outlives the sink.
FOVEA_API Sink string_sink(std::string& text);
// Writes to an open C stream, which still belongs to the caller; errors call it `name` ("stdout").
FOVEA_API Sink stream_sink(std::FILE* stream, std::string name);

// A file that appears whole or not at all. It is written under a temporary name beside `path` and
// is renamed by commit(). Without commit() an older file of that name stays as it was. The paths
// "-" and "/dev/stdout" are the standard output, where each write() is flushed, so that whoever
// reads a pipe gets every piece at once, and commit() has nothing left to do.
class FOVEA_API FileSink {
 public:
  // Throws WriteError that names the path and the system's reason, as write() and commit() do.
  explicit FileSink(const std::string& path);
  ~FileSink();
  FileSink(FileSink&&) noexcept;
  FileSink& operator=(FileSink&&) noexcept;

  void write(std::string_view text);
  void commit();
  // This file as a sink, valid while it lives at this address.
  Sink sink() {
    return [this](std::string_view text) { write(text); };
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::io
