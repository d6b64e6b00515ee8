// Raw video of cubes: as many bytes as the header states, again and again.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/cube_stream.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/cube/cube_format.h"
#include "io/video/pipe_stream.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

FilePointer open_raw_cubes(const std::string& source, const std::stop_token& stop) {
  if (source == "-") return pipe_stream(STDIN_FILENO, stop);
  std::error_code ignored;
  if (fs::is_directory(source, ignored))
    throw IoError(fmt::format("{}: is a folder; expected a file or pipe of raw cubes", source));
  if (fs::exists(source, ignored) && !fs::is_regular_file(source, ignored))
    return open_pipe(source, stop);
  FilePointer file(std::fopen(source.c_str(), "rb"), std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", source, std::strerror(errno)));
  return file;
}

std::string text_of(const Source& source) {
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  text.resize(source.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

struct CubeStream::Impl {
  std::string name;
  std::string header_text;
  CubeReadOptions options;
  FilePointer stream{nullptr, std::fclose};
  std::uint64_t bytes = 0;
  std::int64_t expected = -1;
  std::int64_t next = 0;
};

CubeStream::CubeStream(const std::string& source, const std::string& header,
                       const CubeReadOptions& options, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>()) {
  Impl& state = *impl_;
  state.name = source == "-" ? "standard input" : source;
  const Source described(header);
  state.options = options;
  state.bytes = envi_file_bytes(described, options);
  state.header_text = text_of(described);
  state.stream = open_raw_cubes(source, stop);
  std::error_code ignored;
  if (source == "-" || !fs::is_regular_file(source, ignored)) return;
  const std::uintmax_t size = fs::file_size(source, ignored);
  if (size < state.bytes)
    throw FormatError(fmt::format("{}: has {} bytes, but {} states {} for one cube", source, size,
                                  header, state.bytes));
  state.expected = static_cast<std::int64_t>(size / state.bytes);
}
CubeStream::~CubeStream() = default;
CubeStream::CubeStream(CubeStream&&) noexcept = default;
CubeStream& CubeStream::operator=(CubeStream&&) noexcept = default;

bool CubeStream::fetch(std::vector<std::byte>& cube) {
  Impl& state = *impl_;
  cube.resize(static_cast<std::size_t>(state.bytes));
  const std::size_t got = std::fread(cube.data(), 1, cube.size(), state.stream.get());
  if (got < cube.size() && std::ferror(state.stream.get()) != 0) {
    if (errno == ECANCELED) throw Cancelled(fmt::format("{}: stopped on request", state.name));
    throw IoError(fmt::format("{}: cannot read: {}", state.name, std::strerror(errno)));
  }
  if (got == 0) return false;
  if (got < cube.size())
    throw FormatError(fmt::format("{}: ends within cube {}: {} of its {} bytes are there",
                                  state.name, state.next, got, state.bytes));
  ++state.next;
  return true;
}

Cube CubeStream::decode(std::span<const std::byte> cube) const {
  return read_envi(impl_->header_text, cube, impl_->name, impl_->options);
}

std::uint64_t CubeStream::cube_bytes() const { return impl_->bytes; }
std::int64_t CubeStream::expected_cubes() const { return impl_->expected; }

}  // namespace fovea::io
