// Values as bytes, for what a manifest keeps of a result. The bytes are read by the same version of
// the program only, on machines with the same order of bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace fovea::cli {

class Packer {
 public:
  template <class Number>
  requires(std::is_arithmetic_v<Number>) Packer& number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{};
};

// Reads what a Packer wrote, in the same order. Throws FormatError where bytes are missing.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  requires(std::is_arithmetic_v<Number>) Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint64_t>())); }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

}  // namespace fovea::cli
