// Atomic operations, and loads and stores with hints. Fibers do not interrupt each other, so that
// both are plain ones.
#pragma once
#include <type_traits>

#include "emulator/threads.h"

#define EMULATOR_ATOMIC(name, expression)                \
  template <class T>                                     \
  T atomic##name(T* at, std::type_identity_t<T> value) { \
    const T old = *at;                                   \
    *at = static_cast<T>(expression);                    \
    return old;                                          \
  }
EMULATOR_ATOMIC(Add, old + value)
EMULATOR_ATOMIC(Sub, old - value)
EMULATOR_ATOMIC(Max, value > old ? value : old)
EMULATOR_ATOMIC(Min, value < old ? value : old)
EMULATOR_ATOMIC(Exch, value)
EMULATOR_ATOMIC(And, old& value)
EMULATOR_ATOMIC(Or, old | value)
EMULATOR_ATOMIC(Xor, old ^ value)
#undef EMULATOR_ATOMIC

template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  const T old = *at;
  if (old == expected) *at = value;
  return old;
}
template <>
inline int atomicAdd(int* at, int value) {  // a device's sums wrap round
  const int old = *at;
  *at = static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
  return old;
}

template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
void __stcs(T* at, std::type_identity_t<T> value) {
  *at = value;
}
inline std::size_t __cvta_generic_to_shared(const void* at) { return emulator::shared_offset(at); }
