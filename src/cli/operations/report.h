// What is printed of a still or a sequence.
#pragma once
#include "cli/operations/job.h"

namespace fovea::cli {

// What is the same for all of them; the rest is set by the caller.
operations::Ended ended_of(const Job& job);
// Prints the report, as text or JSON.
void print_report(const Job& job, const operations::Ended& ended);
// Throws the FormatError of a whole sequence that gave nothing.
[[noreturn]] void throw_without_results(const Job& job);

}  // namespace fovea::cli
