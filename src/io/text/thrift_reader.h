// Reads structures in the compact protocol of Apache Thrift, of which it keeps the fields that are
// asked for. The bytes are not trusted: what does not end, is too deep or has a type that the
// protocol does not have is a ThriftError.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::io {

struct ThriftError {};
// More values than the reader may keep.
struct ThriftTooMany {};

// A field that is asked for, and those within its structure or the structures of its list.
struct ThriftField {
  int id = 0;
  std::vector<ThriftField> fields{};
};

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
  explicit ThriftReader(std::string_view bytes, std::size_t most_values = 1000)
      : bytes_(bytes), left_(most_values) {}

  ThriftValue structure(const std::vector<ThriftField>& fields) { return structure(fields, 0); }
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

  enum Type : std::uint64_t {
    kTrue = 1,
    kFalse,
    kByte,
    kI16,
    kI32,
    kI64,
    kDouble,
    kText,
    kList,
    kSet,
    kStruct = 12
  };

  // Calls take(id, type) for each field of a structure.
  template <class Take>
  void each_field(const Take& take) {
    int id = 0;
    for (std::uint64_t head = byte(); head != 0; head = byte()) {
      const std::uint64_t step = head >> 4;
      id = step == 0 ? static_cast<int>(static_cast<std::int16_t>(zigzag()))
                     : id + static_cast<int>(step);
      take(id, head & 15);
    }
  }
  ThriftValue structure(const std::vector<ThriftField>& fields, int depth) {
    ThriftValue value;
    each_field([&](int id, std::uint64_t type) {
      const auto wanted = std::ranges::find(fields, id, &ThriftField::id);
      const bool truth = type == kTrue || type == kFalse;  // the type of a field says which one
      if (wanted == fields.end()) {
        if (!truth) skip(type, depth);
        return;
      }
      value.fields.insert_or_assign(id, truth ? ThriftValue{.number = type == kTrue ? 1 : 0}
                                              : element(type, wanted->fields, depth));
    });
    return value;
  }
  ThriftValue element(std::uint64_t type, const std::vector<ThriftField>& fields, int depth) {
    if (depth > kMostDepth) throw ThriftError{};
    if (left_ == 0) throw ThriftTooMany{};
    --left_;
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
      case kSet: return list(fields, depth + 1);
      case kStruct: return structure(fields, depth + 1);
      default: throw ThriftError{};
    }
  }
  // The type and the number of a list's elements, of which each takes a byte at least.
  std::pair<std::uint64_t, std::uint64_t> list_head() {
    const std::uint64_t head = byte();
    const std::uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
    if (count > bytes_.size() - at_) throw ThriftError{};
    return {head & 15, count};
  }
  ThriftValue list(const std::vector<ThriftField>& fields, int depth) {
    const auto [type, count] = list_head();
    if (count > left_) throw ThriftTooMany{};
    ThriftValue value;
    value.list.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) value.list.push_back(element(type, fields, depth));
    return value;
  }
  void skip(std::uint64_t type, int depth) {
    if (depth > kMostDepth) throw ThriftError{};
    switch (type) {
      case kTrue:
      case kFalse:
      case kByte: byte(); return;
      case kI16:
      case kI32:
      case kI64: varint(); return;
      case kDouble: bytes(sizeof(double)); return;
      case kText: bytes(varint()); return;
      case kList:
      case kSet: {
        const auto [each, count] = list_head();
        for (std::uint64_t i = 0; i < count; ++i) skip(each, depth + 1);
        return;
      }
      case kStruct:
        each_field([&](int, std::uint64_t each) {
          if (each != kTrue && each != kFalse) skip(each, depth + 1);
        });
        return;
      default: throw ThriftError{};
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t left_;  // values that may still be kept
};

}  // namespace fovea::io
