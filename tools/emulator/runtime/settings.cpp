#include "settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "emulator/launch.h"

namespace emulator {
namespace {

constexpr int kLeastShared = 48 << 10;  // that every device has

std::string_view value_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

[[noreturn]] void refuse(const char* name, const char* expected) {
  std::fprintf(stderr, "emulator: %s is '%s'; expected %s\n", name, value_of(name).data(),
               expected);
  std::exit(2);
}

Order order_of(const char* name) {
  const std::string_view value = value_of(name);
  if (value.empty() || value == "forward") return Order::kForward;
  if (value == "reverse") return Order::kReverse;
  if (value == "shuffle") return Order::kShuffle;
  refuse(name, "forward, reverse or shuffle");
}

}  // namespace

Order thread_order() { return order_of("EMULATOR_ORDER"); }
Order block_order() { return order_of("EMULATOR_BLOCKS"); }
bool streams_are_lazy() {
  const std::string_view value = value_of("EMULATOR_ASYNC");
  if (!value.empty() && value != "lazy" && value != "eager")
    refuse("EMULATOR_ASYNC", "lazy or eager");
  return value == "lazy";
}
bool is_traced() { return value_of("EMULATOR_TRACE") == "1"; }
int most_shared() {
  const std::string_view value = value_of("EMULATOR_SHARED");
  if (value.empty()) return kMostShared;
  int bytes = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), bytes);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size() || bytes < kLeastShared ||
      bytes > kMostShared)
    refuse("EMULATOR_SHARED", "a number of bytes from 49152 to 232448");
  return bytes;
}
int device_count() { return value_of("EMULATOR_DEVICES") == "0" ? 0 : 1; }

}  // namespace emulator
