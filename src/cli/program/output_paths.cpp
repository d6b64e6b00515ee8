#include "cli/program/output_paths.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cli/jobs/trust.h"
#include "cli/program/files.h"
#include "cli/program/parser.h"
#include "cli/program/read_files.h"
#include "cli/program/result.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using detail::shown;

enum class Overwrite : unsigned char { kRefuse, kRefuseInJobs, kAllow };

Overwrite overwrite_of(const Context& context) {
  if (may_replace_inputs(context)) return Overwrite::kAllow;
  return context.overwrite ? Overwrite::kRefuseInJobs : Overwrite::kRefuse;
}

// What to do instead of replacing an input.
std::string advice(Overwrite overwrite, const char* other) {
  return overwrite == Overwrite::kRefuse
             ? fmt::format("name another {}, or add --overwrite", other)
             : fmt::format(
                   "--overwrite does not go with --shard, --resume and --manifest there, "
                   "because an input could be worked on twice; name another {}",
                   other);
}

std::string in_pattern(std::string pattern, const std::string& stem) {
  const auto hole = pattern.find("{}");
  return pattern.replace(hole, 2, stem);
}

// Formats that are read but not written.
bool is_read_only(const fs::path& extension) {
  return extension == ".bmp" || extension == ".BMP" || extension == ".webp" || extension == ".WEBP";
}

// A camera or stream has no file name; its letters and digits make one.
fs::path file_name_of(const std::string& input) {
  return io::is_live_source(input) ? fs::path(operations::live_stem(input) + ".mp4")
                                   : fs::path(input).filename();
}

fs::path with_ending(fs::path name, const std::string& extension) {
  if (name == "-") name = "stdin.png";
  if (!extension.empty()) name.replace_extension(extension);
  else if (is_read_only(name.extension())) name.replace_extension(".png");
  return name;
}

bool is_folder(const std::string& output) {
  if (io::is_standard_output(output)) return false;
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  return output.ends_with('/') || fs::is_directory(status) ||
         (!fs::exists(status) && !fs::path(output).has_extension());
}

// The folder that all inputs lie in or below.
fs::path shared_folder(const std::vector<std::string>& inputs) {
  fs::path shared = fs::path(inputs[0]).parent_path();
  for (const std::string& input : inputs) {
    const fs::path folder = fs::path(input).parent_path();
    fs::path common;
    for (auto a = shared.begin(), b = folder.begin();
         a != shared.end() && b != folder.end() && *a == *b; ++a, ++b)
      common /= *a;
    shared = common;
  }
  return shared;
}

// The names of the results in a folder. Where inputs have the same name, their subfolders below the
// shared folder keep the results distinct.
std::vector<fs::path> names_in_folder(const std::vector<std::string>& inputs,
                                      const std::string& extension) {
  std::vector<fs::path> names;
  std::set<std::string> file_names;
  for (const std::string& input : inputs) {
    const fs::path name = file_name_of(input);
    names.push_back(with_ending(name, extension));
    file_names.insert(name.string());
  }
  if (file_names.size() == inputs.size()) return names;
  const fs::path shared = shared_folder(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path below =
        shared.empty() ? fs::path(inputs[i]) : fs::path(inputs[i]).lexically_relative(shared);
    const bool inside = !below.empty() && *below.begin() != ".." && below.is_relative();
    if (inside) names[i] = with_ending(below, extension);
  }
  return names;
}

void refuse_to_share(const std::vector<std::string>& paths,
                     const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> taken;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto [other, is_new] = taken.emplace(paths[i], inputs[i]);
    if (!is_new)
      throw InvalidArgument(
          fmt::format("{} and {} would both be written to {}; run them one at a time",
                      shown(other->second), shown(inputs[i]), shown(paths[i])));
  }
}

// What is not there is no input.
bool any_exists(const std::vector<std::string>& paths) {
  std::error_code error;
  return std::ranges::any_of(paths,
                             [&](const std::string& path) { return fs::exists(path, error); });
}

void refuse_to_replace(const std::vector<std::string>& paths, ReadFiles& read,
                       Overwrite overwrite) {
  for (const std::string& path : paths)
    if (!io::is_standard_output(path) && read.has(path))
      throw InvalidArgument(fmt::format("{} is an input and would be replaced by a result; {}",
                                        shown(path), advice(overwrite, "output")));
}

// What the run reads, with more that the verb knows of.
ReadFiles files_read(const Context* context, const std::vector<std::string>& inputs) {
  ReadFiles read = context != nullptr ? ReadFiles(*context) : ReadFiles();
  for (const std::string& input : inputs) read.add(input);
  return read;
}

std::vector<std::string> paths_for(const std::string& output,
                                   const std::vector<std::string>& inputs,
                                   const std::string& extension, const Context* context,
                                   std::string_view option = "-o") {
  const bool pattern = output.find("{}") != std::string::npos;
  const bool folder = !pattern && is_folder(output);
  if (inputs.size() > 1 && !pattern && !folder)
    throw InvalidArgument(
        fmt::format("{} {} names one file, but there are {} inputs; give a folder, or a pattern "
                    "such as out/{{}}{}",
                    option, shown(output), inputs.size(), fs::path(output).extension().string()));
  std::vector<std::string> paths;
  if (folder) {
    for (const fs::path& name : names_in_folder(inputs, extension))
      paths.push_back((fs::path(output) / name).string());
  } else {
    for (const std::string& input : inputs)
      paths.push_back(pattern
                          ? in_pattern(output, with_ending(file_name_of(input), "").stem().string())
                          : output);
  }
  refuse_to_share(paths, inputs);
  const Overwrite overwrite = context != nullptr ? overwrite_of(*context) : Overwrite::kRefuse;
  if (overwrite != Overwrite::kAllow && any_exists(paths)) {
    ReadFiles read = files_read(context, inputs);
    refuse_to_replace(paths, read, overwrite);
  }
  if (pattern || folder) {
    for (const std::string& path : paths) {
      const fs::path parent = fs::path(path).parent_path();
      if (!parent.empty()) make_folder(parent.string());
    }
  }
  return paths;
}

// Frames in a folder have names of their own, so that only the folder can be compared.
void refuse_folder_of_inputs(const std::vector<OutputFile>& outputs,
                             const std::vector<std::string>& inputs, ReadFiles& read,
                             Overwrite overwrite) {
  std::set<fs::path> folders, parents;
  std::error_code error;
  const bool any = std::ranges::any_of(outputs, [&](const OutputFile& output) {
    return !output.path.empty() && fs::is_directory(output.path, error);
  });
  if (!any) return;
  for (const std::string& input : inputs) {
    if (fs::is_directory(input, error)) folders.insert(fs::canonical(input, error));
    else if (fs::is_regular_file(input, error))
      parents.insert(fs::canonical(input, error).parent_path());
  }
  for (const OutputFile& output : outputs) {
    if (output.path.empty() || !fs::is_directory(output.path, error)) continue;
    const fs::path folder = fs::canonical(output.path, error);
    const bool frames = output.use == OutputUse::kFrames && parents.contains(folder);
    const bool results = output.use == OutputUse::kResults && read.holds(output.path);
    if (folders.contains(folder) || frames || results)
      throw InvalidArgument(
          fmt::format("{} {}: the folder has the inputs, which results could replace; {}",
                      output.option, shown(output.path), advice(overwrite, "folder")));
  }
}

void refuse_to_write_twice(const std::vector<OutputFile>& outputs) {
  std::map<std::string, std::string_view> taken;
  std::error_code error;
  for (const OutputFile& output : outputs) {
    if (output.path.empty() || io::is_standard_output(output.path)) continue;
    const auto [other, is_new] =
        taken.emplace(fs::weakly_canonical(output.path, error).string(), output.option);
    if (!is_new)
      throw InvalidArgument(
          fmt::format("{} would be written twice, by {} and by {}; give each its own name",
                      shown(output.path), other->second, output.option));
  }
}

}  // namespace

void check_outputs(Context& context, const std::vector<OutputFile>& outputs,
                   const std::vector<std::string>& other_inputs) {
  refuse_to_write_twice(outputs);
  for (const OutputFile& output : outputs) {
    settle_output(context, output.option, output.path);
    if (context.confined && !output.path.empty() && !io::is_standard_output(output.path))
      require_below_here(output.option, output.path);
  }
  const Overwrite overwrite = overwrite_of(context);
  if (overwrite == Overwrite::kAllow) return;
  std::vector<std::string> paths, inputs = context.inputs;
  for (const OutputFile& output : outputs)
    if (!output.path.empty()) paths.push_back(output.path);
  if (!any_exists(paths)) return;
  inputs.insert(inputs.end(), other_inputs.begin(), other_inputs.end());
  ReadFiles read = files_read(&context, other_inputs);
  refuse_to_replace(paths, read, overwrite);
  refuse_folder_of_inputs(outputs, inputs, read, overwrite);
}

std::vector<OutputOption> named_outputs(const Invocation& invocation) {
  std::vector<OutputOption> outputs;
  const auto add = [&](const OptionField& field, const std::string& path) {
    if (path.empty() || io::is_standard_output(path)) return;
    const bool results = field.traits.use == TextUse::kFolder;
    outputs.push_back({field.name == "output" ? "-o" : "--" + field.name, path,
                       results ? OutputUse::kResults : OutputUse::kFile});
  };
  std::vector<OptionField> fields = invocation.own_fields();
  for (const OptionField& field : invocation.common_fields()) fields.push_back(field);
  for (const OptionField& field : fields) {
    const TextUse use = field.traits.use;
    if (const auto* path = std::get_if<std::string*>(&field.value)) {
      if (use == TextUse::kOutput || use == TextUse::kFolder) add(field, **path);
    } else if (const auto* pairs = std::get_if<std::vector<WordAndFile>*>(&field.value)) {
      for (const WordAndFile& pair : **pairs) add(field, pair.second);
    }
  }
  return outputs;
}

void check_named_outputs(const Invocation& invocation, Context& context) {
  const std::vector<OutputOption> named = named_outputs(invocation);
  std::vector<OutputFile> outputs;
  for (const OutputOption& each : named) {
    const bool pattern = each.path.find("{}") != std::string::npos;
    const bool folder = each.use == OutputUse::kFile && is_folder(each.path);
    if (!pattern && !folder) outputs.push_back({each.flag, each.path, each.use});
  }
  check_outputs(context, outputs);
}

std::vector<std::string> output_paths(const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension) {
  return paths_for(output, inputs, extension, nullptr);
}

std::vector<std::string> output_paths(const Context& context, const std::string& output,
                                      const std::vector<std::string>& inputs,
                                      const std::string& extension, std::string_view option) {
  return paths_for(output, inputs, extension, &context, option);
}

}  // namespace fovea::cli
