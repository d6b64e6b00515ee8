#include "cli/program/batch.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/program/run.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using detail::json_quote;

void make_folder(const fs::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
}

std::string in_pattern(std::string pattern, const std::string& stem) {
  const auto hole = pattern.find("{}");
  return pattern.replace(hole, 2, stem);
}

std::string file_name(const std::string& input, const std::string& extension) {
  fs::path name = input == "-" ? "stdin.png" : fs::path(input).filename();
  if (!extension.empty()) name.replace_extension(extension);
  return name.string();
}

// A library message often starts with the file's name already.
std::string named(std::string input, const std::string& message) {
  if (input == "-") input = "standard input";
  return message.rfind(input, 0) == 0 ? message : fmt::format("{}: {}", input, message);
}

}  // namespace

std::vector<std::string> output_paths(const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension) {
  const bool pattern = output.find("{}") != std::string::npos;
  std::error_code ignored;
  const bool folder = output.ends_with('/') || fs::is_directory(output, ignored);
  if (inputs.size() > 1 && !pattern && !folder && fs::path(output).has_extension())
    throw InvalidArgument(
        fmt::format("-o {} names one file, but there are {} inputs; give a folder, or a pattern "
                    "such as out/{{}}{}",
                    output, inputs.size(), fs::path(output).extension().string()));
  std::vector<std::string> paths;
  std::map<std::string, std::string> taken;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = file_name(inputs[i], extension);
    if (pattern) paths.push_back(in_pattern(output, fs::path(name).stem().string()));
    else if (folder || inputs.size() > 1) paths.push_back((fs::path(output) / name).string());
    else paths.push_back(output);
    const auto [other, is_new] = taken.emplace(paths.back(), inputs[i]);
    if (!is_new)
      throw InvalidArgument(fmt::format("{} and {} would both be written to {}; run them apart",
                                        other->second, inputs[i], paths.back()));
  }
  if (pattern || folder || inputs.size() > 1) {
    for (const std::string& path : paths) make_folder(fs::path(path).parent_path());
  }
  return paths;
}

Device settle_device(Context& context) {
  const bool automatic = context.exec.device.kind == DeviceKind::kAuto;
  context.exec.device = resolve(context.exec.device);
  const std::string message = "running on " + to_string(context.exec.device);
  if (automatic && context.exec.device.kind == DeviceKind::kCuda) context.console.note(message);
  else context.console.explain(message);
  return context.exec.device;
}

int run_batch(Context& context, const std::vector<std::string>& inputs,
              const std::function<Outcome(std::size_t)>& work) {
  const auto report = [&](std::size_t done) {
    if (context.exec.progress && inputs.size() > 1)
      context.exec.progress(
          {context.command.verb, static_cast<double>(done), static_cast<double>(inputs.size())});
  };
  std::string items;
  std::size_t failures = 0;
  int first_failure = kDone;
  bool stopped = false;
  for (std::size_t i = 0; i < inputs.size() && !stopped; ++i) {
    std::string members;
    try {
      report(i);
      throw_if_stopped(context.exec);
      const Outcome outcome = work(i);
      members = outcome.members;
      if (!context.json && !outcome.line.empty()) context.console.print(outcome.line + "\n");
    } catch (const Cancelled&) {
      stopped = true;
      break;
    } catch (const OutputError&) {
      throw;
    } catch (const ClosedPipe&) {
      throw;
    } catch (const Error& error) {
      const std::string message = named(inputs[i], error.what());
      context.console.complain(message);
      members = fmt::format("\"error\": {}", json_quote(message));
      if (failures++ == 0) first_failure = status_of(error);
    }
    items += fmt::format("{}\n    {{\"input\": {}, {}}}", items.empty() ? "" : ",",
                         json_quote(inputs[i]), members);
  }
  if (!stopped) report(inputs.size());
  if (context.json) {
    context.console.print(
        fmt::format("{{\n  \"fovea\": \"{}\",\n  \"command\": \"{}\",\n  \"device\": \"{}\",\n"
                    "  \"options\": {},\n  \"interrupted\": {},\n  \"failed\": {},\n  \"results\": "
                    "[{}\n  ]\n}}\n",
                    FOVEA_VERSION, context.command.name(), to_string(context.exec.device),
                    context.options_json, stopped, failures, items));
  }
  if (stopped) throw Cancelled("stopped as asked");
  if (failures == 0) return kDone;
  return failures == inputs.size() ? first_failure : kSomeFailed;
}

}  // namespace fovea::cli
