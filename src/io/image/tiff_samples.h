// Converts the samples of a decoded TIFF row, packed to any number of bits, to the types of images.
#pragma once
#include <cstddef>
#include <cstdint>

#include "io/image/codec.h"

namespace fovea::io {

struct SampleLayout {
  int bits;
  int format;  // libtiff's SAMPLEFORMAT_
  bool index;  // an index into a palette, which must keep its value
  bool white_is_zero;
};

bool is_readable(const SampleLayout& layout);
// The image type for such samples.
SampleType sample_type(const SampleLayout& layout);

template <class T>
struct SampleTarget {
  T* data;
  std::size_t count;
  std::ptrdiff_t step;  // elements from one sample to the next
};
template <class T>
void unpack_samples(const SampleLayout& layout, const std::byte* row, SampleTarget<T> target);

}  // namespace fovea::io
