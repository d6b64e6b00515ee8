#pragma once
#include <fovea/core/memory.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fovea::io {

// Element types of a model's tensors, by their names in the file.
enum class TensorType : unsigned char {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64
};
FOVEA_API const char* to_string(TensorType dtype);  // "F32"
FOVEA_API std::size_t size_of(TensorType dtype);    // bytes per element

// A 16-bit floating-point number (IEEE binary16), as it lies in a file.
struct Half {
  std::uint16_t bits = 0;
};

template <class T>
constexpr TensorType tensor_type_of() {
  if constexpr (std::is_same_v<T, bool>) return TensorType::kBool;
  else if constexpr (std::is_same_v<T, Half>) return TensorType::kF16;
  else if constexpr (std::is_same_v<T, float>) return TensorType::kF32;
  else if constexpr (std::is_same_v<T, double>) return TensorType::kF64;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8, "no such tensor element type");
    constexpr bool kSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return kSigned ? TensorType::kI8 : TensorType::kU8;
    else if constexpr (sizeof(T) == 2) return kSigned ? TensorType::kI16 : TensorType::kU16;
    else if constexpr (sizeof(T) == 4) return kSigned ? TensorType::kI32 : TensorType::kU32;
    else return kSigned ? TensorType::kI64 : TensorType::kU64;
  }
}

using Shape = std::vector<std::int64_t>;  // row-major; empty for a single number
constexpr std::int64_t kAnySize = -1;     // in an expected shape: this side may have any length

// A trained model: named tensors and facts as text in one safetensors file, which Python's
// `safetensors` reads and writes as well. Files that Fovea writes also have a schema name and
// version (what the tensors mean), the version of Fovea, and a CRC-32 of the content, which is
// checked when a file is read. The same content gives the same bytes. A model is kept in memory as
// a whole and takes no more memory than the file.
class FOVEA_API ModelFile {
 public:
  ModelFile() = default;  // empty, to be filled and written

  // Throws IoError where the file cannot be read and FormatError where it is not what it claims.
  static ModelFile read(const std::string& path);
  // The same from memory; `name` takes the place of the path in errors.
  static ModelFile parse(std::span<const std::byte> bytes, std::string name);
  void write(const std::string& path) const;
  std::vector<std::byte> bytes() const;
  // The path it was read from, the name that parse() was given, or "model"; messages begin with it.
  const std::string& name() const { return name_; }

  // Says what the tensors mean: "people.hog", 1.
  void set_schema(std::string_view schema, int version);
  // Throws ModelError unless the file says the same.
  void require_schema(std::string_view schema, int version) const;

  // Facts about the model: options, training data, date. Both must be UTF-8.
  void set_metadata(const std::string& key, std::string value);
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // Copies the values in; a tensor of that name is replaced. The shape must have as many elements.
  template <class T>
  void add(const std::string& name, const Shape& shape, std::span<const T> values) {
    add_bytes(name, tensor_type_of<T>(), shape, std::as_bytes(values));
  }
  template <class T>
  void add(const std::string& name, const Shape& shape, const std::vector<T>& values) {
    add(name, shape, std::span<const T>(values));
  }

  std::vector<std::string> names() const;  // sorted
  bool has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  TensorType dtype(std::string_view name) const { return find(name).dtype; }
  const Shape& shape(std::string_view name) const { return find(name).shape; }

  // The values of a tensor, which stay this object's, on a 64-byte boundary. Throws ModelError that
  // names file, tensor, expected and actual type where it is absent or of another type.
  template <class T>
  std::span<const T> tensor(std::string_view name) const {
    return values<T>(find(name, tensor_type_of<T>()));
  }
  // Also throws where the shape differs; kAnySize fits every length.
  template <class T>
  std::span<const T> tensor(std::string_view name, const Shape& expected) const {
    return values<T>(find(name, tensor_type_of<T>(), expected));
  }
  // A floating-point tensor of any width (F16, F32, F64) as single-precision numbers.
  std::vector<float> floats(std::string_view name, const Shape& expected) const;

  // Throws ModelError that names the first number that is NaN or infinite.
  void require_finite() const;

 private:
  struct Tensor {
    TensorType dtype = TensorType::kU8;
    Shape shape;
    Array<std::byte> data;
  };
  template <class T>
  static std::span<const T> values(const Tensor& tensor) {
    return {reinterpret_cast<const T*>(tensor.data.data()), tensor.data.size() / sizeof(T)};
  }

  template <class Source>
  static ModelFile load(Source& source, std::string name);
  void add_bytes(const std::string& name, TensorType dtype, const Shape& shape,
                 std::span<const std::byte> values);
  const Tensor& find(std::string_view name) const;
  const Tensor& find(std::string_view name, TensorType dtype) const;
  const Tensor& find(std::string_view name, TensorType dtype, const Shape& shape) const;
  void check_shape(std::string_view name, const Tensor& tensor, const char* dtype,
                   const Shape& expected) const;
  std::vector<std::pair<const std::string*, const Tensor*>> in_file_order() const;
  std::string header() const;
  std::string checksum() const;

  std::string name_ = "model";  // the file's path, for messages
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace fovea::io
