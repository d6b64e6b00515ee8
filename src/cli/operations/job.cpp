#include "cli/operations/job.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/jobs/journal.h"
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
    flags += flag_of(outputs[i]) + (outputs[i].name == "output" ? " OUT"
                                    : outputs[i].kinds.empty()  ? ""
                                                                : " KIND FILE");
  }
  return flags;
}

// "wheel, arrows or warp"
std::string words_text(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

std::size_t kind_of(const Output& output, const std::string& word) {
  const auto kind = std::ranges::find(output.kinds, word);
  if (kind == output.kinds.end())
    throw InvalidArgument(fmt::format("{} is '{}'; expected {}, and a file", flag_of(output), word,
                                      words_text(output.kinds)));
  return static_cast<std::size_t>(kind - output.kinds.begin());
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
  const bool frames = operation.input == InputKind::kFrames;  // which may say what works on them
  if (!frames) choose_device();
  plan_files();
  refuse_obstacles();
  call.settle(plan);
  check_files();
  if (frames) choose_device();
}

void Job::choose_device() {
  if (operation.on_processor) context.exec.device = Device::cpu();  // and the result says so
  else resolve_device(context, call.cpu_only(plan));
}

// Refuses names that no file can have.
void Job::check_names() {
  sort_by_ending();
  if (operation.needs_output &&
      std::ranges::all_of(named, [](const NamedOutput& name) { return name.empty(); }))
    throw InvalidArgument(
        fmt::format("{} needs {}{}", context.command.name(), flags_of(outputs()),
                    outputs().size() == 1 ? ", a file or a folder to write to" : ""));
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    if (outputs()[i].list != operations::List::kNo && io::is_standard_output(named[i].path))
      named[i].path.clear();  // where it goes anyway
    if (context.journal != nullptr && operation.input == InputKind::kVideo &&
        outputs()[i].share == Share::kPerInput && io::is_standard_output(named[i].path))
      throw InvalidArgument(
          fmt::format("{} -: a run with a manifest writes files; name one", flag_of(outputs()[i])));
    if (outputs()[i].dash == Dash::kRefused && io::is_standard_output(named[i].path))
      throw InvalidArgument(
          fmt::format("{} {}: {} writes files and not to standard output; name a file",
                      flag_of(outputs()[i]), named[i].path, context.command.name()));
    for (const WordAndFile& each : named[i].kinds) kind_of(outputs()[i], each.first);
  }
}

// -o FILE.csv is a table and not a picture, where the table has no other name.
void Job::sort_by_ending() {
  for (std::size_t picture = 0; picture < outputs().size(); ++picture) {
    if (!outputs()[picture].picture || has_one_result()) continue;
    const Output* table = operations::table_of(outputs(), named[picture].path);
    if (table == nullptr) continue;
    std::string& name = named[static_cast<std::size_t>(table - outputs().data())].path;
    if (name.empty()) name = std::exchange(named[picture].path, "");
  }
}

void Job::plan_inputs() {
  call.check_inputs(context.inputs);
  if (auto found = call.find_inputs(context.inputs, merged_units(context)))
    plan.inputs = std::move(*found);
  else
    plan.inputs =
        has_one_result() ? context.inputs : unit_inputs(context, files_of(operation.input));
  plan.image = [this](const std::string& path) { return read_input(context, path); };
  plan.note = [this](const std::string& text) { context.console.note(text); };
  plan.reading = video_options(context);
  plan.video = [this](const std::string& input, const io::VideoReadOptions& options) {
    return open_video(context, input, options);
  };
  plan.max_pixels = context.max_pixels;
  plan.most_bytes = context.most_bytes;
  plan.may_replace = may_replace_inputs(context);
  plan.json = context.json;
  plan.times = reports_times(context);
}

void Job::plan_files() {
  plan_inputs();
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    const Output& output = outputs()[i];
    if (named[i].empty()) continue;
    std::vector<std::string> files;
    if (!named[i].path.empty()) files.push_back(named[i].path);
    for (const WordAndFile& each : named[i].kinds) files.push_back(each.second);
    if (names_by_input(output))
      files = output_paths(context, named[i].path, plan.inputs, std::string(output.ending),
                           flag_of(output));
    for (const std::string& path : files) {
      operations::check_ending(output, path);
      if (has_one_result() && !is_sequence()) call.check_file(i, path);
    }
    plan.files.emplace(output.name, std::move(files));
  }
}

// Refuses files that the options do not make.
void Job::refuse_obstacles() const {
  for (std::size_t i = 0; i < outputs().size(); ++i)
    if (const std::string obstacle = call.obstacle(i); !named[i].empty() && !obstacle.empty())
      throw InvalidArgument(obstacle);
}

// No file may be written twice, or replace one that is read.
void Job::check_files() {
  const OutputUse use = operation.input == InputKind::kFrames && !operation.alone
                            ? OutputUse::kFrames
                            : OutputUse::kFile;
  std::vector<std::string> flags, read = plan.inputs;
  for (const Output& output : outputs()) flags.push_back(flag_of(output));
  for (const std::string& input : plan.inputs)
    for (std::string& file : call.read_beside(input)) read.push_back(std::move(file));
  if (plan.inputs.empty()) read = call.read_beside({});
  const bool only_inputs = !has_one_result() && read.size() == plan.inputs.size();
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    // Files of each input that are the only ones were compared when they got their names.
    const bool own = outputs()[i].share == Share::kPerInput;
    const bool compared = names_by_input(outputs()[i]) && plan.files.size() == 1 && only_inputs &&
                          !io::is_standard_output(named[i].path);
    if (named[i].empty() || outputs()[i].share == Share::kOneFolder || compared) continue;
    for (const std::string& path : plan.files.find(outputs()[i].name)->second)
      files.push_back({flags[i], path, own ? use : OutputUse::kFile});
  }
  if (call.explains()) {
    require_no_journal(context);
    files.push_back({"--explain-picture", call.explain_picture()});
  }
  check_outputs(context, files, read);
}

int Job::explain() {
  require_no_journal(context);
  sort_by_ending();
  plan_inputs();
  call.settle(plan);
  for (const NamedOutput& output : named)
    if (!output.empty())
      throw InvalidArgument(fmt::format(
          "--explain writes no results that {} could get; take --explain-picture FILE",
          detail::shown(output.path.empty() ? output.kinds.front().second : output.path)));
  const std::vector<std::string>& inputs = plan.inputs;
  const bool pair = !operation.pairs.empty();
  const char* kind = pair                                  ? "pair of images"
                     : operation.input == InputKind::kMesh ? "mesh"
                     : operation.input == InputKind::kClip ? "clip"
                                                           : "image";
  if (inputs.size() != (pair ? 2 : 1))
    throw InvalidArgument(fmt::format("--explain explains {} {}, but there {} {}",
                                      pair ? "a" : "one", kind, inputs.size() == 1 ? "is" : "are",
                                      detail::counted(inputs.size(), "input")));
  if (takes_videos() && is_video(inputs[0]))
    throw InvalidArgument(
        fmt::format("--explain explains one {}, but {} is a video", kind, inputs[0]));
  check_outputs(context, {{"--explain-picture", call.explain_picture()}}, inputs);
  if (operation.explains_on_processor) context.exec.device = Device::cpu();
  resolve_device(context);
  call.begin(context.exec_without_progress(), plan);
  const std::shared_ptr<void> item = call.make_item();
  call.read(source_of(0), item.get());
  return print_why(item);
}

int Job::print_why(const std::shared_ptr<void>& item) {
  const std::string picture = call.explain_picture();
  const bool pair = !operation.pairs.empty();
  const std::vector<std::string>& inputs = plan.inputs;
  const Exec exec = context.exec_without_progress();
  const operations::Explained explained = call.explain(item, {.exec = exec});
  if (!picture.empty()) io::write_image(picture, explained.picture(explained.explanation).view());
  return print_explanation(context, explained.explanation, {.members = [&](io::JsonWriter& json) {
                             json.member(pair ? "first" : "input", inputs[0]);
                             if (pair) json.member("second", inputs[1]);
                             for (const auto& [name, value] : explained.numbers)
                               json.member(name, value);
                             if (explained.members) explained.members(json);
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
  source.number = input;
  if (has_one_result() && plan.inputs.size() == 2 && input == 0)
    source.second = std::make_shared<operations::Source>(source_of(1));
  if (has_one_result() && input > 0) return source;
  for (std::size_t i = 0; i < outputs().size(); ++i)
    if (std::string path = file_at(i, input); !path.empty())
      source.files.emplace(outputs()[i].name, std::move(path));
  return source;
}

bool Job::has_frames(const std::string& input) const {
  return operation.input == InputKind::kVideo || (takes_videos() && is_video(input));
}

bool Job::names_by_input(const Output& output) const {
  const bool one_video = operation.input == InputKind::kVideo && plan.inputs.size() == 1;
  return output.share == Share::kPerInput && !has_one_result() && !one_video;
}

bool Job::writes_own(std::size_t output) const {
  return outputs()[output].share == Share::kPerInput && !outputs()[output].picture &&
         !named[output].empty();
}

std::vector<AskedPicture> Job::pictures() const {
  std::vector<AskedPicture> asked;
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    if (!outputs()[i].picture) continue;
    if (!named[i].path.empty()) asked.push_back({i, 0, named[i].path});
    for (const WordAndFile& each : named[i].kinds)
      asked.push_back({i, kind_of(outputs()[i], each.first), each.second});
  }
  return asked;
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

SharedFiles::SharedFiles(const Job& job, bool writes) {
  for (std::size_t i = 0; i < job.outputs().size(); ++i) {
    const Output& output = job.outputs()[i];
    const bool list = output.list != operations::List::kNo;
    if (output.share == Share::kPerInput || list || output.evaluation || job.named[i].empty())
      continue;
    wanted_ = true;
    if (writes) files_.push_back(job.call.open(i, job.named[i].path));
  }
}

SharedFiles::SharedFiles(const Job& job, std::size_t video) {
  for (std::size_t i = 0; i < job.outputs().size(); ++i)
    if (const std::string path = job.file_at(i, video); !path.empty() && !job.outputs()[i].picture)
      files_.push_back(job.call.open(i, path));
}

void SharedFiles::add(const io::Place& place, RecordRef result) {
  for (const auto& file : files_) file->add(place, result);
  ++added_;
}

void SharedFiles::commit(const std::string& origin) {
  for (const auto& file : files_) file->commit(origin);
}

}  // namespace fovea::cli
