// A function as the table of rivals hands it over.
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "cli/bench/rival_table.h"

namespace rivals {

using Run = std::function<void()>;

// Runs it once; nothing where that fails.
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
