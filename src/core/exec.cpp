#include <fovea/core/error.h>
#include <fovea/core/exec.h>
#include <fovea/core/options.h>

namespace fovea {

void throw_if_stopped(const Exec& exec) {
  if (exec.stop.stop_requested()) throw Cancelled("stopped on request");
}

void describe(OptionVisitor& visit, Exec& exec) {
  visit("device", exec.device,
        "where to run: auto, cpu, cuda or cuda:N; auto takes a GPU where there is one");
  visit("threads", exec.threads, "CPU threads; 0 takes every core", 0, 4096);
  visit("seed", exec.seed, "start of every random sequence", 0, 9007199254740992.0);
}

}  // namespace fovea
