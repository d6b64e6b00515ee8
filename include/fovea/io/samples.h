#pragma once
#include <fovea/io/image_io.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// Samples in another type without a change of scale: 200 stays 200. (to_float() and to_bytes() of
// image_io.h change the scale.) Images lie in host memory.
namespace fovea::io {

// How many samples an image has whose header says so, and how much memory they take as they are.
inline std::uint64_t sample_count(const ImageInfo& image) {
  return static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height) *
         static_cast<std::uint64_t>(image.channels);
}
inline std::uint64_t decoded_bytes(const ImageInfo& image) {
  constexpr std::array<std::uint64_t, 8> kSampleBytes{1, 2, 4, 1, 2, 4, 4, 8};
  return sample_count(image) * kSampleBytes[static_cast<std::size_t>(image.type)];
}

// The samples as they are, in another type.
template <class T>
Image<T> samples_as(const AnyView& image) {
  return std::visit(
      [](const auto& view) {
        Image<T> result(view.width, view.height, view.channels);
        for (int y = 0; y < view.height; ++y) {
          for (int i = 0; i < view.row_elements(); ++i)
            result.row(y)[i] = static_cast<T>(view.row(y)[i]);
        }
        return result;
      },
      image);
}

// Values as samples of type T: rounded (halves to even) and limited to its range for integers; NaN
// becomes 0.
template <class T>
Image<T> samples_from(ImageView<const float> values) {
  Image<T> result(values.width, values.height, values.channels);
  for (int y = 0; y < values.height; ++y) {
    for (int i = 0; i < values.row_elements(); ++i) {
      const float value = values.row(y)[i];
      if constexpr (std::is_floating_point_v<T>) {
        result.row(y)[i] = static_cast<T>(value);
      } else {
        const double rounded = std::isnan(value) ? 0 : std::nearbyint(static_cast<double>(value));
        result.row(y)[i] =
            static_cast<T>(std::clamp(rounded, static_cast<double>(std::numeric_limits<T>::min()),
                                      static_cast<double>(std::numeric_limits<T>::max())));
      }
    }
  }
  return result;
}

}  // namespace fovea::io
