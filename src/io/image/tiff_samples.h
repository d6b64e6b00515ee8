// Samples of a decoded TIFF row, packed to any number of bits, as the types images have.
#pragma once
#include <cstddef>
#include <cstdint>

#include "io/image/codec.h"

namespace fovea::io {

struct SampleLayout {
  int bits;
  int format;  // libtiff's SAMPLEFORMAT_
  bool index;  // into a palette: values stay as they are
  bool white_is_zero;
};

bool is_readable(const SampleLayout& layout);
// The image type that such samples become.
SampleType sample_type(const SampleLayout& layout);

template <class T>
struct SampleTarget {
  T* data;
  std::size_t count;
  std::ptrdiff_t step;  // between samples, in elements
};
template <class T>
void unpack_samples(const SampleLayout& layout, const std::byte* row, SampleTarget<T> target);

}  // namespace fovea::io
