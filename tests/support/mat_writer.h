// Writes MATLAB's level 5 files, in both byte orders, compressed or not.
#pragma once
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace fovea::test {

struct MatWriter {
  bool big = false;

  template <class T>
  std::string number(T value) const {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (big) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }
  std::string header(const std::string& text = "MATLAB 5.0 MAT-file, written by a test") const {
    std::string head = text + std::string(124 - text.size(), ' ');
    return head + number(std::uint16_t{0x0100}) + (big ? "MI" : "IM");
  }
  std::string element(std::uint32_t type, const std::string& data) const {
    return number(type) + number(static_cast<std::uint32_t>(data.size())) + data +
           std::string((8 - data.size() % 8) % 8, '\0');
  }
  // Up to four bytes inside the tag.
  std::string small(std::uint32_t type, const std::string& data) const {
    return number(type | static_cast<std::uint32_t>(data.size()) << 16) + data +
           std::string(4 - data.size(), '\0');
  }
  // `values` is the element of the real part.
  std::string matrix(std::uint32_t array_class, const std::vector<std::int32_t>& sides,
                     const std::string& name, const std::string& values) const {
    std::string dimensions;
    for (const std::int32_t side : sides) dimensions += number(side);
    return element(14, element(6, number(array_class) + number(std::uint32_t{0})) +
                           element(5, dimensions) +
                           (name.size() <= 4 ? small(1, name) : element(1, name)) + values);
  }
  std::string compressed(const std::string& data) const {
    uLongf size = compressBound(data.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(data.data()), data.size());
    packed.resize(size);
    return number(std::uint32_t{15}) + number(static_cast<std::uint32_t>(size)) + packed;
  }
};

}  // namespace fovea::test
