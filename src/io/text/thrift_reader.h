// Reads structures in the compact protocol of Apache Thrift without knowing what they stand for.
// The bytes are not trusted: what does not end, is too deep or has a type that the protocol does
// not have is a ThriftError.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace fovea::io {

struct ThriftError {};

// A value: a number, a text, a list or a structure, of which all but one are empty.
struct ThriftValue {
  std::int64_t number = 0;
  std::string_view text{};  // in the bytes that were read
  std::vector<ThriftValue> list{};
  std::map<int, ThriftValue> fields{};

  // A value without anything where there is no such field.
  const ThriftValue& operator[](int id) const {
    static const ThriftValue kNone{};
    const auto found = fields.find(id);
    return found == fields.end() ? kNone : found->second;
  }
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  ThriftValue structure() { return structure(0); }
  std::size_t position() const { return at_; }

  std::uint64_t varint() {
    constexpr int kMostBits = 64;
    std::uint64_t value = 0;
    for (int shift = 0; shift < kMostBits; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 0x7FU) << static_cast<unsigned>(shift);
      if (next < 0x80) return value;
    }
    throw ThriftError{};
  }

 private:
  static constexpr int kMostDepth = 16;

  std::uint64_t byte() {
    if (at_ >= bytes_.size()) throw ThriftError{};
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  std::int64_t zigzag() {
    const std::uint64_t raw = varint();
    return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
  }
  std::string_view bytes(std::uint64_t count) {
    if (count > bytes_.size() - at_) throw ThriftError{};
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return part;
  }

  ThriftValue structure(int depth) {
    ThriftValue value;
    int id = 0;
    for (std::uint64_t head = byte(); head != 0; head = byte()) {
      const std::uint64_t step = head >> 4;
      id = step == 0 ? static_cast<int>(static_cast<std::int16_t>(zigzag()))
                     : id + static_cast<int>(step);
      value.fields.insert_or_assign(id, field(head & 15, depth));
    }
    return value;
  }
  // Of a field, whose type says what a truth is; in a list it takes a byte.
  ThriftValue field(std::uint64_t type, int depth) {
    constexpr std::uint64_t kTrue = 1, kFalse = 2;
    if (type == kTrue || type == kFalse) return {.number = type == kTrue ? 1 : 0};
    return element(type, depth);
  }
  ThriftValue element(std::uint64_t type, int depth) {
    enum : unsigned { kTrue = 1, kFalse, kByte, kI16, kI32, kI64, kDouble, kText, kList, kSet };
    constexpr std::uint64_t kStruct = 12;
    if (depth > kMostDepth) throw ThriftError{};
    switch (type) {
      case kTrue:
      case kFalse:
      case kByte: return {.number = static_cast<std::int64_t>(byte())};
      case kI16:
      case kI32:
      case kI64: return {.number = zigzag()};
      case kDouble: bytes(sizeof(double)); return {};
      case kText: return {.text = bytes(varint())};
      case kList:
      case kSet: return list(depth + 1);
      case kStruct: return structure(depth + 1);
      default: throw ThriftError{};
    }
  }
  ThriftValue list(int depth) {
    const std::uint64_t head = byte();
    const std::uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
    if (count > bytes_.size() - at_) throw ThriftError{};  // an element takes a byte at least
    ThriftValue value;
    value.list.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) value.list.push_back(element(head & 15, depth));
    return value;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace fovea::io
