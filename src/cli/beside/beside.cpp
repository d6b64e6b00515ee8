#include "cli/beside/beside.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/beside/become.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

struct BesideVerb {
  std::string_view system, verb;
  std::string_view help;  // a command line
  std::string_view summary;
};

constexpr std::array<BesideVerb, 9> kVerbs{{
    {"bench", "ops", "fovea bench ops --help",
     "time the image operations, compared with other libraries and the hardware's limits"},
    {"bench", "people", "fovea bench people --help",
     "time the people detectors, compared with OpenCV's"},
    {"bench", "pipeline", "fovea bench pipeline --help",
     "time whole commands and their parts, from files to files"},
    {"bench", "flow", "fovea bench flow --help",
     "measure the time and the errors of flow, compared with OpenCV's methods"},
    {"bench", "emd", "fovea bench emd --help",
     "time the solver of Earth Mover's Distances and whole maps, compared with cv::EMD and LEMON"},
    {"bench", "scenes", "fovea bench scenes --help",
     "time filters, k-means, words and classifiers, compared with FAISS and OpenCV"},
    {"bench", "mesh", "fovea bench mesh --help",
     "time shortest paths, cuts and segmentation of meshes, compared with Boost and CGAL"},
    {"bench", "actions", "fovea bench actions --help",
     "time interest points and matching, compared with published times"},
    {"demo", "", "fovea demo --help", "draw a gallery: one page with results of every system"},
}};

struct BesideProgram {
  std::string_view system;
  std::string_view name;
  std::string_view made_by;
  std::string_view text;
};

constexpr std::array<BesideProgram, 2> kPrograms{{
    {"bench", "fovea-bench", "make bench",
     "A program of its own, fovea-bench, measures; fovea starts it, with the same words."},
    {"demo", "fovea-demo", "make demo",
     "A program of its own, fovea-demo, draws; fovea starts it, with the same words."},
}};

const BesideProgram& program_of(std::string_view system) {
  for (const BesideProgram& program : kPrograms)
    if (program.system == system) return program;
  throw InvalidArgument(fmt::format("no program beside fovea does {}", system));
}

int run_named(NoOptions&, Context& context) { start_beside(context.command, {}, context.console); }

bool can_run(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::string_view beside_summary(std::string_view system, std::string_view verb) {
  for (const BesideVerb& each : kVerbs)
    if (each.system == system && each.verb == verb) return each.summary;
  throw InvalidArgument(fmt::format("no program beside fovea does {} {}", system, verb));
}

std::vector<Command> named_commands(std::string_view system) {
  const BesideProgram& program = program_of(system);
  std::vector<Command> commands;
  for (const BesideVerb& each : kVerbs) {
    if (each.system != system) continue;
    commands.push_back({.system = each.system,
                        .verb = each.verb,
                        .summary = each.summary,
                        .text = program.text,
                        .examples = {{each.help, "print its options"}},
                        .request = make_request<NoOptions, run_named>,
                        .computes = false,
                        .program = program.name});
  }
  return commands;
}

std::string find_beside(std::string_view program) {
  const fs::path folder = own_folder();
  for (const fs::path& place : {folder, folder / FOVEA_LIBEXEC})
    if (can_run(place / program)) return (place / program).lexically_normal().string();
  std::string_view path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    if (const fs::path place(path.substr(0, end)); !place.empty() && can_run(place / program))
      return (place / program).string();
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

void start_beside(const Command& command, std::span<const std::string> words, Console& console) {
  const std::string file = find_beside(command.program);
  if (file.empty())
    throw Error(fmt::format(
        "{} is done by the program {}, which is neither beside fovea, nor in {}, nor in PATH; "
        "build it by {}, or install it",
        command.name(), command.program, (own_folder() / FOVEA_LIBEXEC).lexically_normal().string(),
        program_of(command.system).made_by));
  std::vector<std::string> all{file};
  all.insert(all.end(), words.begin(), words.end());
  console.flush();
  throw Error(fmt::format("{}: {}", file, std::strerror(become(all))));
}

}  // namespace fovea::cli
