#pragma once
#include <fovea/core/api.h>
#include <fovea/core/memory.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Reads and writes NumPy's .npy files as arrays of any shape. read_image() reads 2-D and 3-D arrays
// as images.
namespace fovea::io {

enum class DType : unsigned char {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64
};
// NumPy's name of the type: "uint8", "float32", ...
FOVEA_API const char* to_string(DType type);
FOVEA_API std::size_t element_bytes(DType type);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  else if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  else if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  else {
    static_assert(std::is_integral_v<T>, "no .npy type holds this");
    constexpr int log_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    constexpr DType first = std::is_signed_v<T> ? DType::kInt8 : DType::kUint8;
    return static_cast<DType>(static_cast<int>(first) + log_size);
  }
}

// An array in C order (the last index moves fastest) and this machine's byte order.
struct NdArray {
  DType type = DType::kFloat32;
  std::vector<std::size_t> shape{};  // empty for a single number
  Array<std::byte> data{};

  FOVEA_API std::size_t size() const;  // number of elements
  // The elements. Throws InvalidArgument where T is not the array's type.
  template <class T>
  std::span<const T> as() const {
    require(dtype_of<T>());
    return {reinterpret_cast<const T*>(data.data()), size()};
  }
  template <class T>
  std::span<T> as() {
    require(dtype_of<T>());
    return {reinterpret_cast<T*>(data.data()), size()};
  }

  // The elements of any type as doubles.
  FOVEA_API std::vector<double> numbers() const;

 private:
  FOVEA_API void require(DType wanted) const;
};

// Reads versions 1 to 3 of the format, both byte orders, and C and Fortran order. Half floats
// become float32; NaN and infinities stay. Throws FormatError for a file that is damaged, states a
// wrong size, or holds Python objects or records.
FOVEA_API NdArray read_array(const std::string& path);
FOVEA_API NdArray read_array(std::span<const std::byte> data, const std::string& name);

// Writes elements that are in C order. The file appears whole or not at all.
FOVEA_API void write_array(const std::string& path, DType type, std::span<const std::size_t> shape,
                           const void* data);
FOVEA_API void write_array(const std::string& path, const NdArray& array);

}  // namespace fovea::io
