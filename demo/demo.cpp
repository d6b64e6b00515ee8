// fovea demo: draws the gallery.
#include "demo/demo.h"

#include <fovea/core/error.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "cli/beside/beside.h"
#include "cli/program/batch.h"
#include "cli/program/command.h"
#include "cli/program/files.h"
#include "cli/program/info.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

void add_machine(report::Page& page, const DemoRun&) {
  const BuildInfo build = build_info();
  std::vector<std::pair<std::string, std::string>> facts{
      {"version", build.version},
      {"compiler", fmt::format("{}, {}", build.compiler, build.build_type)},
      {"SIMD", fmt::format("{}", fmt::join(build.simd_usable, ", "))}};
  for (const DeviceInfo& device : devices())
    facts.emplace_back(to_string(device.device), device_text(device));
  for (const auto& features : {build.features, file_features()}) {
    for (const Feature& feature : features)
      facts.emplace_back(feature.name, (feature.usable ? "" : "off: ") + feature.detail);
  }
  page.facts(facts);
}

constexpr std::array<DemoSection, 9> kSections{{{"People", add_demo_people},
                                                {"Flow", add_demo_flow},
                                                {"Earth Mover's Distance", add_demo_emd},
                                                {"Scenes", add_demo_scenes},
                                                {"Meshes", add_demo_mesh},
                                                {"Actions", add_demo_actions},
                                                {"Operations", add_demo_operations},
                                                {"Pictures of reports", add_demo_report},
                                                {"This machine", add_machine}}};

struct DemoOptions {
  std::string output = "demo";
};
void describe(OptionVisitor& visit, DemoOptions& options) {
  visit.path("output", options.output, TextUse::kFolder,
             "folder that index.html and the test scene are written to");
}

int run_demo(DemoOptions& options, Context& context) {
  const std::filesystem::path folder(options.output);
  if (options.output.empty()) throw InvalidArgument("-o is empty; demo needs a folder to write to");
  make_folder(options.output);
  resolve_device(context);
  const Image<std::uint8_t> scene = demo_scene();
  io::write_image((folder / "scene.png").string(), scene.view());
  Overview overview;
  DemoRun run{.exec = context.exec_without_progress(),
              .scene = scene,
              .folder = options.output,
              .overview = &overview};
  report::Page page("Fovea " FOVEA_VERSION,
                    "Results of the program on this machine. Every command below runs in the "
                    "folder of this page, which also holds the test scene, `scene.png`.");
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    throw_if_stopped(context.exec);
    if (context.exec.progress)
      context.exec.progress(
          {"demo", static_cast<double>(i), static_cast<double>(kSections.size())});
    page.section(std::string(kSections[i].title));
    kSections[i].add(page, run);
  }
  io::write_image((folder / "overview.png").string(), overview.draw().view());
  page.provenance(page_provenance(context));
  const std::string path = (folder / "index.html").string();
  page.write(path);
  context.console.print(context.json ? fmt::format("{{{}, \"page\": {}, \"seconds\": {}}}\n",
                                                   io::origin_members(origin_of(context)),
                                                   detail::json_quote(path),
                                                   detail::json_number(seconds_so_far(context)))
                                     : path + "\n");
  return kDone;
}

}  // namespace

Command demo_command() {
  return {.system = "demo",
          .verb = "",
          .summary = beside_summary("demo"),
          .text =
              "Writes index.html, a page that needs no other file and shows results of every "
              "system and every operation with their command lines and times on this machine, and "
              "one example of each kind of picture in reports; and overview.png, one wide picture "
              "with a result of each system. Prints the path of the page.",
          .examples = {{"fovea demo -o gallery", "write gallery/index.html"}},
          .request = make_request<DemoOptions, run_demo>};
}

}  // namespace fovea::cli
