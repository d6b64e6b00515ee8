// The verbs that fovea bench pipeline measures, with their parts, and the loops over items that
// commands use.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/pipeline/pipeline_material.h"

namespace fovea::cli::pipeline {

// When results are encoded: beside the other parts, or after the last of them.
enum class Encoding : unsigned char { kBeside, kAtTheEnd };

// A verb: its command line, and its parts over all items. A part may be missing.
struct Job {
  std::string name{};
  std::vector<std::string> arguments{};
  std::function<void(const Exec&)> decode{}, work{}, encode{};
  Encoding encoding = Encoding::kBeside;
  std::optional<RivalCase> rival{};  // what the module of rivals is asked for
};

// A job is made when it is measured, because its material takes time and memory.
struct NamedJob {
  std::string name;
  std::function<Job()> make;
};
std::vector<NamedJob> photo_jobs(Material& material);
std::vector<NamedJob> video_jobs(Material& material);
std::vector<NamedJob> mesh_jobs(Material& material);

// Calls step(worker, i) for all items, with workers made as a command would make them; `most`
// limits their number.
template <class Worker>
void for_all_with(int count, const Exec& exec, const std::function<Worker(const Exec&)>& make,
                  const std::function<void(Worker&, int)>& step, int most = 0) {
  const io::FrameWorkers plan = io::plan_frame_workers(exec, count, most);
  std::vector<Stream> streams;
  std::vector<Worker> workers;
  for (int i = 0; i < plan.count; ++i) {
    Exec own = exec;
    streams.emplace_back(exec.device);
    own.stream = streams.back().get();
    own.threads = plan.threads;
    workers.push_back(make(own));
  }
  int next = 0;
  io::run_frames<int, Worker>(workers,
                              {.read =
                                   [&](int& item) {
                                     item = next++;
                                     return item < count;
                                   },
                               .work = [&](Worker& worker, int& item) { step(worker, item); },
                               .write = [](int&) {}},
                              {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

}  // namespace fovea::cli::pipeline
