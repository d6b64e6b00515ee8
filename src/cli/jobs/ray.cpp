// fovea ray submit: hands a command over to the Python package, which runs it on a Ray cluster.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "cli/beside/become.h"
#include "cli/program/command.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct SubmitRequest {
  std::string folder = ".";
  int workers = 0;
  double cpus_per_worker = 1;
  double gpus_per_worker = 0;
  int shards = 0;
  bool resume = true;
  std::string python = "python3";
};

void describe(OptionVisitor& visit, SubmitRequest& request) {
  visit.path("folder", request.folder, TextUse::kFolder,
             "where the command runs and its manifests lie; every node must see it");
  visit("workers", request.workers,
        "shards that run at a time at most; 0 is as many as the cluster has room for", 0, 1000000);
  visit("cpus-per-worker", request.cpus_per_worker, "processor cores of each shard", 0, 100000);
  visit("gpus-per-worker", request.gpus_per_worker,
        "GPUs of each shard; with 0 it works on processors", 0, 1000);
  visit("shards", request.shards,
        "parts of the job; 0 is the number of the job that is resumed, or eight per worker", 0,
        1000000);
  visit("resume", request.resume, "go on with what an earlier job has left in the folder",
        {.off_help = "forget what an earlier job has left in the folder"});
  visit("python", request.python,
        "the Python that has the package fovea-vision[ray]: a name in PATH, or a path",
        {.value_name = "PYTHON"});
}

// One import tells whether the package is there; a second process would import everything twice.
constexpr const char* kHandOver =
    "import sys\n"
    "try:\n"
    "  from fovea.ray.__main__ import main\n"
    "except ImportError as error:\n"
    "  sys.exit(f'fovea: {sys.executable} cannot import fovea.ray ({error}); install it by "
    "pip install \"fovea-vision[ray]\", or name another Python by --python')\n"
    "sys.exit(main(sys.argv[1:]))\n";

std::vector<std::string> words_of_submit(const SubmitRequest& request, const Context& context) {
  std::vector<std::string> words{request.python,
                                 "-c",
                                 kHandOver,
                                 "submit",
                                 "--folder=" + request.folder,
                                 fmt::format("--cpus-per-worker={}", request.cpus_per_worker),
                                 fmt::format("--gpus-per-worker={}", request.gpus_per_worker)};
  if (request.workers > 0) words.push_back(fmt::format("--workers={}", request.workers));
  if (request.shards > 0) words.push_back(fmt::format("--shards={}", request.shards));
  if (!request.resume) words.emplace_back("--no-resume");
  words.emplace_back("--");
  for (const std::string& input : context.inputs) words.push_back(context.address_of(input));
  return words;
}

int run_submit(SubmitRequest& request, Context& context) {
  if (const char* address = std::getenv("RAY_ADDRESS"); address == nullptr || *address == '\0')
    throw InvalidArgument(
        "RAY_ADDRESS is not set; give the address of a cluster, such as RAY_ADDRESS=auto for the "
        "one of this machine");
  // The driver merges with this program, and not with another that is first in PATH.
  if (std::string self(4096, '\0'); std::getenv("FOVEA_PROGRAM") == nullptr) {
    const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
    if (length > 0)
      setenv("FOVEA_PROGRAM", self.substr(0, static_cast<std::size_t>(length)).c_str(), 1);
  }
  context.console.flush();
  const int reason = become(words_of_submit(request, context));
  throw Error(fmt::format(
      "{}: {}; install Python 3 with the package fovea-vision[ray], or name it by --python",
      request.python, std::strerror(reason)));
}

}  // namespace

Command ray_submit_command() {
  return {
      .system = "ray",
      .verb = "submit",
      .summary = "run a command on an existing Ray cluster and wait for its end",
      .text =
          "The command, which is written as always but without the word fovea, is cut into shards. "
          "Ray runs them on the nodes of the cluster and repeats those whose worker or node dies; "
          "at the end they are merged here. Files and what is printed have the bytes of one run "
          "of the command, and inputs that failed are named with exit status 5. All options of "
          "submit stand before the command. The cluster is that of the environment variable "
          "RAY_ADDRESS, and none is started. Every node needs the Python package "
          "fovea-vision[ray] and the program fovea in its PATH, and sees inputs and folder under "
          "the same paths. After a kill, the same line does only what is left. The work is done "
          "by python -m fovea.ray submit, which takes the same words.",
      .arguments = {{"WORD", "system, verb, inputs and options of the command", 2, kAnyNumber}},
      .examples = {{"fovea ray submit people detect /data/photos --csv all.csv",
                    "search photographs on all processors of the cluster $RAY_ADDRESS"},
                   {"fovea ray submit --gpus-per-worker 1 flow lk a.mp4 b.mp4 --each -o {}",
                    "estimate motion on its GPUs"}},
      .request = make_request<SubmitRequest, run_submit>,
      .computes = false,
      .passes_words_on = true};
}

}  // namespace fovea::cli
