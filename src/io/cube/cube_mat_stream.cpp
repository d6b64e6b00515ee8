// Reads the bytes of an element from the file or through zlib. It inflates no more than is
// requested, so that listing a file's arrays reads only their headers. It never reads past the
// length that an element states: a wrong length ends in an error, not in the next element.
#include "io/cube/cube_mat_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace fovea::io {

struct MatStream::Inflater {
  z_stream state{};
  std::uint64_t left = 0;  // compressed bytes that are still unread
  std::array<std::byte, 16384> buffer{};

  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&state); }
};

MatStream::MatStream(const Source& source, std::uint64_t offset, bool swapped)
    : cursor_(source, offset), swapped_(swapped) {}

MatStream::MatStream(const Source& source, std::uint64_t offset, std::uint32_t length, bool swapped)
    : cursor_(source, offset), swapped_(swapped), inflater_(std::make_unique<Inflater>()) {
  inflater_->left = length;
  if (inflateInit(&inflater_->state) != Z_OK) throw std::bad_alloc();
}

MatStream::MatStream(MatStream&&) noexcept = default;
MatStream::~MatStream() = default;

void MatStream::read(std::span<std::byte> to) {
  if (to.size() > left_)
    source().fail(fmt::format("is damaged: an array needs {} bytes more than it says it has",
                              to.size() - left_));
  left_ -= to.size();
  if (compressed()) inflate_to(to);
  else cursor_.read_all(to);
}

void MatStream::inflate_to(std::span<std::byte> to) {
  z_stream& state = inflater_->state;
  while (!to.empty()) {
    if (state.avail_in == 0 && inflater_->left > 0) {
      const auto wanted = std::min<std::uint64_t>(inflater_->left, inflater_->buffer.size());
      cursor_.read_all(std::span(inflater_->buffer).first(static_cast<std::size_t>(wanted)));
      inflater_->left -= wanted;
      state.next_in = reinterpret_cast<Bytef*>(inflater_->buffer.data());
      state.avail_in = static_cast<uInt>(wanted);
    }
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max()));
    state.next_out = reinterpret_cast<Bytef*>(to.data());
    state.avail_out = room;
    const int result = inflate(&state, Z_NO_FLUSH);
    to = to.subspan(room - state.avail_out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    const bool starved = result == Z_BUF_ERROR || (result == Z_OK && inflater_->left == 0 &&
                                                   state.avail_in == 0 && room == state.avail_out);
    if (!to.empty() && (result == Z_STREAM_END || starved))
      source().fail(
          fmt::format("is truncated or damaged: {} bytes of an array are missing", to.size()));
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      source().fail(fmt::format("is damaged: an array cannot be inflated ({})",
                                state.msg != nullptr ? state.msg : "zlib's checksum is wrong"));
  }
}

std::uint32_t MatStream::word() {
  std::array<std::byte, 4> bytes{};
  read(bytes);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return swapped_ ? __builtin_bswap32(value) : value;
}

MatTag MatStream::tag() {
  const std::uint32_t first = word();
  if (first >> 16 != 0) {
    const MatTag tag{first & 0xffffU, first >> 16, true};
    if (tag.bytes > 4)
      source().fail(fmt::format("is damaged: a small element claims {} bytes", tag.bytes));
    return tag;
  }
  return {first, word(), false};
}

void MatStream::end_element(const MatTag& tag) {
  std::array<std::byte, 8> padding{};
  const std::uint32_t unit = tag.small ? 4 : 8;
  read(std::span(padding).first((unit - tag.bytes % unit) % unit));
}

}  // namespace fovea::io
