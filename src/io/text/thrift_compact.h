// Writes structures in the compact protocol of Apache Thrift, which Parquet uses for page headers
// and the footer. Numbers are zigzag varints; a field is named by its distance to the one before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

inline void put_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes += static_cast<char>(value);
}

class ThriftWriter {
 public:
  // Appends to `bytes`, which must outlive the writer, and begins the outermost structure.
  explicit ThriftWriter(std::string& bytes) : bytes_(bytes), last_{0} {}

  ThriftWriter& i32(int id, std::int32_t value) { return head(id, kI32).number(value); }
  ThriftWriter& i64(int id, std::int64_t value) { return head(id, kI64).number(value); }
  ThriftWriter& text(int id, std::string_view value) { return head(id, kBinary).put(value); }
  // Begins the structure in field `id`; its fields follow, up to end().
  ThriftWriter& structure(int id) {
    head(id, kStruct);
    return element();
  }

  // Begins a list; `count` elements must follow.
  ThriftWriter& numbers(int id, std::size_t count) { return list(id, count, kI32); }
  ThriftWriter& texts(int id, std::size_t count) { return list(id, count, kBinary); }
  ThriftWriter& structures(int id, std::size_t count) { return list(id, count, kStruct); }
  ThriftWriter& number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    put_varint(bytes_, (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
    return *this;
  }
  ThriftWriter& put(std::string_view value) {
    put_varint(bytes_, value.size());
    bytes_ += value;
    return *this;
  }
  // Begins a structure that is an element of a list.
  ThriftWriter& element() {
    last_.push_back(0);
    return *this;
  }
  // Ends the innermost structure.
  ThriftWriter& end() {
    bytes_ += '\0';
    last_.pop_back();
    return *this;
  }

 private:
  enum Type : std::uint8_t { kI32 = 5, kI64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

  // Parquet's fields are in order and less than 16 apart, so that the short form is always
  // possible.
  ThriftWriter& head(int id, Type type) {
    bytes_ += static_cast<char>(((id - last_.back()) << 4) | type);
    last_.back() = id;
    return *this;
  }
  ThriftWriter& list(int id, std::size_t count, Type type) {
    head(id, kList);
    bytes_ += static_cast<char>(((count < 15 ? count : 15) << 4) | type);
    if (count >= 15) put_varint(bytes_, count);
    return *this;
  }

  std::string& bytes_;
  std::vector<int> last_;  // the last field of every open structure
};

}  // namespace fovea::io
