#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/timing/timing_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "core/parallel.h"
#include "core/timing/timing.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight chains are enough to fill two units with a latency of four cycles, and few enough for 16
// registers. Each chain adds to itself, because every machine has that form as one instruction.
double chains(std::int64_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999F), term = hn::Set(d, 0.001F);
  auto a = hn::Set(d, 1.0F), b = hn::Set(d, 1.1F), c = hn::Set(d, 1.2F), e = hn::Set(d, 1.3F);
  auto f = hn::Set(d, 1.4F), g = hn::Set(d, 1.5F), h = hn::Set(d, 1.6F), i = hn::Set(d, 1.7F);
  for (std::int64_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(factor, term, a);
    b = hn::MulAdd(factor, term, b);
    c = hn::MulAdd(factor, term, c);
    e = hn::MulAdd(factor, term, e);
    f = hn::MulAdd(factor, term, f);
    g = hn::MulAdd(factor, term, g);
    h = hn::MulAdd(factor, term, h);
    i = hn::MulAdd(factor, term, i);
  }
  const auto left = hn::Add(hn::Add(a, b), hn::Add(c, e));
  const auto right = hn::Add(hn::Add(f, g), hn::Add(h, i));
  *result = hn::GetLane(hn::Add(left, right));
  return 2.0 * 8.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
HWY_EXPORT(chains);

void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec) {
  // Chunks fit a core's own cache, yet are large compared with the cost of starting a task.
  constexpr std::int64_t kGrain = std::int64_t{1} << 20;
  const bool alone = thread_count(exec) == 1;
  parallel_for(exec, static_cast<std::int64_t>(bytes),
               alone ? static_cast<std::int64_t>(bytes) : kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                             static_cast<std::size_t>(end - begin));
               });
}

double multiply_add(std::int64_t rounds, const Exec& exec) {
  const int threads = thread_count(exec);
  std::vector<double> operations(static_cast<std::size_t>(threads));
  parallel_for(exec, threads, 1, [&](std::int64_t begin, std::int64_t) {
    float result = 0;
    operations[static_cast<std::size_t>(begin)] = HWY_DYNAMIC_DISPATCH(chains)(rounds, &result);
  });
  double sum = 0;
  for (const double each : operations) sum += each;
  return sum;
}

}  // namespace fovea::cpu
#endif
