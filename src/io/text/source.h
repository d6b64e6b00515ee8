// Bytes to decode, from a file or from memory. They are read by position, so that headers can be
// inspected without loading the rest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

class Source {
 public:
  // Throws IoError for what cannot be opened. Pipes are read to their end here, and need not have a
  // writer yet; throws Cancelled where a stop is requested before the end.
  explicit Source(const std::string& path, const std::stop_token& stop = {});
  // Everything from the standard input, in the same way.
  static Source standard_input(const std::stop_token& stop) { return Source(stop); }
  // The bytes must outlive the source.
  Source(std::span<const std::byte> data, std::string name) : name_(std::move(name)), data_(data) {
    size_ = data.size();
  }
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  // Fills `to` from `offset` and returns how many bytes were read, which is fewer only at the end.
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> to) const;
  // Throws FormatError: "NAME: cause".
  [[noreturn]] void fail(std::string_view cause) const;

 private:
  explicit Source(const std::stop_token& stop);  // the standard input
  void read_pipe(int descriptor, const std::stop_token& stop);

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> pipe_;
  std::span<const std::byte> data_;
};

// Reads a source from front to back through a buffer.
class Cursor {
 public:
  explicit Cursor(const Source& source, std::uint64_t offset = 0)
      : source_(source), offset_(offset) {}

  const Source& source() const { return source_; }
  std::uint64_t position() const { return offset_ - (buffer_end_ - buffer_begin_); }
  std::uint64_t remaining() const {
    return source_.size() > position() ? source_.size() - position() : 0;
  }
  // Returns how many bytes were read, which is fewer only at the end.
  std::size_t read(std::span<std::byte> to);
  // Throws FormatError where the file ends too soon.
  void read_all(std::span<std::byte> to);
  // The next byte, or -1 at the end.
  int get() {
    if (buffer_begin_ == buffer_end_ && !refill()) return -1;
    return static_cast<int>(buffer_[buffer_begin_++]);
  }

 private:
  bool refill();

  const Source& source_;
  std::uint64_t offset_;  // where the buffer ends in the source
  std::vector<std::byte> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
};

}  // namespace fovea::io
