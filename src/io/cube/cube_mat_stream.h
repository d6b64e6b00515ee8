// The bytes of a .mat file's element from front to back, inflated where they are compressed.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "io/text/source.h"

namespace fovea::io {

struct MatTag {
  std::uint32_t type = 0;
  std::uint32_t bytes = 0;
  bool small = false;  // the data is stored in the tag's second half
};

class MatStream {
 public:
  MatStream(const Source& source, std::uint64_t offset, bool swapped);
  // Reads `length` bytes in zlib's format.
  MatStream(const Source& source, std::uint64_t offset, std::uint32_t length, bool swapped);
  MatStream(MatStream&&) noexcept;
  MatStream& operator=(MatStream&&) = delete;
  ~MatStream();

  const Source& source() const { return cursor_.source(); }
  bool compressed() const { return inflater_ != nullptr; }
  // Limits further reads to the data of this element.
  void enter(const MatTag& element) { left_ = element.bytes; }
  // Throws FormatError where the element or the file ends too soon or cannot be inflated.
  void read(std::span<std::byte> to);
  std::uint32_t word();
  MatTag tag();
  // Skips the padding after an element whose data was read completely.
  void end_element(const MatTag& tag);

 private:
  struct Inflater;
  void inflate_to(std::span<std::byte> to);

  Cursor cursor_;
  bool swapped_;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace fovea::io
