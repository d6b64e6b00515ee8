// NumPy arrays: header text, elements of either byte order, C and Fortran order.
#include "io/image/npy.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "io/image/codec.h"
#include "io/image/half.h"

namespace fovea::io {
namespace {

constexpr std::size_t kMostNpyHeaderBytes = 1 << 20;
constexpr std::size_t kMostNpyDimensions = 64;  // NumPy's own limit
constexpr char kSystemOrder = std::endian::native == std::endian::little ? '<' : '>';

struct TypeCode {
  const char* name;
  const char* code;
  std::size_t bytes;
};
constexpr std::array<TypeCode, 11> kTypes{{{"bool", "b1", 1},
                                           {"uint8", "u1", 1},
                                           {"uint16", "u2", 2},
                                           {"uint32", "u4", 4},
                                           {"uint64", "u8", 8},
                                           {"int8", "i1", 1},
                                           {"int16", "i2", 2},
                                           {"int32", "i4", 4},
                                           {"int64", "i8", 8},
                                           {"float32", "f4", 4},
                                           {"float64", "f8", 8}}};

const TypeCode& code_of(DType type) { return kTypes.at(static_cast<std::size_t>(type)); }

// Parses a header, which is a Python dictionary of strings, True, False and a tuple of numbers.
class HeaderParser {
 public:
  HeaderParser(const Source& source, std::string_view text) : source_(source), rest_(text) {}

  void parse(NpyHeader& header) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        set_type(header, string());
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        fail();
      }
      if (!take(',') && peek() != '}') fail();
    }
    if (!descr || !order || !shape) fail();
  }

 private:
  [[noreturn]] void fail() const { source_.fail("is damaged: its .npy header cannot be read"); }

  char peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }

  std::string_view string() {
    const char quote = peek();
    if (quote == '[') source_.fail("holds records with several fields; save each as an array");
    if (quote != '\'' && quote != '"') fail();
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    const bool value = peek() == 'T';
    const std::string_view word = value ? "True" : "False";
    if (!rest_.starts_with(word)) fail();
    rest_.remove_prefix(word.size());
    return value;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> values;
    expect('(');
    while (!take(')')) {
      peek();
      std::size_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || values.size() == kMostNpyDimensions) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take('L');  // Python 2 marked long numbers like this
      values.push_back(value);
      if (!take(',') && peek() != ')') fail();
    }
    return values;
  }

  void set_type(NpyHeader& header, std::string_view descr) const {
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = descr.size() == 3 ? descr.substr(1) : "";
    header.swapped = (order == '<' || order == '>') && order != kSystemOrder;
    const bool known_order = order == '<' || order == '>' || order == '=' || order == '|';
    if (known_order && code == "f2") {
      header.half = true;
      header.type = DType::kFloat32;
      header.stored_bytes = 2;
      return;
    }
    for (std::size_t i = 0; known_order && i < kTypes.size(); ++i) {
      if (code != kTypes[i].code) continue;
      header.type = static_cast<DType>(i);
      header.stored_bytes = kTypes[i].bytes;
      return;
    }
    const std::string_view shown = descr.substr(0, 16);
    source_.fail(fmt::format(
        "holds elements of type '{}'; bool, integers and floats of 2, 4 or 8 bytes are read",
        shown));
  }

  const Source& source_;
  std::string_view rest_;
};

std::size_t header_length(Cursor& cursor) {
  std::array<std::byte, 8> start{};  // magic and version
  cursor.read_all(start);
  const int version = static_cast<int>(start[6]);
  if (version < 1 || version > 3)
    cursor.source().fail(fmt::format("is .npy of version {}; 1 to 3 are read", version));
  std::array<std::byte, 4> bytes{};
  cursor.read_all(std::span(bytes).first(version == 1 ? 2 : 4));
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length |= static_cast<std::size_t>(bytes[i]) << 8 * i;
  if (length > kMostNpyHeaderBytes || length > cursor.remaining())
    cursor.source().fail(
        fmt::format("is truncated or damaged: it claims a header of {} bytes", length));
  return length;
}

void count_elements(const Cursor& cursor, NpyHeader& header) {
  header.count = 1;
  bool overflow = false, empty = false;
  for (const std::size_t side : header.shape) {
    empty = empty || side == 0;
    overflow = overflow || __builtin_mul_overflow(header.count, side, &header.count);
  }
  if (empty) header.count = 0;
  else if (overflow || header.count > cursor.remaining() / header.stored_bytes)
    cursor.source().fail(
        fmt::format("is truncated: its shape ({}) takes more than the {} bytes that are there",
                    fmt::join(header.shape, ", "), cursor.remaining()));
}

// Converts Fortran order (the first index moves fastest) to C order.
Array<std::byte> reorder(const Array<std::byte>& from, const NpyHeader& header, std::size_t bytes) {
  Array<std::byte> to(from.size());
  const std::size_t dimensions = header.shape.size();
  std::array<std::size_t, kMostNpyDimensions> index{}, stride{bytes};
  for (std::size_t d = 1; d < dimensions; ++d) stride[d] = stride[d - 1] * header.shape[d - 1];
  std::size_t source = 0;
  for (std::size_t i = 0; i < header.count; ++i) {
    std::memcpy(to.data() + i * bytes, from.data() + source, bytes);
    for (std::size_t d = dimensions; d-- > 0;) {
      source += stride[d];
      if (++index[d] < header.shape[d]) break;
      source -= stride[d] * header.shape[d];
      index[d] = 0;
    }
  }
  return to;
}

Array<std::byte> widen_halves(const Array<std::byte>& halves) {
  const std::size_t count = halves.size() / 2;
  Array<std::byte> floats(count * sizeof(float));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves.data() + 2 * i, 2);
    const float value = half_to_float(half);
    std::memcpy(floats.data() + sizeof(float) * i, &value, sizeof(float));
  }
  return floats;
}

NdArray read_array(const Source& source) {
  std::array<std::byte, kHeadBytes> buffer{};
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()),
                              source.read_at(0, buffer));
  if (!kNpyCodec.recognizes(head)) source.fail("is not a .npy file");
  Cursor cursor(source);
  return read_npy_elements(cursor, read_npy_header(cursor));
}

}  // namespace

const char* to_string(DType type) { return code_of(type).name; }
std::size_t element_bytes(DType type) { return code_of(type).bytes; }

std::size_t NdArray::size() const { return data.size() / element_bytes(type); }

std::vector<double> NdArray::numbers() const {
  std::vector<double> all;
  const auto take = [&]<class T>(T) { all.assign(as<T>().begin(), as<T>().end()); };
  switch (type) {
    case DType::kBool: take(bool{}); break;
    case DType::kUint8: take(std::uint8_t{}); break;
    case DType::kUint16: take(std::uint16_t{}); break;
    case DType::kUint32: take(std::uint32_t{}); break;
    case DType::kUint64: take(std::uint64_t{}); break;
    case DType::kInt8: take(std::int8_t{}); break;
    case DType::kInt16: take(std::int16_t{}); break;
    case DType::kInt32: take(std::int32_t{}); break;
    case DType::kInt64: take(std::int64_t{}); break;
    case DType::kFloat32: take(float{}); break;
    case DType::kFloat64: take(double{}); break;
  }
  return all;
}

void NdArray::require(DType wanted) const {
  if (wanted != type)
    throw InvalidArgument(fmt::format("the array holds {}, but was requested as {}",
                                      to_string(type), to_string(wanted)));
}

NpyHeader read_npy_header(Cursor& cursor) {
  std::vector<std::byte> text(header_length(cursor));
  cursor.read_all(text);
  NpyHeader header;
  HeaderParser(cursor.source(), {reinterpret_cast<const char*>(text.data()), text.size()})
      .parse(header);
  count_elements(cursor, header);
  return header;
}

NdArray read_npy_elements(Cursor& cursor, const NpyHeader& header) {
  NdArray array{header.type, header.shape, Array<std::byte>(header.count * header.stored_bytes)};
  const std::span<std::byte> bytes(array.data.data(), array.data.size());
  cursor.read_all(bytes);
  if (header.swapped) swap_bytes(bytes, header.stored_bytes);
  if (header.type == DType::kBool) {
    for (std::byte& value : bytes) value = std::byte{value != std::byte{0}};
  }
  if (header.half) array.data = widen_halves(array.data);
  if (header.fortran_order && header.shape.size() > 1)
    array.data = reorder(array.data, header, element_bytes(header.type));
  return array;
}

std::string npy_header_text(DType type, std::span<const std::size_t> shape) {
  const char order = element_bytes(type) == 1 ? '|' : kSystemOrder;
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order,
                  code_of(type).code, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kPrefix = 10, kAlignment = 64;  // elements begin on a cache line
  const std::size_t unpadded = kPrefix + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(text.size() & 255U);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

NdArray read_array(const std::string& path) { return read_array(Source(path)); }
NdArray read_array(std::span<const std::byte> data, const std::string& name) {
  return read_array(Source(data, name));
}

void write_array(const std::string& path, DType type, std::span<const std::size_t> shape,
                 const void* data) {
  if (shape.size() > kMostNpyDimensions)
    throw InvalidArgument(fmt::format("{}: an array of {} dimensions; .npy holds up to {}", path,
                                      shape.size(), kMostNpyDimensions));
  std::size_t bytes = element_bytes(type);
  for (const std::size_t side : shape) bytes *= side;
  OutputFile file(path);
  file.write(npy_header_text(type, shape));
  file.write(data, bytes);
  file.commit();
}

void write_array(const std::string& path, const NdArray& array) {
  std::size_t count = 1;
  for (const std::size_t side : array.shape) count *= side;
  if (count != array.size())
    throw InvalidArgument(fmt::format("{}: the array has {} elements, but its shape ({}) has {}",
                                      path, array.size(), fmt::join(array.shape, ", "), count));
  write_array(path, array.type, array.shape, array.data.data());
}

}  // namespace fovea::io
