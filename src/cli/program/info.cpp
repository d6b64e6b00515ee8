// fovea info and fovea version.
#include "cli/program/info.h"

#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include "cli/help/help.h"
#include "cli/program/command.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct AboutOptions {
  bool json = false;  // print it as JSON
};
void describe(OptionVisitor& visit, AboutOptions& options) {
  visit("json", options.json, "print the answer as JSON");
}

std::string memory_text(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

}  // namespace

std::string device_text(const DeviceInfo& info) {
  const bool cpu = info.device.kind == DeviceKind::kCpu;
  const char* unit = cpu ? "core" : "multiprocessor";
  std::string text = fmt::format("{}, {}, {}", info.name, detail::counted(info.units, unit),
                                 memory_text(info.memory_bytes));
  if (!cpu) text += ", compute capability " + info.capability;
  return text;
}

std::vector<Feature> file_features() {
  std::vector<Feature> features = io::codecs();
  features.push_back(io::video_feature());
  return features;
}

namespace {

// What this build and this machine offer.
struct Offer {
  BuildInfo build = build_info();
  std::vector<DeviceInfo> devices = fovea::devices();
  std::vector<Feature> files = file_features();  // kinds of file
};

std::string feature_text(const std::vector<Feature>& features) {
  std::string text;
  for (const Feature& feature : features)
    text += fmt::format("  {:<8}  {}\n", feature.name,
                        wrap((feature.usable ? "" : "off: ") + feature.detail, 12));
  return text;
}

void describe(FieldVisitor& visit, Offer& offer) {
  BuildInfo& build = offer.build;
  visit("compiler", build.compiler, "that made this build");
  visit("build_type", build.build_type, "such as Release");
  visit("simd_compiled", build.simd_compiled, "instruction sets with compiled code, best first");
  visit("simd_usable", build.simd_usable, "those that this machine can run, best first");
  visit("devices", offer.devices, "that work can run on: the CPU, then GPUs");
  visit("files", offer.files, "kinds of files that can be read");
  visit("features", build.features, "parts that are on or off");
}

std::string info_text(const Offer& offer) {
  const BuildInfo& build = offer.build;
  std::string text =
      fmt::format("fovea {} ({}, {})\n", build.version, build.build_type, build.compiler);
  text += fmt::format("\nSIMD\n  used      {}\n  usable    {}\n  compiled  {}\n",
                      build.simd_usable.empty() ? "none" : build.simd_usable.front(),
                      fmt::join(build.simd_usable, ", "), fmt::join(build.simd_compiled, ", "));
  text += "\nDevices\n";
  for (const DeviceInfo& info : offer.devices)
    text += fmt::format("  {:<8}  {}\n", to_string(info.device), device_text(info));
  text += "\nFiles\n" + feature_text(offer.files);
  text += "\nFeatures\n" + feature_text(build.features);
  return text;
}

int run_info(AboutOptions& options, Context& context) {
  const Offer offer;
  context.exec.device = resolve(context.exec.device);  // what verbs would run on
  if (options.json) print_result(context, record_ref(offer));
  else context.console.print(info_text(offer));
  return kDone;
}

int run_version(AboutOptions& options, Context& context) {
  context.console.print(options.json ? "{\"fovea\": \"" FOVEA_VERSION "\"}\n"
                                     : "fovea " FOVEA_VERSION "\n");
  return kDone;
}

}  // namespace

Command info_command() {
  return {.system = "info",
          .verb = "",
          .summary = "show what this build contains and which devices this machine has",
          .text =
              "Prints the version, the compiler, the SIMD instruction sets, the devices with their "
              "memory, the kinds of files that can be read, and the parts that are on or off, with "
              "the reason where one is off.",
          .examples = {{"fovea info", "print a text to read"}, {"fovea info --json", "print JSON"}},
          .request = make_request<AboutOptions, run_info>,
          .result = {sample_record<Offer>},
          .computes = false};
}

Command version_command() {
  return {.system = "version",
          .verb = "",
          .summary = "print the version",
          .text = "",
          .examples = {{"fovea version", "also fovea --version"}},
          .request = make_request<AboutOptions, run_version>,
          .computes = false};
}

}  // namespace fovea::cli
