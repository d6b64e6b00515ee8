// MATLAB's level 5 files ("MAT-File Format", The MathWorks). A file is a sequence of elements with
// a tag and data; matrices consist of further elements, and each may be compressed. Arrays are
// stored column by column. They are read and transposed band by band, so that no array is held
// twice.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "io/cube/cube_format.h"
#include "io/cube/cube_mat_stream.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kSubsystemAt = 116;  // offset in the header
constexpr std::uint32_t kMatrix = 14, kCompressed = 15;
// Classes of objects in MATLAB; the newer class has no dimensions.
constexpr std::uint32_t kObject = 3, kOpaque = 17;
constexpr std::uint32_t kMostDimensions = 64;
constexpr std::uint32_t kMostNameBytes = 4096;
constexpr double kMostExpansion = 1032;  // the most that deflate can expand

// An array in the file: its place and what its header says.
struct Variable {
  std::uint64_t offset = 0;  // position of its tag in the file
  std::string name;
  std::uint32_t array_class = 0;
  bool complex = false;
  std::vector<std::uint64_t> sides;

  bool object() const { return array_class == kObject || array_class == kOpaque; }
  bool numeric() const { return array_class >= 6 && array_class <= 15; }
  // Whether it is bands of rows and columns. Lists of other values may have two dimensions too, but
  // are not readable as a cube.
  bool readable() const {
    return numeric() && !complex && (sides.size() == 2 || sides.size() == 3);
  }
  CubeShape shape(SampleType type) const {
    return {sides[1], sides[0], sides.size() == 3 ? sides[2] : 1, type};
  }
};

std::string sides_text(const Variable& variable) {
  std::string text;
  for (const std::uint64_t side : variable.sides)
    text += fmt::format("{}{}", text.empty() ? "" : "x", side);
  return text;
}

StoredType type_of_code(const Source& source, std::uint32_t code) {
  switch (code) {
    case 1: return {SampleType::kInt8, 1};
    case 2: return {SampleType::kUint8, 1};
    case 3: return {SampleType::kInt16, 2};
    case 4: return {SampleType::kUint16, 2};
    case 5: return {SampleType::kInt32, 4};
    case 6: return {SampleType::kUint32, 4};
    case 7: return {SampleType::kFloat32, 4};
    case 9: return {SampleType::kFloat64, 8};
    case 12: return {SampleType::kFloat64, 8, true, false};
    case 13: return {SampleType::kFloat64, 8, false, true};
    default: source.fail(fmt::format("is damaged: an array is stored as type {}", code));
  }
}

std::string read_name(MatStream& stream) {
  const MatTag tag = stream.tag();
  if ((tag.type != 1 && tag.type != 16 && tag.type != 2) || tag.bytes > kMostNameBytes)
    stream.source().fail("is damaged: an array has no name");
  std::string name(tag.bytes, '\0');
  stream.read(std::as_writable_bytes(std::span(name)));
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  stream.end_element(tag);
  return name;
}

// Reads everything of a matrix that precedes its values. For an opaque object that is its name.
Variable read_matrix_head(MatStream& stream) {
  const Source& source = stream.source();
  Variable variable;
  const MatTag flags = stream.tag();
  if (flags.type != 6 || flags.bytes != 8) source.fail("is damaged: an array has no flags");
  const std::uint32_t bits = stream.word();
  stream.word();
  variable.array_class = bits & 255U;
  variable.complex = (bits & 0x800U) != 0;
  if (variable.array_class == kOpaque) {
    variable.name = read_name(stream);
    return variable;
  }
  const MatTag sides = stream.tag();
  if (sides.type != 5 || sides.bytes < 8 || sides.bytes % 4 != 0 ||
      sides.bytes / 4 > kMostDimensions)
    source.fail("is damaged: an array has no dimensions");
  for (std::uint32_t i = 0; i < sides.bytes / 4; ++i) {
    const std::uint32_t side = stream.word();
    if (side > 0x7fffffffU) source.fail("is damaged: an array has a negative dimension");
    variable.sides.push_back(side);
  }
  stream.end_element(sides);
  variable.name = read_name(stream);
  // Trailing sides of 1 do not count, as in MATLAB.
  while (variable.sides.size() > 3 && variable.sides.back() == 1) variable.sides.pop_back();
  return variable;
}

struct File {
  const Source& source;
  bool swapped;
  std::uint64_t subsystem;  // offset of the array with the contents of objects; 0: there is none
};

// Positions a stream inside the matrix at `offset`, on the tag of its flags.
std::optional<MatStream> open_matrix(const File& file, std::uint64_t offset) {
  MatStream plain(file.source, offset, file.swapped);
  const MatTag tag = plain.tag();
  plain.enter(tag);
  if (tag.type == kMatrix) return plain;
  if (tag.type != kCompressed) return std::nullopt;
  MatStream inflated(file.source, offset + 8, tag.bytes, file.swapped);
  const MatTag inner = inflated.tag();
  inflated.enter(inner);
  if (inner.type != kMatrix) return std::nullopt;
  return inflated;
}

std::vector<Variable> list_variables(const File& file) {
  std::vector<Variable> variables;
  std::uint64_t offset = kHeaderBytes;
  while (offset < file.source.size()) {
    MatStream stream(file.source, offset, file.swapped);
    const MatTag tag = stream.tag();
    const std::uint64_t after = offset + 8;
    if (tag.small || file.source.size() - after < tag.bytes)
      file.source.fail(fmt::format("is truncated or damaged: an element at byte {} claims {} bytes",
                                   offset, tag.bytes));
    if (tag.bytes > 0 && offset != file.subsystem) {
      if (auto matrix = open_matrix(file, offset)) {
        Variable variable = read_matrix_head(*matrix);
        variable.offset = offset;
        variables.push_back(std::move(variable));
      }
    }
    const std::uint64_t padding = tag.type == kCompressed ? 0 : (8 - tag.bytes % 8) % 8;
    offset = after + tag.bytes + padding;
  }
  return variables;
}

// The names of all variables except objects.
std::string names_of(const std::vector<Variable>& variables) {
  constexpr int kMost = 16;
  std::string text;
  int named = 0;
  for (const Variable& variable : variables) {
    if (variable.object()) continue;
    if (++named > kMost) return text + ", ...";
    text += fmt::format("{}{} ({})", named == 1 ? "" : ", ", variable.name, sides_text(variable));
  }
  return named > 0 ? text : "objects alone";
}

const Variable& choose(const Source& source, const std::vector<Variable>& variables,
                       const std::string& wanted) {
  const Variable* best = nullptr;
  for (const Variable& variable : variables) {
    if (!wanted.empty() ? variable.name != wanted : !variable.readable()) continue;
    const auto size = [](const Variable& v) {
      return std::pair(v.sides.size(), cube_bytes(v.shape(SampleType::kUint8), 1));
    };
    if (!wanted.empty() || best == nullptr || size(variable) > size(*best)) best = &variable;
  }
  if (best == nullptr && !wanted.empty())
    throw InvalidArgument(fmt::format("{}: has no variable '{}'; it has {}", source.name(), wanted,
                                      names_of(variables)));
  if (best == nullptr)
    source.fail(variables.empty() ? "holds no arrays"
                                  : fmt::format("holds no cube: arrays of two or three dimensions "
                                                "of real numbers are read, not {}",
                                                names_of(variables)));
  if (best->object())
    source.fail(
        fmt::format("variable '{}' is an object of MATLAB, which is not read; save its "
                    "numbers as an array",
                    best->name));
  if (!best->readable())
    source.fail(
        fmt::format("variable '{}' is {} {}; arrays of two or three dimensions of real "
                    "numbers are read",
                    best->name, sides_text(*best),
                    best->complex     ? "complex"
                    : best->numeric() ? "numbers"
                                      : "of something else than numbers"));
  return *best;
}

// Transposes columns to rows in square blocks, so that reads and writes both reuse their cache
// lines.
template <class T>
void turn(const StoredType& stored, const std::byte* columns, ImageView<T> band) {
  constexpr int kSquare = 64;
  for (int left = 0; left < band.width; left += kSquare) {
    for (int top = 0; top < band.height; top += kSquare) {
      const int rows = std::min(kSquare, band.height - top);
      for (int x = left; x < std::min(left + kSquare, band.width); ++x) {
        const std::size_t at = static_cast<std::size_t>(x) * static_cast<std::size_t>(band.height) +
                               static_cast<std::size_t>(top);
        store_samples(stored, columns + at * stored.bytes, static_cast<std::size_t>(rows),
                      &band.at(x, top), band.stride);
      }
    }
  }
}

template <class T>
void read_values(MatStream& stream, const StoredType& stored, StackView<T> bands, bool swapped) {
  std::vector<std::byte> columns(static_cast<std::size_t>(bands.width) *
                                 static_cast<std::size_t>(bands.height) * stored.bytes);
  for (int b = 0; b < bands.count; ++b) {
    stream.read(columns);
    if (swapped) swap_bytes(columns, stored.bytes);
    turn(stored, columns.data(), bands.plane(b));
  }
}

// Files of version 4 begin with four small numbers instead of text, so that a zero is among the
// bytes.
bool is_level_4(std::string_view head) {
  return head.size() >= 20 && head.substr(0, 4).find('\0') != head.npos;
}

}  // namespace

bool is_mat(std::string_view head, const std::string& name) {
  if (head.starts_with("MATLAB 5.0 MAT-file") || head.starts_with("MATLAB 7.3 MAT-file") ||
      head.starts_with("\x89HDF\r\n\x1a\n"sv))
    return true;
  return extension_of(name) == ".mat";
}

Cube read_mat(const Source& source, const CubeReadOptions& options) {
  std::array<std::byte, kHeaderBytes> buffer{};
  const std::size_t got = source.read_at(0, buffer);
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()), got);
  if (head.starts_with("MATLAB 7.3") || head.starts_with("\x89HDF"))
    source.fail("is a MATLAB 7.3 file (HDF5), which is not read; save it with -v7");
  const std::string_view order = head.size() == kHeaderBytes ? head.substr(126) : ""sv;
  if (order != "IM" && order != "MI") {
    if (is_level_4(head)) source.fail("is a MATLAB 4 file, which is not read; save it with -v7");
    source.fail(head.starts_with("MATLAB 5.0") ? "is truncated or damaged: its header has no end"
                                               : "is no MATLAB file");
  }
  const bool swapped = (order == "MI") != (std::endian::native == std::endian::big);
  std::uint64_t subsystem = 0;
  std::memcpy(&subsystem, buffer.data() + kSubsystemAt, sizeof(subsystem));
  const File file{source, swapped, swapped ? __builtin_bswap64(subsystem) : subsystem};
  const std::vector<Variable> variables = list_variables(file);
  const Variable& variable = choose(source, variables, options.variable);
  std::optional<MatStream> stream = open_matrix(file, variable.offset);
  read_matrix_head(*stream);
  const MatTag values = stream->tag();
  const StoredType stored = type_of_code(source, values.type);
  const CubeShape shape = variable.shape(stored.type);
  check_cube_shape(source, shape, options);
  if (cube_bytes(shape, stored.bytes) != values.bytes)
    source.fail(fmt::format("is damaged: variable '{}' is {} of {} bytes each, but has {} bytes",
                            variable.name, sides_text(variable), stored.bytes, values.bytes));
  check_justified(source, static_cast<double>(values.bytes),
                  stream->compressed() ? kMostExpansion : 1);
  check_cube_memory(source, source.size(), shape, options);
  CubeFacts facts{.format = CubeFormat::kMat, .variable = variable.name};
  facts.white = type_white(stored.type);
  Cube cube = make_cube(shape, std::move(facts));
  std::visit([&](auto& bands) { read_values(*stream, stored, bands.view(), swapped); }, cube.bands);
  return cube;
}

}  // namespace fovea::io
