// PLY: a header that names elements and their properties, then text or binary numbers in either
// byte order. x, y, z of the vertices and the list of a face's corners are read, and labels of
// either where they are asked for; everything else is skipped.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "io/mesh/mesh_format.h"

namespace fovea::io {
namespace {

enum class Encoding : unsigned char { kText, kLittle, kBig };

struct Scalar {
  std::size_t bytes;
  bool is_signed;
  bool is_float;
};

struct Property {
  std::string name;
  Scalar value{};
  std::optional<Scalar> count{};  // the type of a list's length; none: not a list
};

bool is_corners(const Property& property) {
  return property.count && (property.name == "vertex_indices" || property.name == "vertex_index");
}

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;

  // The least that one element takes in a file. A face has three corners or more.

  std::size_t least_bytes(Encoding encoding) const {
    constexpr std::size_t kLeastCorners = 3;
    std::size_t bytes = 0;
    for (const Property& property : properties) {
      const bool text = encoding == Encoding::kText;
      const std::size_t value = text ? 2 : property.value.bytes;
      if (!property.count) bytes += value;
      else bytes += text ? 2 : property.count->bytes;
      if (property.count && name == "face" && is_corners(property)) bytes += kLeastCorners * value;
    }
    return bytes;
  }
};

struct Header {
  Encoding encoding = Encoding::kText;
  std::vector<Element> elements;
};

std::optional<Scalar> scalar_of(std::string_view word) {
  struct Named {
    std::string_view name, other;
    Scalar scalar;
  };
  static constexpr std::array<Named, 8> kTypes{{{"char", "int8", {1, true, false}},
                                                {"uchar", "uint8", {1, false, false}},
                                                {"short", "int16", {2, true, false}},
                                                {"ushort", "uint16", {2, false, false}},
                                                {"int", "int32", {4, true, false}},
                                                {"uint", "uint32", {4, false, false}},
                                                {"float", "float32", {4, true, true}},
                                                {"double", "float64", {8, true, true}}}};
  for (const Named& type : kTypes)
    if (word == type.name || word == type.other) return type.scalar;
  return {};
}

Scalar need_scalar(const MeshLines& lines, std::string_view word) {
  const auto scalar = scalar_of(word);
  if (!scalar)
    lines.fail(fmt::format(
        "names the type '{}'; expected char, uchar, short, ushort, int, uint, float or double",
        word.substr(0, 40)));
  return *scalar;
}

Encoding encoding_of(const MeshLines& lines, std::string_view word) {
  if (word == "ascii") return Encoding::kText;
  if (word == "binary_little_endian") return Encoding::kLittle;
  if (word == "binary_big_endian") return Encoding::kBig;
  lines.fail(fmt::format(
      "names the format '{}'; expected ascii, binary_little_endian or binary_big_endian",
      word.substr(0, 40)));
}

Property read_property(MeshLines& lines) {
  Property property;
  std::string_view type = lines.word();
  if (type == "list") {
    property.count = need_scalar(lines, lines.word());
    if (property.count->is_float)
      lines.fail("counts the items of a list by a float; expected an integer type");
    type = lines.word();
  }
  property.value = need_scalar(lines, type);
  property.name = lines.word();
  return property;
}

Header read_header(MeshLines& lines) {
  Header header;
  lines.next();  // skips the line "ply"
  bool has_format = false;
  while (lines.next()) {
    const std::string_view word = lines.word();
    if (word == "end_header") {
      if (!has_format) lines.fail("ends a header without a format");
      return header;
    }
    if (word == "format") {
      header.encoding = encoding_of(lines, lines.word());
      has_format = true;
    } else if (word == "element") {
      Element element;
      element.name = lines.word();
      element.count = lines.whole("the number of elements");
      header.elements.push_back(std::move(element));
    } else if (word == "property") {
      if (header.elements.empty()) lines.fail("names a property before any element");
      header.elements.back().properties.push_back(read_property(lines));
    } else if (word != "comment" && word != "obj_info") {
      lines.fail(
          fmt::format("has '{}' in the header; expected format, element, property, comment, "
                      "obj_info or end_header",
                      word.substr(0, 40)));
    }
  }
  lines.fail("is the last one; expected end_header, the file may be truncated");
}

// Reads the numbers of the body, one after the other.
class Numbers {
 public:
  Numbers(const Source& source, std::string_view body, Encoding encoding)
      : source_(source), body_(body), encoding_(encoding), lines_(source, body) {}

  // Begins the next element. In text, each element has a line of its own.
  void begin_element() {
    if (encoding_ == Encoding::kText && !lines_.next()) truncated();
  }
  double next(const Scalar& scalar) {
    if (encoding_ == Encoding::kText) return static_cast<double>(lines_.number("a number"));
    if (body_.size() < scalar.bytes) truncated();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < scalar.bytes; ++i) {
      const std::size_t at = encoding_ == Encoding::kLittle ? scalar.bytes - 1 - i : i;
      bits = bits << 8U | static_cast<unsigned char>(body_[at]);
    }
    body_.remove_prefix(scalar.bytes);
    if (scalar.is_float)
      return scalar.bytes == 8 ? std::bit_cast<double>(bits)
                               : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const auto unused = static_cast<unsigned>(64 - 8 * scalar.bytes);
    return scalar.is_signed
               ? static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused)
               : static_cast<double>(bits);
  }
  // Text is parsed as an integer, because a float cannot hold all large whole numbers.
  std::int64_t whole(const Scalar& scalar) {
    if (encoding_ == Encoding::kText) return lines_.whole("a whole number");
    const double value = next(scalar);
    constexpr double kMost = 9e15;
    if (!(std::abs(value) < kMost) || value != std::floor(value))
      source_.fail(fmt::format("has {} where a whole number was expected", value));
    return static_cast<std::int64_t>(value);
  }
  std::size_t left() const {
    return encoding_ == Encoding::kText ? lines_.left() + lines_.line_left() : body_.size();
  }
  [[noreturn]] void truncated() const {
    source_.fail("is truncated: its elements are not all there");
  }

 private:
  const Source& source_;
  std::string_view body_;
  Encoding encoding_;
  MeshLines lines_;
};

std::int64_t list_length(Numbers& numbers, const Property& property, const Source& source) {
  const std::int64_t length = numbers.whole(*property.count);
  if (length < 0 || static_cast<std::uint64_t>(length) > numbers.left() + 1)
    source.fail(
        fmt::format("has a list of {} numbers, which does not fit the rest of the file; it is "
                    "truncated or damaged",
                    length));
  return length;
}

void skip(Numbers& numbers, const Property& property, const Source& source) {
  const std::int64_t length = property.count ? list_length(numbers, property, source) : 1;
  for (std::int64_t i = 0; i < length; ++i) numbers.next(property.value);
}

// Labels of parts, as a mesh that was segmented has them: on its vertices, which are one per part,
// or on its faces.
struct PlyLabels {
  std::vector<std::int64_t> vertices{}, faces{};
  std::vector<std::int64_t> corners{};  // the first one of each face
};

bool is_label(const Property& property) { return !property.count && property.name == "label"; }

// What an element is read into.
struct PlyTarget {
  MeshBuilder& builder;
  PlyLabels* labels = nullptr;  // null: they are skipped
};

void read_vertex(Numbers& numbers, const Element& element, const Source& source,
                 const PlyTarget& to) {
  static constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
  Vertex vertex{};
  for (const Property& property : element.properties) {
    bool taken = false;
    for (std::size_t axis = 0; axis < 3 && !property.count; ++axis) {
      if (property.name != kAxes[axis]) continue;
      vertex[axis] = static_cast<float>(numbers.next(property.value));
      taken = true;
    }
    if (taken) continue;
    if (to.labels != nullptr && is_label(property))
      to.labels->vertices.push_back(numbers.whole(property.value));
    else skip(numbers, property, source);
  }
  to.builder.add_vertex(vertex);
}

void read_face(Numbers& numbers, const Element& element, const Source& source, const PlyTarget& to,
               std::vector<std::int64_t>& corners) {
  for (const Property& property : element.properties) {
    if (to.labels != nullptr && is_label(property)) {
      to.labels->faces.push_back(numbers.whole(property.value));
      continue;
    }
    if (!is_corners(property)) {
      skip(numbers, property, source);
      continue;
    }
    const std::int64_t length = list_length(numbers, property, source);
    corners.clear();
    for (std::int64_t i = 0; i < length; ++i) corners.push_back(numbers.whole(property.value));
    to.builder.add_face(corners);
    if (to.labels != nullptr) to.labels->corners.push_back(corners.empty() ? -1 : corners.front());
  }
}

void check_elements(const Source& source, const Header& header, std::size_t left,
                    MeshBuilder& builder) {
  bool vertices = false, faces = false;
  std::uint64_t needed = 0;
  for (const Element& element : header.elements) {
    if (element.count < 0)
      source.fail(fmt::format("announces {} elements '{}'; expected 0 or more", element.count,
                              element.name));
    const bool is_vertex = element.name == "vertex";
    const bool is_face = element.name == "face";
    const auto bytes = static_cast<std::uint64_t>(element.least_bytes(header.encoding));
    if ((is_vertex || is_face) && bytes == 0 && element.count > 0)
      source.fail(fmt::format("announces {} elements '{}' that have no properties", element.count,
                              element.name));
    // Memory is reserved only for as many elements as the rest of the file can hold.
    if (is_vertex) builder.expect(element.count, 0, left + 1, bytes, 0);
    else if (is_face) builder.expect(0, element.count, left + 1, 0, bytes);
    else if (bytes > 0 && static_cast<std::uint64_t>(element.count) > (left + 1) / bytes)
      source.fail(fmt::format("is truncated: {} elements '{}' take {} bytes each, {} are left",
                              element.count, element.name, bytes, left));
    needed += static_cast<std::uint64_t>(element.count) * bytes;
    if (element.name == "vertex") {
      int axes = 0;
      for (const Property& property : element.properties)
        axes += property.name == "x" || property.name == "y" || property.name == "z" ? 1 : 0;
      vertices = axes == 3;
    } else if (element.name == "face") {
      int lists = 0;
      for (const Property& property : element.properties) lists += is_corners(property) ? 1 : 0;
      faces = lists == 1;
    } else if (element.name == "tristrips") {
      source.fail("has triangle strips, which are not read; write its faces as lists");
    }
  }
  if (!vertices) source.fail("has no vertices with x, y and z");
  if (!faces) source.fail("has no faces with one list of vertex_indices");
  if (needed > left + 1)
    source.fail(fmt::format("is truncated: its elements take {} bytes at least, {} are left",
                            needed, left));
}

TriangleMesh read_elements(const Source& source, std::string_view content,
                           const MeshReadOptions& options, PlyLabels* labels) {
  MeshLines lines(source, content);
  const Header header = read_header(lines);
  const std::string_view body = content.substr(content.size() - lines.left());
  MeshBuilder builder(source, options, MeshFormat::kPly);
  check_elements(source, header, body.size(), builder);
  Numbers numbers(source, body, header.encoding);
  const PlyTarget to{builder, labels};
  std::vector<std::int64_t> corners;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) continue;  // an element without properties takes no bytes
    for (std::int64_t i = 0; i < element.count; ++i) {
      numbers.begin_element();
      if (element.name == "vertex") {
        read_vertex(numbers, element, source, to);
      } else if (element.name == "face") {
        read_face(numbers, element, source, to, corners);
      } else {
        for (const Property& property : element.properties) skip(numbers, property, source);
      }
    }
  }
  // A mesh that was segmented has its seams twice, so that each side has its own color and label.
  // The labels are those of the vertices as they stand in the file.
  const auto has_seams = [](const Element& element) {
    return element.name == "vertex" && std::ranges::any_of(element.properties, is_label);
  };
  if (options.weld && labels == nullptr && std::ranges::any_of(header.elements, has_seams))
    builder.weld();
  return builder.finish();
}

}  // namespace

bool is_ply(std::string_view head) {
  return head.starts_with("ply") && head.size() > 3 && (head[3] == '\n' || head[3] == '\r');
}

TriangleMesh read_ply(const Source& source, std::string_view content,
                      const MeshReadOptions& options) {
  return read_elements(source, content, options, nullptr);
}

bool ply_has_labels(const Source& source, std::string_view head) {
  if (!is_ply(head)) return false;
  try {
    MeshLines lines(source, head);
    for (const Element& element : read_header(lines).elements)
      if ((element.name == "vertex" || element.name == "face") &&
          std::ranges::any_of(element.properties, is_label))
        return true;
  } catch (const FormatError&) {  // who reads the mesh says what is wrong with it
  }
  return false;
}

std::vector<std::int32_t> read_ply_labels(const Source& source, std::string_view content) {
  PlyLabels labels;
  const MeshReadOptions options;
  const TriangleMesh mesh = read_elements(source, content, options, &labels);
  const auto faces = static_cast<std::size_t>(mesh.file_faces());
  if (labels.faces.empty() && labels.vertices.size() == mesh.vertices.size())
    for (const std::int64_t corner : labels.corners)  // of which each is a vertex by now
      labels.faces.push_back(labels.vertices[static_cast<std::size_t>(corner)]);
  if (labels.faces.size() != faces)
    source.fail("has no labels; expected the property label of its vertices or faces");
  std::vector<std::int32_t> result;
  result.reserve(faces);
  for (const std::int64_t label : labels.faces) {
    if (label < 0 || label > INT32_MAX)
      source.fail(fmt::format("has the label {}; expected 0 or more", label));
    result.push_back(static_cast<std::int32_t>(label));
  }
  return result;
}

}  // namespace fovea::io
