// .npy files as images: arrays of rows and columns, with or without channels as the third index.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "io/image/codec.h"
#include "io/image/npy.h"

namespace fovea::io {
namespace {

SampleType sample_type(const Source& source, DType type) {
  switch (type) {
    case DType::kBool:
    case DType::kUint8: return SampleType::kUint8;
    case DType::kUint16: return SampleType::kUint16;
    case DType::kUint32: return SampleType::kUint32;
    case DType::kInt8: return SampleType::kInt8;
    case DType::kInt16: return SampleType::kInt16;
    case DType::kInt32: return SampleType::kInt32;
    case DType::kFloat32: return SampleType::kFloat32;
    case DType::kFloat64: return SampleType::kFloat64;
    case DType::kUint64:
    case DType::kInt64: break;
  }
  source.fail(
      fmt::format("holds {}, which no image does; save it as int32 or float64", to_string(type)));
}

PictureShape image_shape(const Source& source, const NpyHeader& header,
                         const ImageReadOptions& options = kNoLimits) {
  const auto& sides = header.shape;
  if (sides.size() != 2 && sides.size() != 3)
    source.fail(
        fmt::format("has the shape ({}); an image has (rows, columns) or (rows, columns, "
                    "channels)",
                    fmt::join(sides, ", ")));
  const PictureShape shape{sides[1], sides[0], sides.size() == 3 ? sides[2] : 1,
                           sample_type(source, header.type)};
  check_shape(source, shape, options);
  return shape;
}

ImageFacts facts_of(const PictureShape& shape, const NpyHeader& header) {
  const int bits = header.type == DType::kBool ? 1 : static_cast<int>(8 * header.stored_bytes);
  return {ImageFormat::kNpy, bits, type_white(shape.type), 1, false, Alpha::kNone};
}

template <class T>
void read_rows(Cursor& cursor, const NpyHeader& header, ImageView<T> image) {
  for (int y = 0; y < image.height; ++y) {
    const std::span<std::byte> row = row_bytes(image, y);
    cursor.read_all(row);
    if (header.swapped) swap_bytes(row, sizeof(T));
    if (header.type != DType::kBool) continue;
    for (std::byte& value : row) value = value != std::byte{0} ? std::byte{255} : std::byte{0};
  }
}

// Arrays whose order or type differs from that of an image are read into an array first.
template <class T>
void copy_elements(const NdArray& array, ImageView<T> image) {
  const auto elements = static_cast<std::size_t>(image.row_elements());
  for (int y = 0; y < image.height; ++y) {
    const std::byte* row = array.data.data() + static_cast<std::size_t>(y) * elements * sizeof(T);
    std::memcpy(image.row(y), row, elements * sizeof(T));
    if (array.type != DType::kBool) continue;
    for (std::size_t i = 0; i < elements; ++i) image.row(y)[i] *= static_cast<T>(255);
  }
}

ImageInfo npy_info(const Source& source) {
  Cursor cursor(source);
  const NpyHeader header = read_npy_header(cursor);
  const PictureShape shape = image_shape(source, header);
  return make_info(shape, facts_of(shape, header));
}

AnyImage read_npy(const Source& source, const ImageReadOptions& options) {
  Cursor cursor(source);
  const NpyHeader header = read_npy_header(cursor);
  const PictureShape shape = image_shape(source, header, options);
  AnyImage image = make_image(shape, facts_of(shape, header));
  std::visit(
      [&](auto& pixels) {
        if (header.fortran_order || header.half)
          copy_elements(read_npy_elements(cursor, header), pixels.view());
        else read_rows(cursor, header, pixels.view());
      },
      image.pixels);
  return image;
}

void write_npy(OutputFile& file, const AnyView& image, const ImageWriteOptions&) {
  std::visit(
      [&]<class T>(const ImageView<const T>& view) {
        const std::array<std::size_t, 3> sides{static_cast<std::size_t>(view.height),
                                               static_cast<std::size_t>(view.width),
                                               static_cast<std::size_t>(view.channels)};
        file.write(
            npy_header_text(dtype_of<T>(), std::span(sides).first(view.channels == 1 ? 2 : 3)));
        for (int y = 0; y < view.height; ++y) {
          const auto bytes = row_bytes(view, y);
          file.write(bytes.data(), bytes.size());
        }
      },
      image);
}

constexpr std::string_view kNpyExtensions[] = {".npy"};

}  // namespace

const Codec kNpyCodec{
    .format = ImageFormat::kNpy,
    .name = ".npy",
    .extensions = kNpyExtensions,
    .recognizes = [](std::string_view head) { return head.starts_with("\x93NUMPY"); },
    .info = npy_info,
    .read = read_npy,
    .write = write_npy,
    .feature =
        [] {
          return Feature{"npy", true, "built in"};
        }};

}  // namespace fovea::io
