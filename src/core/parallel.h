// Loops over several cores. Chunk borders depend on the grain alone, never on the number of
// threads, so that a reduction per chunk, combined in chunk order, is the same for every thread
// count.
#pragma once
#include <fovea/core/exec.h>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace fovea {

// A reference to a callable object, valid while that object lives. A call costs as much as one of
// std::function, but nothing is owned or allocated.
template <class Signature>
class FunctionRef;
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  // The constraint keeps this constructor from being chosen for copies.
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>>>
  FunctionRef(F&& function)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  Result operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

// Calls body(begin, end) for [0, grain), [grain, 2 grain), ... up to count, on exec.threads cores
// (0: all) in an arena of its own. The first exception thrown in a body leaves this function once
// all bodies have ended. exec.stop is checked before each chunk.
void parallel_for(const Exec& exec, std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t, std::int64_t)> body);

}  // namespace fovea
