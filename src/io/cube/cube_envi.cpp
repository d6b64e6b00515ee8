// ENVI: a text header with one "name = value" or "name = { list }" per line, and a file of plain
// samples beside it. The sizes in the header are compared with the size of that file before memory
// is allocated.
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "io/cube/cube_format.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostEnviHeaderBytes = 64 << 20;  // enough for spectra of 10^6 bands
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// Words from a file, on one line and printable, for messages.
std::string quotable(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char c : text.substr(0, kMost))
    result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return text.size() > kMost ? result + "..." : result;
}

// The header's fields. Names are in lower case with single spaces.
class Fields {
 public:
  Fields(const Source& source, std::string_view text) : source_(source) {
    if (!is_envi_header(text)) source.fail("is no ENVI header: its first line is not ENVI");
    take_line(text);
    while (!text.empty()) take_field(text);
  }

  bool has(const char* name) const { return values_.contains(name); }

  std::string word(const char* name, const char* otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : lower(found->second);
  }
  std::string text(const char* name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string() : found->second;
  }

  std::uint64_t number(const char* name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) source_.fail(fmt::format("its header has no '{}'", name));
    return parse(name, found->second);
  }
  std::uint64_t number(const char* name, std::uint64_t otherwise) const {
    return has(name) ? number(name) : otherwise;
  }

  std::vector<std::string> list(const char* name) const {
    std::vector<std::string> items;
    const std::string value = text(name);
    std::string_view rest = value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      items.emplace_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return items;
  }

 private:
  static std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  }

  void take_field(std::string_view& text) {
    const std::string_view whole = text;
    const std::string_view line = trimmed(take_line(text));
    if (line.empty() || line[0] == ';') return;
    const auto equals = line.find('=');
    if (equals == line.npos) return;  // text that belongs to no field
    std::string name;
    for (const char c : lower(trimmed(line.substr(0, equals))))
      if (c != ' ' && c != '\t') name += c;
      else if (!name.ends_with(' ')) name += ' ';
    std::string_view value = trimmed(line.substr(equals + 1));
    if (value.starts_with('{')) {
      const std::size_t open = static_cast<std::size_t>(value.data() - whole.data());
      const auto close = whole.find('}', open);
      if (close == whole.npos)
        source_.fail(fmt::format("its header's list '{}' does not end", quotable(name)));
      value = trimmed(whole.substr(open + 1, close - open - 1));
      text = whole.substr(close + 1);
      take_line(text);
    }
    values_.insert_or_assign(name, std::string(value));
  }

  std::uint64_t parse(const char* name, const std::string& value) const {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      source_.fail(
          fmt::format("its header's '{}' is '{}'; expected a whole number", name, quotable(value)));
    return number;
  }

  const Source& source_;
  std::map<std::string, std::string, std::less<>> values_;
};

StoredType type_of_code(const Source& source, std::uint64_t code) {
  switch (code) {
    case 1: return {SampleType::kUint8, 1};
    case 2: return {SampleType::kInt16, 2};
    case 3: return {SampleType::kInt32, 4};
    case 4: return {SampleType::kFloat32, 4};
    case 5: return {SampleType::kFloat64, 8};
    case 12: return {SampleType::kUint16, 2};
    case 13: return {SampleType::kUint32, 4};
    case 14: return {SampleType::kFloat64, 8, true, false};
    case 15: return {SampleType::kFloat64, 8, false, true};
    case 6:
    case 9:
      source.fail(fmt::format("has complex samples (data type {}), which are not read", code));
    default: break;
  }
  source.fail(fmt::format(
      "its header's 'data type' is {}; expected 1, 2, 3, 4, 5, 12, 13, 14 or 15", code));
}

enum class Interleave : unsigned char { kBsq, kBil, kBip };

Interleave interleave_of(const Source& source, const Fields& fields) {
  const std::string word = fields.word("interleave", "bsq");
  if (word == "bsq") return Interleave::kBsq;
  if (word == "bil") return Interleave::kBil;
  if (word == "bip") return Interleave::kBip;
  source.fail(
      fmt::format("its header's 'interleave' is '{}'; expected bsq, bil or bip", quotable(word)));
}

struct Layout {
  CubeShape shape;
  StoredType stored;
  Interleave interleave = Interleave::kBsq;
  bool swapped = false;
  std::uint64_t offset = 0;
};

Layout layout_of(const Source& header, const Fields& fields, const CubeReadOptions& options) {
  Layout layout;
  layout.stored = type_of_code(header, fields.number("data type"));
  layout.shape = {fields.number("samples"), fields.number("lines"), fields.number("bands", 1),
                  layout.stored.type};
  check_cube_shape(header, layout.shape, options);
  layout.interleave = interleave_of(header, fields);
  layout.offset = fields.number("header offset", 0);
  const std::uint64_t order = fields.number("byte order", 0);
  if (order > 1)
    header.fail(
        fmt::format("its header's 'byte order' is {}; expected 0 (least first) or 1", order));
  layout.swapped = (order == 1) != (std::endian::native == std::endian::big);
  if (fields.number("file compression", 0) != 0)
    header.fail("its samples are compressed, which is not read; unpack them first");
  return layout;
}

// Some writers pad the end of the file, but by less than a line of all bands.
void check_size(const Source& samples, const Layout& layout) {
  const std::uint64_t bytes = cube_bytes(layout.shape, layout.stored.bytes);
  const std::uint64_t line = bytes / layout.shape.height;
  const bool shorter = layout.offset > samples.size() || samples.size() - layout.offset < bytes;
  if (shorter || samples.size() - layout.offset - bytes >= line)
    samples.fail(fmt::format(
        "has {} bytes, but its header says {} x {} x {} samples of {} bytes{}", samples.size(),
        layout.shape.width, layout.shape.height, layout.shape.bands, layout.stored.bytes,
        layout.offset > 0 ? fmt::format(" after the first {}", layout.offset) : ""));
}

template <class T>
void read_samples(const Source& samples, const Layout& layout, StackView<T> bands) {
  Cursor cursor(samples, layout.offset);
  const bool together = layout.interleave == Interleave::kBip;
  const auto width = static_cast<std::size_t>(bands.width);
  // Reads one line of one band, or of all bands where the samples of a pixel lie together.
  const std::size_t count = together ? width * static_cast<std::size_t>(bands.count) : width;
  std::vector<std::byte> line(count * layout.stored.bytes);
  const auto next_line = [&] {
    cursor.read_all(line);
    if (layout.swapped) swap_bytes(line, layout.stored.bytes);
    return static_cast<const std::byte*>(line.data());
  };
  const auto read_row = [&](int band, int y) {
    store_samples(layout.stored, next_line(), width, bands.plane(band).row(y), 1);
  };
  if (layout.interleave == Interleave::kBsq) {
    for (int b = 0; b < bands.count; ++b)
      for (int y = 0; y < bands.height; ++y) read_row(b, y);
  } else if (layout.interleave == Interleave::kBil) {
    for (int y = 0; y < bands.height; ++y)
      for (int b = 0; b < bands.count; ++b) read_row(b, y);
  } else {
    for (int y = 0; y < bands.height; ++y) {
      const std::byte* pixel = next_line();
      for (int x = 0; x < bands.width; ++x) {
        store_samples(layout.stored, pixel, static_cast<std::size_t>(bands.count),
                      &bands.plane(0).at(x, y), bands.plane_stride);
        pixel += static_cast<std::size_t>(bands.count) * layout.stored.bytes;
      }
    }
  }
}

CubeFacts facts_of(const Source& header, const Fields& fields, const CubeShape& shape) {
  CubeFacts facts{.format = CubeFormat::kEnvi};
  facts.white = type_white(shape.type);
  facts.units = fields.text("wavelength units");
  facts.names = fields.list("band names");
  if (!facts.names.empty() && facts.names.size() != shape.bands)
    facts.names.clear();  // a name contains a comma, so that names cannot be matched to bands
  const std::vector<std::string> wavelengths = fields.list("wavelength");
  if (!wavelengths.empty() && wavelengths.size() != shape.bands)
    header.fail(
        fmt::format("its header has {} wavelengths for {} bands", wavelengths.size(), shape.bands));
  for (const std::string& text : wavelengths) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      header.fail(fmt::format("its header's wavelength {} is '{}'; expected a number",
                              facts.wavelengths.size() + 1, quotable(text)));
    facts.wavelengths.push_back(value);
  }
  return facts;
}

std::string header_text_of(const Source& header) {
  if (header.size() > kMostEnviHeaderBytes)
    header.fail(
        fmt::format("has {} bytes, more than an ENVI header has; expected the text file NAME.hdr",
                    header.size()));
  std::string text(static_cast<std::size_t>(header.size()), '\0');
  text.resize(header.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Cube read_parts(const Source& header, const Source& samples, const CubeReadOptions& options) {
  check_options(options);
  if (!options.variable.empty())
    throw InvalidArgument(
        fmt::format("{}: variable '{}' was requested, but only .mat files have variables",
                    header.name(), options.variable));
  const std::string text = header_text_of(header);
  const Fields fields(header, text);
  const Layout layout = layout_of(header, fields, options);
  check_size(samples, layout);
  check_cube_memory(samples, samples.size(), layout.shape, options);
  Cube cube = make_cube(layout.shape, facts_of(header, fields, layout.shape));
  std::visit([&](auto& bands) { read_samples(samples, layout, bands.view()); }, cube.bands);
  return cube;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Lists in the file are split at commas and end at a brace, so names must contain neither.
std::string listed(const std::string& name) {
  std::string result;
  for (const char c : name)
    result += c == ',' || c == '{' || c == '}' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
  return result;
}

std::string header_text(const Cube& cube) {
  static constexpr std::array<int, 8> kCodes{1, 12, 13, 1, 2, 3, 4, 5};
  std::string text = fmt::format(
      "ENVI\ndescription = {{ fovea }}\nsamples = {}\nlines = {}\nbands = {}\nheader offset = 0\n"
      "file type = ENVI Standard\ndata type = {}\ninterleave = bsq\nbyte order = {}\n",
      cube.width(), cube.height(), cube.count(), kCodes.at(cube.bands.index()),
      std::endian::native == std::endian::big ? 1 : 0);
  const auto add_list = [&](const char* name, const auto& items, auto word) {
    if (items.empty()) return;
    text += fmt::format("{} = {{\n", name);
    for (std::size_t i = 0; i < items.size(); ++i)
      text += fmt::format("  {}{}\n", word(items[i]), i + 1 < items.size() ? "," : " }");
  };
  add_list("band names", cube.facts.names, listed);
  if (!cube.facts.units.empty())
    text += fmt::format("wavelength units = {}\n", listed(cube.facts.units));
  add_list("wavelength", cube.facts.wavelengths,
           [](double value) { return fmt::format("{}", value); });
  return text;
}

}  // namespace

bool is_envi_header(std::string_view head) {
  if (!head.starts_with("ENVI")) return false;
  const auto end = head.find('\n');
  return trimmed(head.substr(4, end == head.npos ? end : end - 4)).empty();
}

std::string find_envi_header(const std::string& samples_path) {
  const fs::path path(samples_path);
  if (extension_of(samples_path) == ".hdr") return {};
  for (const char* extension : {".hdr", ".HDR"}) {
    for (const fs::path& candidate :
         {fs::path(samples_path + extension), fs::path(path).replace_extension(extension)}) {
      if (!is_file(candidate)) continue;
      const Source source(candidate.string());
      std::array<std::byte, kHeadBytes> head{};
      const std::size_t got = source.read_at(0, head);
      if (is_envi_header({reinterpret_cast<const char*>(head.data()), got}))
        return candidate.string();
    }
  }
  return {};
}

std::string find_envi_samples(const std::string& header_path) {
  const fs::path stem = fs::path(header_path).replace_extension();
  for (const char* extension :
       {"", ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip", ".cube"}) {
    std::string upper = extension;
    for (char& c : upper)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    for (const std::string& each : {std::string(extension), upper})
      if (is_file(stem.string() + each)) return stem.string() + each;
  }
  return {};
}

Cube read_envi_files(const std::string& header_path, const std::string& samples_path,
                     const CubeReadOptions& options) {
  return read_parts(Source(header_path), Source(samples_path), options);
}

Cube read_envi(std::string_view header, std::span<const std::byte> samples, const std::string& name,
               const CubeReadOptions& options) {
  return read_parts(Source(std::as_bytes(std::span(header)), name), Source(samples, name), options);
}

std::uint64_t envi_file_bytes(const Source& header, const CubeReadOptions& options) {
  check_options(options);
  const std::string text = header_text_of(header);
  if (!is_envi_header(text))
    header.fail("is not the header of an ENVI file, whose first line is ENVI");
  const Layout layout = layout_of(header, Fields(header, text), options);
  std::uint64_t bytes = 0;
  if (__builtin_add_overflow(cube_bytes(layout.shape, layout.stored.bytes), layout.offset, &bytes))
    header.fail("states more samples than any file has");
  return bytes;
}

void write_envi(const std::string& path, const Cube& cube) {
  if (cube.type() == SampleType::kInt8)
    throw InvalidArgument(
        fmt::format("{}: ENVI holds no int8; write .tif, or make it int16", path));
  OutputFile samples(fs::path(path).replace_extension(".img").string());
  std::visit(
      [&](const auto& bands) {
        for (int b = 0; b < bands.count(); ++b) {
          for (int y = 0; y < bands.height(); ++y) {
            const auto row = row_bytes(bands.plane(b), y);
            samples.write(row.data(), row.size());
          }
        }
      },
      cube.bands);
  OutputFile header(path);
  header.write(header_text(cube));
  samples.commit();
  header.commit();
}

}  // namespace fovea::io
