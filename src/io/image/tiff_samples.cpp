#include "io/image/tiff_samples.h"

#include <tiff.h>

#include <bit>
#include <cstring>

#include "io/image/half.h"

namespace fovea::io {
namespace {

// Reads samples of 1 to 32 bits, most significant bit first, as TIFF packs them.
class BitReader {
 public:
  explicit BitReader(const std::byte* data) : next_(data) {}

  std::uint32_t read(int bits) {
    while (held_ < bits) {
      buffer_ = buffer_ << 8 | static_cast<std::uint64_t>(*next_++);
      held_ += 8;
    }
    held_ -= bits;
    return static_cast<std::uint32_t>(buffer_ >> held_ & ((1ULL << bits) - 1));
  }

 private:
  const std::byte* next_;
  std::uint64_t buffer_ = 0;
  int held_ = 0;
};

// libtiff has already put whole bytes into this machine's order.
std::uint32_t whole_24_bits(const std::byte* at) {
  const auto byte = [&](int i) { return static_cast<std::uint32_t>(at[i]); };
  return std::endian::native == std::endian::little ? byte(2) << 16 | byte(1) << 8 | byte(0)
                                                    : byte(0) << 16 | byte(1) << 8 | byte(2);
}

template <class T>
T extend_sign(std::uint32_t value, int bits) {
  const int unused = 32 - bits;
  return static_cast<T>(static_cast<std::int32_t>(value << unused) >> unused);
}

template <class T>
void unpack_integers(const SampleLayout& layout, const std::byte* row, SampleTarget<T> target) {
  BitReader reader(row);
  const bool is_signed = layout.format == SAMPLEFORMAT_INT;
  const auto most = static_cast<std::uint32_t>((1ULL << layout.bits) - 1);
  const std::uint32_t spread = layout.bits < 8 && !layout.index && !is_signed ? 255 : 0;
  for (std::size_t i = 0; i < target.count; ++i) {
    std::uint32_t value = layout.bits == 24 ? whole_24_bits(row + 3 * i) : reader.read(layout.bits);
    if (spread != 0) value = value * spread / most;
    target.data[static_cast<std::ptrdiff_t>(i) * target.step] =
        is_signed ? extend_sign<T>(value, layout.bits) : static_cast<T>(value);
  }
}

template <class T>
void copy_samples(const std::byte* row, SampleTarget<T> target) {
  if (target.step == 1) {
    std::memcpy(target.data, row, target.count * sizeof(T));
    return;
  }
  for (std::size_t i = 0; i < target.count; ++i)
    std::memcpy(target.data + static_cast<std::ptrdiff_t>(i) * target.step, row + i * sizeof(T),
                sizeof(T));
}

void unpack_halves(const std::byte* row, SampleTarget<float> target) {
  for (std::size_t i = 0; i < target.count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, row + 2 * i, 2);
    target.data[static_cast<std::ptrdiff_t>(i) * target.step] = half_to_float(half);
  }
}

// Whether libtiff leaves samples of this many bits whole and in this machine's order.
bool is_whole(int bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

}  // namespace

bool is_readable(const SampleLayout& layout) {
  if (layout.format == SAMPLEFORMAT_IEEEFP)
    return layout.bits == 16 || layout.bits == 32 || layout.bits == 64;
  const bool integer = layout.format == SAMPLEFORMAT_UINT || layout.format == SAMPLEFORMAT_INT;
  return integer && layout.bits >= 1 && layout.bits <= 32;
}

SampleType sample_type(const SampleLayout& layout) {
  if (layout.format == SAMPLEFORMAT_IEEEFP)
    return layout.bits == 64 ? SampleType::kFloat64 : SampleType::kFloat32;
  const bool is_signed = layout.format == SAMPLEFORMAT_INT;
  if (layout.bits <= 8) return is_signed ? SampleType::kInt8 : SampleType::kUint8;
  if (layout.bits <= 16) return is_signed ? SampleType::kInt16 : SampleType::kUint16;
  return is_signed ? SampleType::kInt32 : SampleType::kUint32;
}

template <class T>
void unpack_samples(const SampleLayout& layout, const std::byte* row, SampleTarget<T> target) {
  if constexpr (std::is_same_v<T, float>) {
    if (layout.bits == 16) return unpack_halves(row, target);
  }
  if (is_whole(layout.bits) && layout.bits == 8 * static_cast<int>(sizeof(T))) {
    copy_samples(row, target);
  } else if constexpr (std::is_integral_v<T>) {
    unpack_integers(layout, row, target);
  }
  if constexpr (std::is_unsigned_v<T>) {
    if (!layout.white_is_zero) return;
    const double white = layout.bits < 8 ? 255 : static_cast<double>((1ULL << layout.bits) - 1);
    for (std::size_t i = 0; i < target.count; ++i) {
      T& value = target.data[static_cast<std::ptrdiff_t>(i) * target.step];
      value = static_cast<T>(static_cast<T>(white) - value);
    }
  }
}

template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::uint8_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::uint16_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::uint32_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::int8_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::int16_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<std::int32_t>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<float>);
template void unpack_samples(const SampleLayout&, const std::byte*, SampleTarget<double>);

}  // namespace fovea::io
