// Luma and chroma planes to RGB and back one sample at a time. The library's rows of vectors give
// exactly these bytes.
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "io/video/yuv.h"

namespace fovea::reference {

using io::ChromaSiting;
using io::MutableYuvPlanes;
using io::YuvFormat;
using io::YuvMatrix;
using io::YuvPlanes;

namespace yuv {

struct Weights {
  double red, blue;
  double green() const { return 1 - red - blue; }
};

inline Weights weights_of(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::kBt709: return {0.2126, 0.0722};
    case YuvMatrix::kBt2020: return {0.2627, 0.0593};
    default: return {0.299, 0.114};
  }
}

// r = luma_gain (y - luma_zero) + red_v (v - chroma_zero), and so on.
struct Decoding {
  float luma_zero, luma_gain, chroma_zero, red_v, green_u, green_v, blue_u, most;
};

inline Decoding decoding_of(const YuvFormat& format, double most) {
  const Weights w = weights_of(format.matrix);
  const int unit = 1 << (format.bits - 8);
  const double whole = (1 << format.bits) - 1;
  const double luma = most / (format.full_range ? whole : 219 * unit);
  const double chroma = most / (format.full_range ? whole : 224 * unit);
  return {static_cast<float>(format.full_range ? 0 : 16 * unit),
          static_cast<float>(luma),
          static_cast<float>(128 * unit),
          static_cast<float>(chroma * 2 * (1 - w.red)),
          static_cast<float>(-chroma * 2 * (1 - w.blue) * w.blue / w.green()),
          static_cast<float>(-chroma * 2 * (1 - w.red) * w.red / w.green()),
          static_cast<float>(chroma * 2 * (1 - w.blue)),
          static_cast<float>(most)};
}

template <class T>
T rounded(float value, float most) {
  value += 0.5F;
  value = value < 0 ? 0 : value;
  value = value > most ? most : value;
  return static_cast<T>(static_cast<int>(value));
}

template <class Sample>
Sample sample_at(const std::uint8_t* row, int x) {
  Sample sample;
  std::memcpy(&sample, row + static_cast<std::size_t>(x) * sizeof(Sample), sizeof(Sample));
  return sample;
}

// Between which two chroma samples a luma sample lies: the one at `first` and its successor.
struct Between {
  int first;
  float second_weight;
};

inline Between between(int luma, int shift, bool centered) {
  const float position =
      centered ? (static_cast<float>(luma) + 0.5F) / static_cast<float>(1 << shift) - 0.5F
               : static_cast<float>(luma) / static_cast<float>(1 << shift);
  const int first = static_cast<int>(position + 1) - 1;  // floor: positions are above -1
  return {first, position - static_cast<float>(first)};
}

// One row of chroma at the luma's resolution.
template <class Sample>
class ChromaRow {
 public:
  explicit ChromaRow(const YuvFormat& format)
      : format_(format),
        count_(format.chroma_width()),
        narrow_(static_cast<std::size_t>(count_) + 3),
        wide_(static_cast<std::size_t>(count_) << format.shift_x) {}

  const float* at(const std::uint8_t* plane, std::ptrdiff_t stride, int y) {
    const Between rows = between(y, format_.shift_y, format_.siting != ChromaSiting::kTopLeft);
    const int last = format_.chroma_height() - 1;
    const std::uint8_t* upper = plane + std::clamp(rows.first, 0, last) * stride;
    const std::uint8_t* lower = plane + std::clamp(rows.first + 1, 0, last) * stride;
    float* narrow = narrow_.data() + 1;
    for (int x = 0; x < count_; ++x)
      narrow[x] = static_cast<float>(sample_at<Sample>(upper, x)) * (1 - rows.second_weight) +
                  static_cast<float>(sample_at<Sample>(lower, x)) * rows.second_weight;
    narrow[-1] = narrow[0];
    narrow[count_] = narrow[count_ + 1] = narrow[count_ - 1];
    if (format_.shift_x == 0) return narrow;
    widen(narrow);
    return wide_.data();
  }

 private:
  // All samples at one place in their block have the same weights.
  void widen(const float* narrow) {
    const int block = 1 << format_.shift_x;
    for (int phase = 0; phase < block; ++phase) {
      const Between columns =
          between(phase, format_.shift_x, format_.siting == ChromaSiting::kCenter);
      const float* from = narrow + columns.first;
      const float second = columns.second_weight, first = 1 - second;
      float* to = wide_.data() + phase;
      for (int i = 0; i < count_; ++i, to += block) *to = from[i] * first + from[i + 1] * second;
    }
  }

  const YuvFormat& format_;
  int count_;
  std::vector<float> narrow_, wide_;
};

template <class Sample, class T>
void decode_gray(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  const int width = format.width;
  const Decoding d = decoding_of(format, std::numeric_limits<T>::max());
  for (int y = 0; y < format.height; ++y) {
    const std::uint8_t* luma = planes.data[0] + y * planes.stride[0];
    T* out = image.row(y);
    for (int x = 0; x < width; ++x)
      out[x] = rounded<T>(
          (static_cast<float>(sample_at<Sample>(luma, x)) - d.luma_zero) * d.luma_gain, d.most);
  }
}

template <class Sample, class T>
void decode_rgb(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  const int width = format.width;
  const Decoding d = decoding_of(format, std::numeric_limits<T>::max());
  ChromaRow<Sample> u_row(format), v_row(format);
  for (int y = 0; y < format.height; ++y) {
    const std::uint8_t* luma = planes.data[0] + y * planes.stride[0];
    const float* u = u_row.at(planes.data[1], planes.stride[1], y);
    const float* v = v_row.at(planes.data[2], planes.stride[2], y);
    T* out = image.row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      const float l = (static_cast<float>(sample_at<Sample>(luma, x)) - d.luma_zero) * d.luma_gain;
      const float cu = u[x] - d.chroma_zero, cv = v[x] - d.chroma_zero;
      out[0] = rounded<T>(l + d.red_v * cv, d.most);
      out[1] = rounded<T>(l + d.green_u * cu + d.green_v * cv, d.most);
      out[2] = rounded<T>(l + d.blue_u * cu, d.most);
    }
  }
}

template <class T>
void spread_gray(ImageView<T> image) {
  for (int y = 0; y < image.height; ++y) {
    T* row = image.row(y);
    // From the right, so that no value is overwritten before it is spread.
    for (std::ptrdiff_t x = image.width - 1; x >= 0; --x) std::fill_n(row + 3 * x, 3, T{row[x]});
  }
}

// (299 r + 587 g + 114 b + 500) / 1000
template <class T>
void to_gray(ImageView<const T> rgb, ImageView<T> gray) {
  for (int y = 0; y < rgb.height; ++y) {
    const T* pixel = rgb.row(y);
    for (int x = 0; x < rgb.width; ++x, pixel += rgb.channels)
      gray.at(x, y) =
          static_cast<T>((299ULL * pixel[0] + 587ULL * pixel[1] + 114ULL * pixel[2] + 500) / 1000);
  }
}

template <class Sample, class T>
void decode(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  if (!format.mono) {
    if (image.channels == 3) return decode_rgb<Sample>(format, planes, image);
    Image<T> rgb(format.width, format.height, 3);
    decode_rgb<Sample>(format, planes, rgb.view());
    return to_gray(ImageView<const T>(rgb), image);
  }
  decode_gray<Sample>(format, planes, image);
  if (image.channels == 3) spread_gray(image);
}

// value = red r + green g + blue b + zero
struct Encoding {
  float red, green, blue, zero;
};

// Pixels of a row by channel, or their means over blocks.
struct PlanarRow {
  explicit PlanarRow(int width) : red(static_cast<std::size_t>(width)), green(red), blue(red) {}
  std::vector<float> red, green, blue;

  void clear() {
    for (auto* channel : {&red, &green, &blue}) std::fill(channel->begin(), channel->end(), 0.0F);
  }
  void add(ImageView<const std::uint8_t> image, int y) {
    const std::uint8_t* row = image.row(y);
    const int step = image.channels, g = step == 3 ? 1 : 0, b = step == 3 ? 2 : 0;
    for (std::size_t x = 0; x < red.size(); ++x, row += step) {
      red[x] += static_cast<float>(row[0]);
      green[x] += static_cast<float>(row[g]);
      blue[x] += static_cast<float>(row[b]);
    }
  }
};

inline void encode_row(const PlanarRow& row, int width, const Encoding& e, std::uint8_t* out) {
  const float *r = row.red.data(), *g = row.green.data(), *b = row.blue.data();
  for (int x = 0; x < width; ++x)
    out[x] = rounded<std::uint8_t>(e.red * r[x] + e.green * g[x] + e.blue * b[x] + e.zero, 255);
}

// Means of 2^shift columns of a row that is a sum of `rows` rows; the last column is repeated.
inline void block_means(const std::vector<float>& from, int width, int shift, int rows,
                        std::vector<float>& to) {
  const int block = 1 << shift;
  for (int i = 0; i < static_cast<int>(to.size()); ++i) {
    float sum = 0;
    for (int x = i * block; x < (i + 1) * block; ++x)
      sum += from[static_cast<std::size_t>(std::min(x, width - 1))];
    to[static_cast<std::size_t>(i)] = sum / static_cast<float>(block * rows);
  }
}

}  // namespace yuv

template <class T>
void from_yuv(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image) {
  if (format.bits > 8) yuv::decode<std::uint16_t>(format, planes, image);
  else yuv::decode<std::uint8_t>(format, planes, image);
}

inline void to_yuv(ImageView<const std::uint8_t> image, const YuvFormat& format,
                   const MutableYuvPlanes& planes) {
  const yuv::Weights w = yuv::weights_of(format.matrix);
  const double luma = format.full_range ? 1 : 219.0 / 255,
               chroma = format.full_range ? 1 : 224.0 / 255;
  const auto encoding = [](double gain, double r, double g, double b, double zero) {
    return yuv::Encoding{static_cast<float>(gain * r), static_cast<float>(gain * g),
                         static_cast<float>(gain * b), static_cast<float>(zero)};
  };
  const yuv::Encoding y = encoding(luma, w.red, w.green(), w.blue, format.full_range ? 0 : 16);
  yuv::PlanarRow row(format.width);
  for (int line = 0; line < format.height; ++line) {
    row.clear();
    row.add(image, line);
    yuv::encode_row(row, format.width, y, planes.data[0] + line * planes.stride[0]);
  }
  if (format.mono) return;
  const double u_gain = chroma / (2 * (1 - w.blue)), v_gain = chroma / (2 * (1 - w.red));
  const yuv::Encoding u = encoding(u_gain, -w.red, -w.green(), 1 - w.blue, 128);
  const yuv::Encoding v = encoding(v_gain, 1 - w.red, -w.green(), -w.blue, 128);
  const int block = 1 << format.shift_y;
  yuv::PlanarRow means(format.chroma_width());
  for (int line = 0; line < format.chroma_height(); ++line) {
    row.clear();
    for (int k = 0; k < block; ++k) row.add(image, std::min(line * block + k, format.height - 1));
    yuv::block_means(row.red, format.width, format.shift_x, block, means.red);
    yuv::block_means(row.green, format.width, format.shift_x, block, means.green);
    yuv::block_means(row.blue, format.width, format.shift_x, block, means.blue);
    yuv::encode_row(means, format.chroma_width(), u, planes.data[1] + line * planes.stride[1]);
    yuv::encode_row(means, format.chroma_width(), v, planes.data[2] + line * planes.stride[2]);
  }
}

template <class T>
void convert_channels(ImageView<const T> from, ImageView<T> to) {
  if (to.channels == 1 && from.channels >= 3) return yuv::to_gray(from, to);
  for (int y = 0; y < from.height; ++y) {
    const T* pixel = from.row(y);
    T* out = to.row(y);
    for (int x = 0; x < from.width; ++x, pixel += from.channels, out += to.channels)
      for (int c = 0; c < to.channels; ++c) out[c] = pixel[from.channels >= 3 ? c : 0];
  }
}

}  // namespace fovea::reference
