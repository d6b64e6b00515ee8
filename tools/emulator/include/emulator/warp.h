// What the lanes of a warp do together.
#pragma once
#include <type_traits>

#include "emulator/threads.h"

namespace emulator {

// `work` is called once all lanes of the mask are here, with what each of them brings and takes.
struct Lanes {
  unsigned mask;  // lanes that take part
  const void* in[kLanes];
  void* out[kLanes];

  template <class Function>
  void each(Function function) const {
    for (int lane = 0; lane < kLanes; ++lane)
      if (mask >> lane & 1) function(lane);
  }
  template <class T>
  const T& given(int lane) const {
    return *static_cast<const T*>(in[lane]);
  }
  template <class T>
  T& taken(int lane) const {
    return *static_cast<T*>(out[lane]);
  }
};
void together(unsigned mask, const void* tag, const void* in, void* out, void (*work)(Lanes&));

// Each operation has a tag: lanes that wait in different ones do not meet.
template <class Tag>
inline char tag_of = 0;

inline void warp_sync(unsigned mask) {
  struct Tag;
  together(mask, &tag_of<Tag>, nullptr, nullptr, [](Lanes&) {});
}
inline unsigned ballot(unsigned mask, bool predicate) {
  struct Tag;
  unsigned result = 0;
  together(mask, &tag_of<Tag>, &predicate, &result, [](Lanes& lanes) {
    unsigned votes = 0;
    lanes.each([&](int lane) { votes |= static_cast<unsigned>(lanes.given<bool>(lane)) << lane; });
    lanes.each([&](int lane) { lanes.taken<unsigned>(lane) = votes; });
  });
  return result;
}

template <class T>
struct Shuffle {
  T value;
  int from;  // the lane whose value this one wants
};
template <class T>
T shuffle(unsigned mask, T value, int from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  const Shuffle<T> in{value, from};
  T result = value;
  together(mask, &tag_of<Shuffle<T>>, &in, &result, [](Lanes& lanes) {
    lanes.each([&](int lane) {
      const int source = lanes.given<Shuffle<T>>(lane).from;
      T& to = lanes.taken<T>(lane);
      if (lanes.mask >> source & 1) {
        to = lanes.given<Shuffle<T>>(source).value;
      } else {
        std::memset(&to, 0xCD, sizeof(T));  // undefined on a device
      }
    });
  });
  return result;
}

template <class T, class Op>
T reduce(unsigned mask, T value, Op) {
  T result = value;
  together(mask, &tag_of<Op>, &value, &result, [](Lanes& lanes) {
    T all{};
    bool first = true;
    lanes.each([&](int lane) {
      all = first ? lanes.given<T>(lane) : Op{}(all, lanes.given<T>(lane));
      first = false;
    });
    lanes.each([&](int lane) { lanes.taken<T>(lane) = all; });
  });
  return result;
}

}  // namespace emulator

inline void __syncwarp(unsigned mask = ~0U) { emulator::warp_sync(mask); }
inline unsigned __ballot_sync(unsigned mask, int p) { return emulator::ballot(mask, p != 0); }
inline int __any_sync(unsigned mask, int p) { return emulator::ballot(mask, p != 0) != 0; }
inline int __all_sync(unsigned mask, int p) { return emulator::ballot(mask, p == 0) == 0; }
// A thread alone is one of the answers that a device may give.
inline unsigned __activemask() { return 1U << emulator::now->lane; }

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = warpSize) {
  const int lane = static_cast<int>(emulator::now->lane);
  return emulator::shuffle(mask, value, (lane & ~(width - 1)) + (from & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize) {
  const int lane = static_cast<int>(emulator::now->lane), from = lane ^ bits;
  return emulator::shuffle(mask, value, from / width > lane / width ? lane : from);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  const int lane = static_cast<int>(emulator::now->lane), from = lane - static_cast<int>(by);
  return emulator::shuffle(mask, value, from < (lane & ~(width - 1)) ? lane : from);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  const int lane = static_cast<int>(emulator::now->lane), from = lane + static_cast<int>(by);
  return emulator::shuffle(mask, value, from > (lane | (width - 1)) ? lane : from);
}

#define EMULATOR_REDUCE(name, expression)                                \
  inline unsigned __reduce_##name##_sync(unsigned mask, unsigned v) {    \
    struct Op {                                                          \
      unsigned operator()(unsigned a, unsigned b) { return expression; } \
    };                                                                   \
    return emulator::reduce(mask, v, Op{});                              \
  }                                                                      \
  inline int __reduce_##name##_sync(unsigned mask, int v) {              \
    struct Op {                                                          \
      int operator()(int a, int b) { return expression; }                \
    };                                                                   \
    return emulator::reduce(mask, v, Op{});                              \
  }
EMULATOR_REDUCE(add, static_cast<decltype(a)>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
EMULATOR_REDUCE(min, a < b ? a : b)
EMULATOR_REDUCE(max, a > b ? a : b)
#undef EMULATOR_REDUCE

template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  struct Tag;
  unsigned result = 0;
  emulator::together(mask, &emulator::tag_of<Tag>, &value, &result, [](emulator::Lanes& lanes) {
    lanes.each([&](int lane) {
      unsigned same = 0;
      lanes.each([&](int other) {
        if (std::memcmp(lanes.in[lane], lanes.in[other], sizeof(T)) == 0) same |= 1U << other;
      });
      lanes.taken<unsigned>(lane) = same;
    });
  });
  return result;
}
