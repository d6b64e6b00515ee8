// The header of a safetensors file: an 8-byte little-endian length, then a JSON object of that
// length that gives each tensor's type, shape and place in the bytes that follow.
// https://huggingface.co/docs/safetensors, "Format".
#pragma once
#include <fovea/io/model_file.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fovea::io {

struct SafetensorsEntry {
  std::string name;
  TensorType dtype = TensorType::kU8;
  Shape shape;
  std::uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  // in the order of their data
};

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit

std::optional<TensorType> parse_tensor_type(std::string_view text);
// The number of elements of a shape, or nothing where a side is negative or the number of bytes
// does not fit 64 bits.
std::optional<std::uint64_t> shape_elements(const Shape& shape, TensorType dtype);
// "[3, 4]", with * for kAnySize.
std::string shape_text(const Shape& shape);

// Parses a header and checks that its tensors fill the `data_bytes` that follow it without gap or
// overlap. Throws a FormatError that begins with `file`.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::string& file);

}  // namespace fovea::io
