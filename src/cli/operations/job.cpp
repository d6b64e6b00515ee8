#include "cli/operations/job.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using operations::Dash;
using operations::InputKind;
using operations::Output;
using operations::Share;

io::InputKind files_of(InputKind kind) {
  return kind == InputKind::kMesh    ? io::mesh_files()
         : kind == InputKind::kImage ? io::image_files()
                                     : io::image_and_video_files();
}

std::string flag_of(const Output& output) {
  return output.name == "output" ? "-o" : fmt::format("--{}", output.name);
}

// "-o OUT, --seg or --page"
std::string flags_of(const std::vector<Output>& outputs) {
  std::string flags;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0) flags += i + 1 < outputs.size() ? ", " : " or ";
    flags += flag_of(outputs[i]) + (outputs[i].name == "output" ? " OUT" : "");
  }
  return flags;
}

void check_ending(const Output& output, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (output.endings.empty() || std::ranges::find(output.endings, ending) != output.endings.end())
    return;
  throw InvalidArgument(
      fmt::format("{}: {} is written as {}", path, output.what, fmt::join(output.endings, ", ")));
}

}  // namespace

bool is_video(const std::string& input) {
  if (io::has_extension(input, io::image_files())) return false;  // without a look at the disk
  std::error_code error;
  const auto type = std::filesystem::status(input, error).type();
  const bool stream = type == std::filesystem::file_type::fifo ||
                      type == std::filesystem::file_type::character ||
                      type == std::filesystem::file_type::socket;
  return input == "-" || stream || io::is_live_source(input) ||
         io::has_extension(input, io::video_files());
}

std::string files_text(const std::vector<std::string>& files) {
  return files.empty() ? "" : fmt::format(", {}", fmt::join(files, ", "));
}

void Job::settle() {
  check_names();
  choose_device();
  plan_files();
  call.settle(plan);
  check_files();
}

void Job::choose_device() {
  if (operation.on_processor) context.exec.device = Device::cpu();  // and the result says so
  else resolve_device(context);
}

// Refuses names that no file can have.
void Job::check_names() {
  sort_by_ending();
  if (operation.needs_output &&
      std::ranges::all_of(named, [](const std::string& name) { return name.empty(); }))
    throw InvalidArgument(
        fmt::format("{} needs {}{}", context.command.name(), flags_of(outputs()),
                    outputs().size() == 1 ? ", a file or a folder to write to" : ""));
  for (std::size_t i = 0; i < outputs().size(); ++i)
    if (outputs()[i].dash == Dash::kRefused && io::is_standard_output(named[i]))
      throw InvalidArgument(
          fmt::format("{} {}: {} writes files and not to standard output; name a file",
                      flag_of(outputs()[i]), named[i], context.command.name()));
}

// -o FILE.csv is a table and not a picture, where a table ends so and has no other name.
void Job::sort_by_ending() {
  for (std::size_t picture = 0; picture < outputs().size(); ++picture) {
    if (!outputs()[picture].picture) continue;
    const std::string ending = std::filesystem::path(named[picture]).extension().string();
    for (std::size_t i = 0; i < outputs().size() && !ending.empty(); ++i)
      if (outputs()[i].share == Share::kOneFile && outputs()[i].ending == ending &&
          named[i].empty())
        named[i] = std::exchange(named[picture], "");
  }
}

void Job::plan_inputs() {
  plan.inputs = operation.alone ? context.inputs : unit_inputs(context, files_of(operation.input));
  plan.image = [this](const std::string& path) { return read_input(context, path); };
  plan.note = [this](const std::string& text) { context.console.note(text); };
  plan.max_pixels = context.max_pixels;
  plan.times = reports_times(context);
}

void Job::plan_files() {
  plan_inputs();
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    const Output& output = outputs()[i];
    if (named[i].empty()) continue;
    std::vector<std::string> files{named[i]};
    if (output.share == Share::kPerInput && !operation.alone)
      files =
          output_paths(context, named[i], plan.inputs, std::string(output.ending), flag_of(output));
    for (const std::string& path : files) check_ending(output, path);
    plan.files.emplace(output.name, std::move(files));
  }
}

// No file may be written twice, or replace one that is read.
void Job::check_files() {
  std::vector<std::string> flags, read = plan.inputs;
  for (const Output& output : outputs()) flags.push_back(flag_of(output));
  for (const std::string& input : plan.inputs)
    for (std::string& file : call.read_beside(input)) read.push_back(std::move(file));
  if (plan.inputs.empty()) read = call.read_beside({});
  const bool only_inputs = !operation.alone && read.size() == plan.inputs.size();
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    // Files of each input that are the only ones were compared when they got their names.
    const bool compared = outputs()[i].share == Share::kPerInput && plan.files.size() == 1 &&
                          only_inputs && !io::is_standard_output(named[i]);
    if (named[i].empty() || outputs()[i].share == Share::kOneFolder || compared) continue;
    for (const std::string& path : plan.files.find(outputs()[i].name)->second)
      files.push_back({flags[i], path});
  }
  check_outputs(context, files, read);
}

int Job::explain() {
  require_no_journal(context);
  sort_by_ending();
  plan_inputs();
  call.settle(plan);
  for (const std::string& name : named)
    if (!name.empty())
      throw InvalidArgument(
          fmt::format("--explain writes no results that {} could get; take "
                      "--explain-picture FILE",
                      detail::shown(name)));
  const char* kind = operation.input == InputKind::kMesh ? "mesh" : "image";
  if (plan.inputs.size() != 1)
    throw InvalidArgument(fmt::format("--explain explains one {}, but there are {} inputs", kind,
                                      plan.inputs.size()));
  const std::string& input = plan.inputs[0];
  if (takes_videos() && is_video(input))
    throw InvalidArgument(fmt::format("--explain explains one {}, but {} is a video", kind, input));
  const std::string picture = call.explain_picture();
  check_outputs(context, {{"--explain-picture", picture}}, plan.inputs);
  resolve_device(context);
  call.begin(context.exec_without_progress(), plan);
  const operations::Explained explained = call.explain(source_of(0));
  if (!picture.empty()) io::write_image(picture, explained.picture(explained.explanation).view());
  return print_explanation(context, explained.explanation, {.members = [&](io::JsonWriter& json) {
                             json.member("input", input);
                             if (!picture.empty()) json.member("picture", picture);
                           }});
}

operations::Source Job::source_of(std::size_t input) const {
  const std::string name = plan.inputs.empty() ? std::string() : plan.inputs[input];
  operations::Source source{.name = name, .image = [this, name](io::Orientation orientation) {
                              return operation.finite_pixels
                                         ? read_finite_input(context, name, orientation)
                                         : read_input(context, name, orientation);
                            }};
  for (std::size_t i = 0; i < outputs().size(); ++i)
    if (std::string path = file_at(i, input); !path.empty())
      source.files.emplace(outputs()[i].name, std::move(path));
  return source;
}

std::string Job::file_at(std::size_t output, std::size_t input) const {
  const bool own = outputs()[output].share == Share::kPerInput && !named[output].empty();
  return own ? plan.files.find(outputs()[output].name)->second[input] : "";
}

int Job::most_workers() const {
  const bool cuda = context.exec.device.kind == DeviceKind::kCuda;
  return cuda && operation.alone_on_gpu ? 1 : 0;
}

io::FrameWorkers Job::workers_for(std::int64_t items) const {
  return io::plan_frame_workers(context.exec, items, most_workers());
}

Exec Job::exec_of(const io::FrameWorkers& workers) const {
  Exec exec = context.exec_without_progress();
  exec.threads = workers.threads;
  return exec;
}

}  // namespace fovea::cli
