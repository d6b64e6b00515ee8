// Arrays of Python as views of the library and images of the library as NumPy arrays, without a
// copy where type and layout allow it. Other arrays, lists and tables are copied, unless the rules
// of the call forbid it; what would lose values is refused with what came and what is wanted.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/stream.h>
#include <fovea/io/image_io.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace fovea::python {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro>;

// What an argument must be.
struct ImageNeed {
  const char* name;  // of the argument
  std::initializer_list<io::SampleType> samples;
  std::initializer_list<int> channels;  // the numbers of channels that are allowed; 1 is also a
                                        // plain matrix. An empty list allows any number
  const Stream* stream = nullptr;       // where it is set, the array may lie on a GPU: what was
                                        // done to it before is then awaited by this stream
  bool colors = true;                   // 3 and 4 channels are colors, whose order has a meaning
};

// An array that a call reads. It keeps the array alive.
struct ImageInput {
  AnyArray array;
  io::AnyView view{};

  template <class T>
  ImageView<const T> of() const {
    return std::get<ImageView<const T>>(view);
  }
};
ImageInput image_input(nb::handle value, const ImageNeed& need);
// The same for bytes of 1, 3 or 4 channels.
ImageInput byte_image(nb::handle value, const char* name = "image", const Stream* stream = nullptr);
// A mask of the size of an image, or an empty view for None. Truth values count as 0 and 255.
ImageInput mask_input(nb::handle value, const char* name = "mask");

// Histograms or other vectors, one per row, or a single one in an array of one axis. There may be
// no rows.
ImageInput rows_input(nb::handle value, const char* name,
                      std::initializer_list<io::SampleType> samples,
                      const Stream* stream = nullptr);

// Points, one per row of a matrix of float32.
struct PointsInput {
  AnyArray array;
  ImageView<const float> view{};
};
PointsInput points_input(nb::handle value, const char* name, const Stream* stream = nullptr);

// A dense array of numbers with `dimensions` axes, C order, one element type. Returned as it is
// where it is one already.
AnyArray dense_array(nb::handle value, const char* name, nb::dlpack::dtype type,
                     std::initializer_list<int> dimensions);
template <class T>
AnyArray dense_array(nb::handle value, const char* name, std::initializer_list<int> dimensions) {
  return dense_array(value, name, nb::dtype<T>(), dimensions);
}

// The same for an array whose elements have one of several types, of which the first is taken where
// they have another.
AnyArray dense_array_of(nb::handle value, const char* name,
                        std::initializer_list<nb::dlpack::dtype> types,
                        std::initializer_list<int> dimensions);

// The whole numbers of an array of one axis. Throws InvalidArgument for a number of more than 32
// bits.
std::vector<std::int32_t> whole_numbers(nb::handle value, const char* name);
// The numbers of an array of one axis.
template <class T>
std::vector<T> real_numbers(nb::handle value, const char* name);

// Boxes in an array whose rows are x, y, width and height.
template <class T>
std::vector<Rect<T>> rect_rows(nb::handle value, const char* name);

// Throws InvalidArgument for the first number that is NaN or infinite.
void require_finite(ImageView<const float> rows, const char* name);

// What came, for messages: "float64 of shape (3, 4)", "a str".
std::string array_text(nb::handle value);

namespace detail {

template <class T>
nb::object owned_array(std::unique_ptr<T[]> data, const std::vector<std::size_t>& shape) {
  T* first = data.release();
  const nb::capsule owner(first, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(first, shape.size(), shape.data(), owner));
}

}  // namespace detail

// A new NumPy array with the elements of a vector.
template <class T>
nb::object to_numpy(const std::vector<T>& values, std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  auto data = std::make_unique<T[]>(values.size());
  std::copy(values.begin(), values.end(), data.get());
  return detail::owned_array(std::move(data), shape);
}

// An image of the library as a dense NumPy array of shape (height, width), or with a third axis
// where it has several channels. The pixels are moved where rows follow each other without a gap,
// and copied otherwise.
template <class T>
nb::object to_numpy(Image<T>&& image) {
  const auto width = static_cast<std::size_t>(image.width()),
             height = static_cast<std::size_t>(image.height()),
             channels = static_cast<std::size_t>(image.channels());
  std::vector<std::size_t> shape{height, width};
  if (channels > 1) shape.push_back(channels);
  if (static_cast<std::size_t>(image.stride()) == width * channels) {
    auto* kept = new Image<T>(std::move(image));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Image<T>*>(p); });
    return nb::cast(
        nb::ndarray<nb::numpy, T>(kept->view().data, shape.size(), shape.data(), owner));
  }
  auto data = std::make_unique_for_overwrite<T[]>(height * width * channels);
  copy(image.view(), packed_view(data.get(), image.width(), image.height(), image.channels()));
  return detail::owned_array(std::move(data), shape);
}
nb::object to_numpy(io::AnyImage&& image);

// A picture in RGB as a call returns it, in the order of colors that it has.
nb::object picture_to_numpy(Image<std::uint8_t>&& picture);
// Pixels in RGB for calls that take images: they are RGB whatever the order of colors is.
nb::object marked_rgb(nb::object&& pixels);

// An image without gaps between rows that a call writes, and that Python then owns. With `axes` 2
// an image of one channel has the shape (height, width). Pixels are not initialized.
template <class T>
class NewImage {
 public:
  NewImage(Extent size, int channels, std::size_t axes = 3) : plain_(axes == 2 && channels == 1) {
    (void)fovea::detail::padded_stride(size.width, channels, sizeof(T));  // throws for long rows
    pixels_ = std::make_unique_for_overwrite<T[]>(
        fovea::detail::byte_count(static_cast<std::size_t>(size.width) * channels, size.height));
    view_ = packed_view(pixels_.get(), size.width, size.height, channels);
  }
  ImageView<T> view() const { return view_; }
  nb::object to_numpy() && {
    std::vector<std::size_t> shape{static_cast<std::size_t>(view_.height),
                                   static_cast<std::size_t>(view_.width)};
    if (!plain_) shape.push_back(static_cast<std::size_t>(view_.channels));
    return detail::owned_array(std::move(pixels_), shape);
  }

 private:
  bool plain_;
  std::unique_ptr<T[]> pixels_;
  ImageView<T> view_;
};

}  // namespace fovea::python
