// fovea info and fovea version.
#include "cli/program/info.h"

#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include "cli/program/command.h"
#include "cli/program/help.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using detail::json_quote;

struct AboutOptions {
  bool json = false;  // print it as JSON
};
void describe(OptionVisitor& visit, AboutOptions& options) {
  visit("json", options.json, "print the answer as JSON");
}

std::string memory_text(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string json_list(const std::vector<std::string>& items) {
  std::string json;
  for (const std::string& item : items) json += (json.empty() ? "" : ", ") + json_quote(item);
  return "[" + json + "]";
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

std::string feature_json(const std::vector<Feature>& features) {
  std::string json;
  for (const Feature& feature : features) {
    json += fmt::format(R"({}
    {{"name": {}, "usable": {}, "detail": {}}})",
                        json.empty() ? "" : ",", json_quote(feature.name), feature.usable,
                        json_quote(feature.detail));
  }
  return json;
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

std::string info_json(const Offer& offer) {
  const BuildInfo& build = offer.build;
  std::string device_list;
  for (const DeviceInfo& info : offer.devices) {
    device_list += fmt::format(
        R"({}
    {{"device": {}, "name": {}, "units": {}, "memory_bytes": {}, "capability": {}}})",
        device_list.empty() ? "" : ",", json_quote(to_string(info.device)), json_quote(info.name),
        info.units, info.memory_bytes,
        info.capability.empty() ? "null" : json_quote(info.capability));
  }
  return fmt::format(
      R"({{
  "fovea": {},
  "compiler": {},
  "build_type": {},
  "simd_compiled": {},
  "simd_usable": {},
  "devices": [{}
  ],
  "files": [{}
  ],
  "features": [{}
  ]
}}
)",
      json_quote(build.version), json_quote(build.compiler), json_quote(build.build_type),
      json_list(build.simd_compiled), json_list(build.simd_usable), device_list,
      feature_json(offer.files), feature_json(build.features));
}

int run_info(AboutOptions& options, Context& context) {
  const Offer offer;
  context.console.print(options.json ? info_json(offer) : info_text(offer));
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
