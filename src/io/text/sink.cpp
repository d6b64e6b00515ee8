#include <fovea/core/error.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "io/text/output_file.h"

namespace fovea::io {
namespace {

[[noreturn]] void fail(const std::string& name) {
  throw WriteError(fmt::format("{}: cannot write: {}", name, std::strerror(errno)));
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) fail("stdout");
}

}  // namespace

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

Sink string_sink(std::string& text) {
  return [&text](std::string_view piece) { text += piece; };
}

Sink stream_sink(std::FILE* stream, std::string name) {
  return [stream, name = std::move(name)](std::string_view piece) {
    if (std::fwrite(piece.data(), 1, piece.size(), stream) != piece.size()) fail(name);
  };
}

struct FileSink::Impl {
  std::optional<OutputFile> file;  // none means the standard output
};

FileSink::FileSink(const std::string& path) : impl_(std::make_unique<Impl>()) {
  if (!is_standard_output(path)) impl_->file.emplace(path);
}
FileSink::~FileSink() = default;
FileSink::FileSink(FileSink&&) noexcept = default;
FileSink& FileSink::operator=(FileSink&&) noexcept = default;

void FileSink::write(std::string_view text) {
  if (impl_->file) return impl_->file->write(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail("stdout");
  flush_standard_output();  // who reads a pipe gets every result when it is there
}

void FileSink::commit() {
  if (impl_->file) impl_->file->commit();
  else flush_standard_output();
}

}  // namespace fovea::io
