// The two halves of fovea.ops.
#pragma once
#include <nanobind/nanobind.h>

#include <limits>

#include "define.h"

namespace fovea::python {

void bind_image_operations(nanobind::module_& ops);
void bind_number_operations(nanobind::module_& ops);  // graphs, classifiers, confusion

inline constexpr int kAnyInt = std::numeric_limits<int>::max();

// Below so many operations it takes longer to wake other threads than to do the work.
constexpr double kFewForThreads = 1e5;

// Runs function(options) with the stop and the progress of this call added to the options.
template <class Options, class Function>
auto run_operation(Work work, const Options& options, nb::handle progress, Function function) {
  Calls calls;
  return calls.run(work, progress, [&] {
    Options watched = with_exec(options, calls.watched(options.exec));
    if (work.operations < kFewForThreads) watched.exec.threads = 1;
    if constexpr (std::is_void_v<decltype(function(std::as_const(watched)))>) {
      function(std::as_const(watched));
      return true;
    } else {
      return function(std::as_const(watched));
    }
  });
}

// Binds an operation, which chooses its device by itself.
template <class Function>
void define_operation(nb::module_& m, const char* name, Function function) {
  define<ChoosesDevice::kOperation>(m, name, function);
}

// Options of a call that has none but where it runs.
struct ExecOnly {
  Exec exec{};
};
inline void describe(OptionVisitor&, ExecOnly&) {}

}  // namespace fovea::python
