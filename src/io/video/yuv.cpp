#include "io/video/yuv.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/rgb.h"
#include "io/video/yuv_rows.h"

namespace fovea::io {
namespace {

struct Weights {
  double red, blue;
  double green() const { return 1 - red - blue; }
};

Weights weights_of(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::kBt709: return {0.2126, 0.0722};
    case YuvMatrix::kBt2020: return {0.2627, 0.0593};
    default: return {0.299, 0.114};
  }
}

// Chroma is kept in this part of a sample, so that interpolation gives whole numbers: a quarter or
// an eighth in either direction.
int parts_of(int shift) { return shift == 0 ? 1 : 2 << shift; }

cpu::YuvDecoding decoding_of(const YuvFormat& format, double most) {
  const Weights w = weights_of(format.matrix);
  const int unit = 1 << (format.bits - 8);
  const double whole = (1 << format.bits) - 1;
  const double luma = most / (format.full_range ? whole : 219 * unit);
  const double chroma = most / (format.full_range ? whole : 224 * unit);
  // A power of two, which changes no digit of a float.
  const auto parts = static_cast<float>(parts_of(format.shift_x) * parts_of(format.shift_y));
  return {static_cast<float>(format.full_range ? 0 : 16 * unit),
          static_cast<float>(luma),
          static_cast<float>(128 * unit) * parts,
          static_cast<float>(chroma * 2 * (1 - w.red)) / parts,
          static_cast<float>(-chroma * 2 * (1 - w.blue) * w.blue / w.green()) / parts,
          static_cast<float>(-chroma * 2 * (1 - w.red) * w.red / w.green()) / parts,
          static_cast<float>(chroma * 2 * (1 - w.blue)) / parts,
          static_cast<float>(most)};
}

// Between which two chroma samples a luma sample lies, in parts_of() a sample.
cpu::ChromaWeights between(int luma, int shift, bool centered) {
  if (shift == 0) return {luma, {1, 0}};
  const int parts = parts_of(shift);
  // In halves of a luma sample, of which `parts` make a chroma sample.
  const int position = centered ? 2 * luma + 1 - parts / 2 : 2 * luma;
  const int first = (position + parts) / parts - 1;  // floor: positions are above -parts
  const int second = position - first * parts;
  return {first, {parts - second, second}};
}

// Interpolates one row of chroma to the luma's resolution.
template <class Sample>
class ChromaRow {
 public:
  explicit ChromaRow(const YuvFormat& format)
      : format_(format),
        count_(format.chroma_width()),
        narrow_(static_cast<std::size_t>(count_) + 3 + cpu::kRowPadding) {
    if (format.shift_x == 0) return;
    wide_.resize((static_cast<std::size_t>(count_) + cpu::kRowPadding) << format.shift_x);
    for (int phase = 0; phase < 1 << format.shift_x; ++phase)
      phases_[phase] = between(phase, format.shift_x, format.siting == ChromaSiting::kCenter);
  }

  const Sample* at(const std::uint8_t* plane, std::ptrdiff_t stride, int y) {
    const cpu::ChromaWeights rows =
        between(y, format_.shift_y, format_.siting != ChromaSiting::kTopLeft);
    const int last = format_.chroma_height() - 1;
    const std::uint8_t* upper = plane + std::clamp(rows.first, 0, last) * stride;
    const std::uint8_t* lower = plane + std::clamp(rows.first + 1, 0, last) * stride;
    Sample* narrow = narrow_.data() + 1;
    cpu::blend_rows(upper, lower, rows, count_, narrow);
    if (format_.shift_x == 0) return narrow;
    narrow[-1] = narrow[0];
    narrow[count_] = narrow[count_ + 1] = narrow[count_ - 1];
    cpu::widen_row(narrow, phases_, format_.shift_x, count_, wide_.data());
    return wide_.data();
  }

 private:
  const YuvFormat& format_;
  int count_;
  cpu::ChromaWeights phases_[4];  // all samples at one place in their block have the same weights
  std::vector<Sample> narrow_, wide_;
};

// Of planes without chroma.
template <class T>
void decode_mono(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  const cpu::YuvDecoding decoding = decoding_of(format, std::numeric_limits<T>::max());
  const bool as_it_is =
      image.channels == 1 && format.full_range && format.bits == 8 * static_cast<int>(sizeof(T));
  for (int y = 0; y < format.height; ++y) {
    const std::uint8_t* luma = planes.data[0] + y * planes.stride[0];
    if (as_it_is) {
      std::memcpy(image.row(y), luma, static_cast<std::size_t>(format.width) * sizeof(T));
    } else {
      cpu::gray_row({luma, format.bits > 8, format.width, image.channels}, decoding, image.row(y));
    }
  }
}

template <class Chroma, class T>
void decode_color(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  const cpu::YuvDecoding decoding = decoding_of(format, std::numeric_limits<T>::max());
  ChromaRow<Chroma> u_row(format), v_row(format);
  for (int y = 0; y < format.height; ++y) {
    const cpu::YuvRow<Chroma> row = {planes.data[0] + y * planes.stride[0],
                                     u_row.at(planes.data[1], planes.stride[1], y),
                                     v_row.at(planes.data[2], planes.stride[2], y), format.width};
    if (image.channels == 1) cpu::gray_row(row, decoding, image.row(y));
    else cpu::rgb_row(row, decoding, image.row(y));
  }
}

// Sums of rows of pixels by channel.
class RowSums {
 public:
  explicit RowSums(int width)
      : width_(static_cast<std::size_t>(width)),
        stride_(width_ + 4 * cpu::kRowPadding),
        sums_(3 * stride_) {}

  cpu::ChannelSums view() {
    return {sums_.data(), sums_.data() + stride_, sums_.data() + 2 * stride_};
  }

  // Of `count` rows from `first` on; the last row and the last column are repeated.
  void sum(ImageView<const std::uint8_t> image, int first, int count) {
    std::fill(sums_.begin(), sums_.end(), std::uint16_t{0});
    for (int k = 0; k < count; ++k)
      cpu::add_pixels(
          {image.row(std::min(first + k, image.height - 1)), image.width, image.channels}, view());
    for (std::uint16_t* channel : {view().red, view().green, view().blue})
      std::fill_n(channel + width_, 3, channel[width_ - 1]);
  }

 private:
  std::size_t width_, stride_;
  std::vector<std::uint16_t> sums_;
};

}  // namespace

template <class T>
void from_yuv(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  if (format.mono) decode_mono(format, planes, image);
  else if (format.bits > 8) decode_color<float>(format, planes, image);
  else decode_color<std::uint16_t>(format, planes, image);
}
template void from_yuv(const YuvFormat&, const YuvPlanes&, ImageView<std::uint8_t>);
template void from_yuv(const YuvFormat&, const YuvPlanes&, ImageView<std::uint16_t>);

void to_yuv(ImageView<const std::uint8_t> image, const YuvFormat& format,
            const MutableYuvPlanes& planes) {
  const Weights w = weights_of(format.matrix);
  const double luma = format.full_range ? 1 : 219.0 / 255,
               chroma = format.full_range ? 1 : 224.0 / 255;
  const auto encoding = [](double gain, double r, double g, double b, double zero) {
    return cpu::YuvEncoding{static_cast<float>(gain * r), static_cast<float>(gain * g),
                            static_cast<float>(gain * b), static_cast<float>(zero)};
  };
  const auto y = encoding(luma, w.red, w.green(), w.blue, format.full_range ? 0 : 16);
  for (int line = 0; line < format.height; ++line)
    cpu::encode_luma_row({image.row(line), format.width, image.channels}, y,
                         planes.data[0] + line * planes.stride[0]);
  if (format.mono) return;
  const double u_gain = chroma / (2 * (1 - w.blue)), v_gain = chroma / (2 * (1 - w.red));
  const int block = 1 << format.shift_y;
  // Means of blocks are sums of a power of two of pixels: the division changes no digit.
  const auto of_sums = [&](cpu::YuvEncoding e) {
    const auto pixels = static_cast<float>(block << format.shift_x);
    return cpu::YuvEncoding{e.red / pixels, e.green / pixels, e.blue / pixels, e.zero};
  };
  const auto u = of_sums(encoding(u_gain, -w.red, -w.green(), 1 - w.blue, 128));
  const auto v = of_sums(encoding(v_gain, 1 - w.red, -w.green(), -w.blue, 128));
  RowSums sums(format.width);
  for (int line = 0; line < format.chroma_height(); ++line) {
    sums.sum(image, line * block, block);
    const int count = format.chroma_width();
    cpu::encode_chroma_row(sums.view(), format.shift_x, u, count,
                           planes.data[1] + line * planes.stride[1]);
    cpu::encode_chroma_row(sums.view(), format.shift_x, v, count,
                           planes.data[2] + line * planes.stride[2]);
  }
}

template <class T>
void convert_channels(ImageView<const T> from, ImageView<T> to) {
  for (int y = 0; y < from.height; ++y) {
    const T* pixel = from.row(y);
    T* out = to.row(y);
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      cpu::convert_channels_row({pixel, from.width, from.channels}, to.channels, out);
      continue;
    }
    for (int x = 0; x < from.width; ++x, pixel += from.channels, out += to.channels) {
      if (to.channels == 1 && from.channels >= 3) {
        out[0] = static_cast<T>(fovea::detail::luma(pixel[0], pixel[1], pixel[2]));
      } else {
        for (int c = 0; c < to.channels; ++c) out[c] = pixel[from.channels >= 3 ? c : 0];
      }
    }
  }
}
template void convert_channels(ImageView<const std::uint8_t>, ImageView<std::uint8_t>);
template void convert_channels(ImageView<const std::uint16_t>, ImageView<std::uint16_t>);

}  // namespace fovea::io
