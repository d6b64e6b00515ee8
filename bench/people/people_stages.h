// fovea bench people --stages: how long each step of a search takes, as table
// 7-2 of the thesis has it.
#pragma once
#include <fovea/people/detector.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// A search that bench people measures.
struct PeopleSearch {
  std::shared_ptr<const people::Model> model;
  people::DetectOptions options;
  BenchCase whole;  // the search without a clock; its image is searched
};

// Measures every search as a whole and step by step, with one thread, with all
// threads and on a GPU, prints the times, and draws charts where `charts` names
// a folder. Returns the exit status.
int run_people_stages(const BenchOptions& options, const std::string& charts, Context& context,
                      const std::vector<PeopleSearch>& searches);

}  // namespace fovea::cli
