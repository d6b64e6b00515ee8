// Statuses, solvers and counts of fovea.emd in Python's words.
#pragma once
#include <fovea/emd/map.h>

#include <nanobind/nanobind.h>

namespace fovea::python {

namespace nb = nanobind;

inline nb::list status_names() {
  nb::list names;
  for (const auto status : {emd::Status::kOptimal, emd::Status::kEmpty, emd::Status::kPivotLimit,
                            emd::Status::kInvalidMass})
    names.append(to_string(status));
  return names;
}

inline nb::list solver_names() {
  nb::list names;
  for (int i = 0; i < emd::kSolvers; ++i) names.append(to_string(static_cast<emd::SolvedBy>(i)));
  return names;
}

inline nb::dict report_of(const emd::MapReport& report) {
  nb::dict all;
  all["pixels"] = report.pixels;
  all["cached"] = report.cached;
  all["duplicate"] = report.duplicate;
  all["skipped"] = report.skipped;
  all["solved"] = report.solved;
  all["pivots"] = report.pivots;
  all["unproved"] = report.unproved;
  all["cache_resets"] = report.resets;
  all["cache_entries"] = report.entries;
  all["cache_bytes"] = report.cache_bytes;
  all["hit_rate"] = report.hit_rate();
  nb::dict solvers;
  for (int i = 0; i < emd::kSolvers; ++i) {
    const auto solver = static_cast<emd::SolvedBy>(i);
    solvers[to_string(solver)] = report.solved_by[solver];
  }
  all["solved_by"] = solvers;
  return all;
}

}  // namespace fovea::python
