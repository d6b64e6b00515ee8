// A function in the form that the table of rivals passes on.
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "operations/rivals/rival_table.h"

namespace rivals {

using Run = std::function<void()>;

// Runs the function once; returns nothing where that fails.
inline FoveaRivalWork ready(Run run) {
  try {
    auto work = std::make_unique<Run>(std::move(run));
    (*work)();
    FoveaRivalWork made{};
    made.run = [](void* state) { (*static_cast<Run*>(state))(); };
    made.end = [](void* state) { delete static_cast<Run*>(state); };
    made.state = work.release();
    return made;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace rivals
