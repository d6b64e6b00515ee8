// What a sanitized build leaves out. A sanitizer makes code fifty times as slow, and looks for bad
// reads and writes, for which a few problems of each kind suffice.
#pragma once
#include <gtest/gtest.h>

namespace fovea::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// How many of a great number of random problems are tried.
template <class Count>
constexpr Count problems(Count all) {
  return kSanitized && all >= 40 ? all / 20 : all;
}

}  // namespace fovea::test

// At the beginning of a test, or of a fixture's SetUp(): the test is skipped in a sanitized build.
#define FOVEA_SKIP_WHERE_SANITIZED(reason) \
  if (fovea::test::kSanitized) GTEST_SKIP() << "sanitized, and " << reason
