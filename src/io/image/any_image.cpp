// Images of any sample type: their shape, and the conversions between a file's samples and the
// samples that algorithms need.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/rgb.h"
#include "io/image/codec.h"

namespace fovea::io {
namespace {

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Converts a double to a sample: integers are rounded and clamped, and NaN becomes 0.
template <class T>
T to_sample(double value) {
  if constexpr (kIsFloat<T>) {
    return static_cast<T>(value);
  } else {
    constexpr double kLeast = std::numeric_limits<T>::min();
    constexpr double kMost = std::numeric_limits<T>::max();
    if (!(value > kLeast)) return std::isnan(value) ? T{0} : std::numeric_limits<T>::min();
    return value >= kMost ? std::numeric_limits<T>::max() : static_cast<T>(std::nearbyint(value));
  }
}

template <class To, class From, class Function>
Image<To> map_samples(ImageView<const From> image, Function function) {
  Image<To> result(image.width, image.height, image.channels);
  for (int y = 0; y < image.height; ++y) {
    std::transform(image.row(y), image.row(y) + image.row_elements(), result.row(y), function);
  }
  return result;
}

template <class T>
T luma(const T* rgb) {
  if constexpr (kIsFloat<T>) {
    return T(0.299) * rgb[0] + T(0.587) * rgb[1] + T(0.114) * rgb[2];
  } else if constexpr (sizeof(T) <= 2 && std::is_unsigned_v<T>) {
    return static_cast<T>(fovea::detail::luma(rgb[0], rgb[1], rgb[2]));
  } else {
    return to_sample<T>(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]);
  }
}

template <class T>
Image<T> gray(ImageView<const T> image) {
  if (image.channels < 1 || image.channels > 4)
    throw InvalidArgument(fmt::format(
        "to_gray: the image has {} channels; expected 1 to 4; select_channels picks some",
        image.channels));
  Image<T> result(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    const T* from = image.row(y);
    T* to = result.row(y);
    if (image.channels < 3) {
      for (int x = 0; x < image.width; ++x) to[x] = from[x * image.channels];
    } else {
      for (int x = 0; x < image.width; ++x) to[x] = luma(from + x * image.channels);
    }
  }
  return result;
}

bool has_alpha(const AnyImage& image) {
  return image.facts.alpha != Alpha::kNone && image.channels() > 1;
}

AnyImage copy_of(const AnyImage& image) {
  return std::visit(
      [&](const auto& pixels) {
        return AnyImage{clone(pixels), image.facts};
      },
      image.pixels);
}

// Blends one pixel with its background; `opaque` is the sample value of full opacity.
template <class T>
struct Blend {
  double opaque;
  bool premultiplied;
  std::array<double, 3> background;  // in sample values

  void operator()(const T* pixel, int colors, T* out) const {
    const double opacity = static_cast<double>(pixel[colors]) / opaque;
    for (int c = 0; c < colors; ++c) {
      const double color = static_cast<double>(pixel[c]) * (premultiplied ? 1 : opacity);
      out[c] = to_sample<T>(color + (1 - opacity) * background[static_cast<std::size_t>(c)]);
    }
  }
};

// Where pixel (x, y) of the upright image lies in the stored one.
struct Turn {
  int orientation, width, height;  // size of the stored image

  bool swaps_sides() const { return orientation >= 5; }
  std::pair<int, int> operator()(int x, int y) const {
    const int right = width - 1, bottom = height - 1;
    switch (orientation) {
      case 2: return {right - x, y};
      case 3: return {right - x, bottom - y};
      case 4: return {x, bottom - y};
      case 5: return {y, x};
      case 6: return {y, bottom - x};
      case 7: return {right - y, bottom - x};
      case 8: return {right - y, x};
      default: return {x, y};
    }
  }
};

// Works in square blocks, so that reads down a column reuse their cache lines.
template <class T>
Image<T> turned(ImageView<const T> image, const Turn& turn) {
  constexpr int kSquare = 32;
  Image<T> result(turn.swaps_sides() ? image.height : image.width,
                  turn.swaps_sides() ? image.width : image.height, image.channels);
  for (int top = 0; top < result.height(); top += kSquare) {
    for (int left = 0; left < result.width(); left += kSquare) {
      for (int y = top; y < std::min(top + kSquare, result.height()); ++y) {
        for (int x = left; x < std::min(left + kSquare, result.width()); ++x) {
          const auto [from_x, from_y] = turn(x, y);
          std::copy_n(&image.at(from_x, from_y), image.channels, &result.at(x, y));
        }
      }
    }
  }
  return result;
}

}  // namespace

const char* to_string(SampleType type) {
  static constexpr std::array<const char*, 8> kNames{"uint8", "uint16", "uint32",  "int8",
                                                     "int16", "int32",  "float32", "float64"};
  return kNames.at(static_cast<std::size_t>(type));
}

AnyView AnyImage::view() const {
  return std::visit([](const auto& image) { return AnyView(image.view()); }, pixels);
}
int AnyImage::width() const {
  return std::visit([](const auto& image) { return image.width(); }, pixels);
}
int AnyImage::height() const {
  return std::visit([](const auto& image) { return image.height(); }, pixels);
}
int AnyImage::channels() const {
  return std::visit([](const auto& image) { return image.channels(); }, pixels);
}
SampleType AnyImage::type() const { return static_cast<SampleType>(pixels.index()); }

Image<float> to_float(const AnyImage& image) {
  return std::visit(
      [&]<class T>(const Image<T>& pixels) {
        if constexpr (kIsFloat<T>) {
          return map_samples<float>(pixels.view(), [](T v) { return static_cast<float>(v); });
        } else {
          const double white = image.facts.white;
          return map_samples<float>(pixels.view(),
                                    [=](T v) { return static_cast<float>(v / white); });
        }
      },
      image.pixels);
}

Image<float> to_float(AnyImage&& image) {
  if (auto* same = std::get_if<Image<float>>(&image.pixels)) return std::move(*same);
  return to_float(std::as_const(image));
}

Image<std::uint8_t> to_bytes(const AnyImage& image) {
  return std::visit(
      [&]<class T>(const Image<T>& pixels) {
        const double scale = 255 / (kIsFloat<T> ? 1 : image.facts.white);
        if (std::is_same_v<T, std::uint8_t> && scale == 1)
          return map_samples<std::uint8_t>(pixels.view(),
                                           [](T v) { return static_cast<std::uint8_t>(v); });
        return map_samples<std::uint8_t>(pixels.view(), [=](T v) {
          return to_sample<std::uint8_t>(static_cast<double>(v) * scale);
        });
      },
      image.pixels);
}

Image<std::uint8_t> to_bytes(AnyImage&& image) {
  auto* same = std::get_if<Image<std::uint8_t>>(&image.pixels);
  if (same != nullptr && image.facts.white == 255) return std::move(*same);
  return to_bytes(std::as_const(image));
}

Image<std::uint8_t> to_gray(ImageView<const std::uint8_t> image) { return gray(image); }
Image<std::uint16_t> to_gray(ImageView<const std::uint16_t> image) { return gray(image); }
Image<float> to_gray(ImageView<const float> image) { return gray(image); }

AnyImage to_gray(const AnyImage& image) {
  AnyImage result{
      std::visit([](const auto& pixels) { return AnyPixels(gray(pixels.view())); }, image.pixels),
      image.facts};
  result.facts.alpha = Alpha::kNone;
  return result;
}

AnyImage select_channels(const AnyImage& image, std::span<const int> channels) {
  for (const int c : channels) {
    if (c < 0 || c >= image.channels())
      throw InvalidArgument(fmt::format(
          "select_channels: there is no channel {} in an image with {}; they count from 0", c,
          image.channels()));
  }
  if (channels.empty())
    throw InvalidArgument("select_channels: no channel was named; name one or more");
  const auto select = [&]<class T>(const Image<T>& from) {
    Image<T> to(from.width(), from.height(), static_cast<int>(channels.size()));
    for (int y = 0; y < from.height(); ++y) {
      for (int x = 0; x < from.width(); ++x) {
        for (std::size_t i = 0; i < channels.size(); ++i)
          to.at(x, y, static_cast<int>(i)) = from.at(x, y, channels[i]);
      }
    }
    return AnyPixels(std::move(to));
  };
  AnyImage result{std::visit(select, image.pixels), image.facts};
  const bool ends_in_alpha = channels.size() > 1 && channels.back() == image.channels() - 1;
  if (!ends_in_alpha) result.facts.alpha = Alpha::kNone;
  return result;
}

AnyImage drop_alpha(const AnyImage& image) {
  if (!has_alpha(image)) return copy_of(image);
  std::vector<int> colors(static_cast<std::size_t>(image.channels() - 1));
  std::iota(colors.begin(), colors.end(), 0);
  return select_channels(image, colors);
}

AnyImage blend_alpha(const AnyImage& image, const std::array<double, 3>& background) {
  if (!has_alpha(image)) return copy_of(image);
  const int colors = image.channels() - 1;
  if (colors != 1 && colors != 3)
    throw InvalidArgument(fmt::format(
        "blend_alpha: the image has {} channels before alpha; expected 1 or 3; drop_alpha drops it",
        colors));
  const auto blend = [&]<class T>(const Image<T>& from) {
    const double opaque = kIsFloat<T> ? 1 : image.facts.white;
    Blend<T> over{opaque, image.facts.alpha == Alpha::kPremultiplied, background};
    for (double& value : over.background) value *= opaque;
    if (colors == 1)
      over.background[0] = (over.background[0] + over.background[1] + over.background[2]) / 3;
    Image<T> to(from.width(), from.height(), colors);
    for (int y = 0; y < from.height(); ++y) {
      for (int x = 0; x < from.width(); ++x) over(&from.at(x, y), colors, &to.at(x, y));
    }
    return AnyPixels(std::move(to));
  };
  AnyImage result{std::visit(blend, image.pixels), image.facts};
  result.facts.alpha = Alpha::kNone;
  return result;
}

AnyImage apply_orientation(const AnyImage& image, int orientation) {
  if (orientation < 1 || orientation > 8)
    throw InvalidArgument(
        fmt::format("apply_orientation: orientation is {}; expected 1 to 8", orientation));
  const Turn turn{orientation, image.width(), image.height()};
  AnyImage result{
      std::visit([&](const auto& pixels) { return AnyPixels(turned(pixels.view(), turn)); },
                 image.pixels),
      image.facts};
  result.facts.oriented = true;
  return result;
}

}  // namespace fovea::io
