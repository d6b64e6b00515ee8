// Tensors lie in the file by falling element size, then by name. As the header is padded to eight
// bytes, each tensor is aligned for its type, so that a program may map the file instead of reading
// it.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/model_file.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/json_text.h"
#include "core/words.h"
#include "io/image/half.h"
#include "io/model/crc32.h"
#include "io/model/old_names.h"
#include "io/model/safetensors.h"
#include "io/text/output_file.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are read as they lie");
constexpr const char* kChecksumKey = "crc32";

template <class Map>
void rename_old(Map& map) {
  for (const OldName& old : kOldNames) {
    if (map.contains(std::string(old.now))) continue;
    if (auto node = map.extract(std::string(old.then)); !node.empty()) {
      node.key() = old.now;
      map.insert(std::move(node));
    }
  }
}

// Both kinds of source give `bytes` bytes or throw, and know how many there are.
class FileSource {
 public:
  explicit FileSource(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    struct stat status {};
    if (file_ == nullptr || fstat(fileno(file_), &status) != 0) fail("open");
    if (!S_ISREG(status.st_mode))
      throw IoError(path + ": cannot read: not a regular file; a model must be one");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileSource() {
    if (file_ != nullptr) std::fclose(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const { return size_; }
  void read(void* to, std::size_t bytes) {
    if (bytes == 0 || std::fread(to, 1, bytes, file_) == bytes) return;
    if (std::ferror(file_) != 0) fail("read");
    throw FormatError(path_ + ": became shorter while it was read");
  }

 private:
  [[noreturn]] void fail(const char* doing) {
    const int cause = errno;
    if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
    throw IoError(fmt::format("{}: cannot {}: {}", path_, doing, std::strerror(cause)));
  }

  std::string path_;
  std::FILE* file_;
  std::uint64_t size_ = 0;
};

class MemorySource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::uint64_t size() const { return rest_.size(); }
  void read(void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }

 private:
  std::span<const std::byte> rest_;
};

void check_bools(std::span<const std::byte> values, const std::string& tensor,
                 const std::string& file) {
  for (const std::byte value : values) {
    if (value > std::byte{1})
      throw FormatError(fmt::format("{}: tensor {} is BOOL but holds the byte {}", file,
                                    detail::json_quote(tensor), static_cast<int>(value)));
  }
}

bool is_finite(Half half) { return (half.bits >> 10 & 31) != 31; }
template <class T>
bool is_finite(T value) {
  return std::isfinite(value);
}

template <class T>
void require_all_finite(std::span<const T> values, std::string_view tensor,
                        const std::string& file) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_finite(values[i]))
      throw ModelError(fmt::format(
          "{}: tensor '{}' is not finite at element {} of {}; the training that made it failed",
          file, tensor, i, values.size()));
  }
}

void require_utf8(std::string_view what, std::string_view text) {
  if (!detail::is_utf8(text))
    throw InvalidArgument(fmt::format("model: {} {} is not UTF-8", what, detail::json_quote(text)));
}

std::span<const std::byte> bytes_of(const Array<std::byte>& data) {
  return {data.data(), data.size()};
}

}  // namespace

ModelFile ModelFile::read(const std::string& path) {
  FileSource source(path);
  return load(source, path);
}

ModelFile ModelFile::parse(std::span<const std::byte> bytes, std::string name) {
  MemorySource source(bytes);
  return load(source, std::move(name));
}

template <class Source>
ModelFile ModelFile::load(Source& source, std::string name) {
  const std::uint64_t size = source.size();
  std::uint64_t header_bytes = 0;
  if (size < sizeof(header_bytes))
    throw FormatError(fmt::format("{}: has {} bytes, too few for a safetensors file", name, size));
  source.read(&header_bytes, sizeof(header_bytes));
  const std::uint64_t rest = size - sizeof(header_bytes);
  if (header_bytes > kMostHeaderBytes || header_bytes > rest)
    throw FormatError(fmt::format(
        "{}: not a whole safetensors file: it announces a header of {} bytes, but {} bytes follow",
        name, header_bytes, rest));
  std::string json(header_bytes, '\0');
  source.read(json.data(), json.size());
  SafetensorsHeader header = parse_safetensors_header(json, rest - header_bytes, name);

  ModelFile model;
  model.name_ = std::move(name);
  model.metadata_ = std::move(header.metadata);
  for (SafetensorsEntry& entry : header.entries) {
    Tensor tensor{entry.dtype, std::move(entry.shape), Array<std::byte>(entry.end - entry.begin)};
    source.read(tensor.data.data(), tensor.data.size());
    if (tensor.dtype == TensorType::kBool)
      check_bools(bytes_of(tensor.data), entry.name, model.name_);
    model.tensors_.emplace(std::move(entry.name), std::move(tensor));
  }
  if (const auto node = model.metadata_.extract(kChecksumKey);
      !node.empty() && node.mapped() != model.checksum())
    throw FormatError(fmt::format(
        "{}: content does not match its checksum: the file is damaged, or was changed by a program "
        "that kept the old '{}' entry of the metadata",
        model.name_, kChecksumKey));
  rename_old(model.metadata_);
  rename_old(model.tensors_);
  return model;
}

std::vector<std::pair<const std::string*, const ModelFile::Tensor*>> ModelFile::in_file_order()
    const {
  std::vector<std::pair<const std::string*, const Tensor*>> order;
  for (const auto& [name, tensor] : tensors_) order.emplace_back(&name, &tensor);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return size_of(a.second->dtype) > size_of(b.second->dtype);
  });
  return order;
}

std::string ModelFile::header() const {
  std::string json = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata_) {
    if (json.back() != '{') json += ',';
    json += detail::json_quote(key) + ':' + detail::json_quote(value);
  }
  json += '}';
  std::size_t begin = 0;
  for (const auto& [name, tensor] : in_file_order()) {
    const std::size_t end = begin + tensor->data.size();
    json += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                        detail::json_quote(*name), to_string(tensor->dtype),
                        fmt::join(tensor->shape, ","), begin, end);
    begin = end;
  }
  return json + '}';
}

// The checksum covers the content and not its layout in the file, so that a program may read a file
// and write it again without making the checksum wrong.
std::string ModelFile::checksum() const {
  const std::string json = header();
  std::uint32_t crc = crc32(std::as_bytes(std::span(json)));
  for (const auto& [name, tensor] : in_file_order()) crc = crc32(bytes_of(tensor->data), crc);
  return fmt::format("{:08x}", crc);
}

std::vector<std::byte> ModelFile::bytes() const {
  const std::string entry = fmt::format("\"{}\":\"{}\"", kChecksumKey, checksum());
  std::string json = header();
  // The entry becomes the first of the metadata, right after {"__metadata__":{ .
  json.insert(json.find('{', 1) + 1, metadata_.empty() ? entry : entry + ',');
  json.append((8 - json.size() % 8) % 8, ' ');
  const std::uint64_t header_bytes = json.size();

  std::size_t size = sizeof(header_bytes) + json.size();
  for (const auto& [name, tensor] : tensors_) size += tensor.data.size();
  std::vector<std::byte> bytes(size);
  auto end = bytes.begin();
  const auto append = [&](std::span<const std::byte> more) {
    end = std::copy(more.begin(), more.end(), end);
  };
  append(std::as_bytes(std::span(&header_bytes, 1)));
  append(std::as_bytes(std::span(json)));
  for (const auto& [name, tensor] : in_file_order()) append(bytes_of(tensor->data));
  return bytes;
}

void ModelFile::write(const std::string& path) const {
  const std::vector<std::byte> content = bytes();
  OutputFile file(path);
  file.write(content.data(), content.size());
  file.commit();
}

void ModelFile::set_schema(std::string_view schema, int version) {
  set_metadata("schema", std::string(schema));
  set_metadata("schema_version", std::to_string(version));
  set_metadata("fovea_version", FOVEA_VERSION);
}

void ModelFile::require_schema(std::string_view schema, int version) const {
  const auto fact = [&](const char* key) {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? std::string() : found->second;
  };
  const std::string actual = fact("schema"), actual_version = fact("schema_version");
  if (actual.empty())
    throw ModelError(fmt::format("{}: does not say what model it is; expected '{}' version {}",
                                 name_, schema, version));
  if (actual != schema || actual_version != std::to_string(version))
    throw ModelError(
        fmt::format("{}: holds the model \"{}\" version \"{}\"; expected '{}' version {}: train it "
                    "again or give "
                    "another file",
                    name_, detail::shown(actual), detail::shown(actual_version), schema, version));
}

void ModelFile::set_metadata(const std::string& key, std::string value) {
  require_utf8("metadata key", key);
  require_utf8("metadata value", value);
  if (key == kChecksumKey)
    throw InvalidArgument(fmt::format("model: the metadata key '{}' is the file's own", key));
  metadata_[key] = std::move(value);
}

void ModelFile::add_bytes(const std::string& name, TensorType dtype, const Shape& shape,
                          std::span<const std::byte> values) {
  require_utf8("tensor name", name);
  if (name == "__metadata__") throw InvalidArgument("model: a tensor cannot be named " + name);
  const auto elements = shape_elements(shape, dtype);
  if (!elements || *elements * size_of(dtype) != values.size())
    throw InvalidArgument(fmt::format("model: tensor '{}' has {} values, which do not fill {}",
                                      name, values.size() / size_of(dtype), shape_text(shape)));
  Tensor tensor{dtype, shape, Array<std::byte>(values.size())};
  std::copy(values.begin(), values.end(), tensor.data.begin());
  tensors_.insert_or_assign(name, std::move(tensor));
}

std::vector<std::string> ModelFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

const ModelFile::Tensor& ModelFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw ModelError(
        fmt::format("{}: has no tensor '{}'; it is not a model of this kind", name_, name));
  return found->second;
}

const ModelFile::Tensor& ModelFile::find(std::string_view name, TensorType dtype) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype != dtype)
    throw ModelError(fmt::format("{}: tensor '{}' is {} {}; expected {}", name_, name,
                                 to_string(tensor.dtype), shape_text(tensor.shape),
                                 to_string(dtype)));
  return tensor;
}

const ModelFile::Tensor& ModelFile::find(std::string_view name, TensorType dtype,
                                         const Shape& expected) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype != dtype)
    throw ModelError(fmt::format("{}: tensor '{}' is {} {}; expected {} {}", name_, name,
                                 to_string(tensor.dtype), shape_text(tensor.shape),
                                 to_string(dtype), shape_text(expected)));
  check_shape(name, tensor, to_string(dtype), expected);
  return tensor;
}

void ModelFile::check_shape(std::string_view name, const Tensor& tensor, const char* dtype,
                            const Shape& expected) const {
  const bool fits = std::equal(tensor.shape.begin(), tensor.shape.end(), expected.begin(),
                               expected.end(), [](std::int64_t actual, std::int64_t wanted) {
                                 return wanted == kAnySize || actual == wanted;
                               });
  if (!fits)
    throw ModelError(fmt::format("{}: tensor '{}' is {} {}; expected {} {}", name_, name,
                                 to_string(tensor.dtype), shape_text(tensor.shape), dtype,
                                 shape_text(expected)));
}

std::vector<float> ModelFile::floats(std::string_view name, const Shape& expected) const {
  const Tensor& tensor = find(name);
  check_shape(name, tensor, "F16, F32 or F64", expected);
  std::vector<float> result(tensor.data.size() / size_of(tensor.dtype));
  const auto convert = [&](auto from, auto to) {
    std::transform(from.begin(), from.end(), result.begin(), to);
  };
  switch (tensor.dtype) {
    case TensorType::kF16:
      convert(values<Half>(tensor), [](Half v) { return half_to_float(v.bits); });
      break;
    case TensorType::kF32: convert(values<float>(tensor), [](float v) { return v; }); break;
    case TensorType::kF64:
      convert(values<double>(tensor), [](double v) { return static_cast<float>(v); });
      break;
    default:
      throw ModelError(fmt::format("{}: tensor '{}' is {}; expected F16, F32 or F64", name_, name,
                                   to_string(tensor.dtype)));
  }
  return result;
}

void ModelFile::require_finite() const {
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.dtype == TensorType::kF16) require_all_finite(values<Half>(tensor), name, name_);
    if (tensor.dtype == TensorType::kF32) require_all_finite(values<float>(tensor), name, name_);
    if (tensor.dtype == TensorType::kF64) require_all_finite(values<double>(tensor), name, name_);
  }
}

}  // namespace fovea::io
