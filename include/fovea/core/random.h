#pragma once
#include <fovea/core/api.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fovea {

// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), a block
// cipher that is applied to a counter. Every number of a sequence can be computed by itself, so
// that results never depend on how work is divided.
struct PhiloxBlock {
  std::uint32_t word[4];
};

FOVEA_HD inline PhiloxBlock philox(std::uint64_t key, std::uint64_t counter_high,
                                   std::uint64_t counter_low) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53U, kMultiplier1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U, kWeyl1 = 0xBB67AE85U;
  PhiloxBlock c{
      {static_cast<std::uint32_t>(counter_low), static_cast<std::uint32_t>(counter_low >> 32),
       static_cast<std::uint32_t>(counter_high), static_cast<std::uint32_t>(counter_high >> 32)}};
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * c.word[0];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * c.word[2];
    c = {{static_cast<std::uint32_t>(product1 >> 32) ^ c.word[1] ^ key0,
          static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32) ^ c.word[3] ^ key1,
          static_cast<std::uint32_t>(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return c;
}

// A sequence of random numbers. `sequence` distinguishes the sequences of one seed, such as those
// of rounds, images or items. Two objects with the same seed and sequence give the same numbers on
// every machine and device.
class Random {
 public:
  FOVEA_HD explicit Random(std::uint64_t seed, std::uint64_t sequence = 0)
      : seed_(seed), sequence_(sequence) {}

  FOVEA_HD std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox(seed_, sequence_, counter_++);
      used_ = 0;
    }
    return block_.word[used_++];
  }

  // A number in [0, 1), a multiple of 2^-24, so that every value is exact.
  FOVEA_HD float uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24F; }
  FOVEA_HD float uniform(float least, float greatest) {
    return least + (greatest - least) * uniform();
  }

  // A number in [0, count), every value equally likely (Lemire's multiplication with rejection).
  // `count` must be above 0.
  FOVEA_HD std::uint32_t below(std::uint32_t count) {
    std::uint64_t product = static_cast<std::uint64_t>(bits()) * count;
    const std::uint32_t threshold = (0U - count) % count;
    while (static_cast<std::uint32_t>(product) < threshold)
      product = static_cast<std::uint64_t>(bits()) * count;
    return static_cast<std::uint32_t>(product >> 32);
  }

  // A normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
  FOVEA_HD float normal() {
    const float radius = std::sqrt(-2.0F * std::log(1.0F - uniform()));
    return radius * std::cos(6.28318531F * uniform());
  }

 private:
  std::uint64_t seed_;
  std::uint64_t sequence_;
  std::uint64_t counter_ = 0;
  PhiloxBlock block_{};
  int used_ = 4;
};

// Puts items in random order (Fisher and Yates).
template <class Items>
void shuffle(Items& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::size_t j = random.below(static_cast<std::uint32_t>(i));
    auto moved = items[i - 1];
    items[i - 1] = items[j];
    items[j] = moved;
  }
}

}  // namespace fovea
