#include "view/system.h"

#include <fovea/io/model_file.h>
#include <fovea/io/models.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/json_text.h"
#include "core/words.h"
#include "operations/files.h"
#include "view/run_operation.h"
#include "view/save/save_result.h"
#include "view/views/model_text.h"

namespace fovea::view {

namespace {

// The system of a model: that of which it says it is, or, of files of other programs, people, whose
// reader says what is wrong with them.
std::string system_of(const std::string& model) {
  constexpr const char* kOthers = "people";
  try {
    const auto facts = io::ModelFile::read(io::find_model(model, "actions")).metadata();
    const auto schema = facts.find("schema");
    return schema == facts.end() ? kOthers : schema->second.substr(0, schema->second.find('.'));
  } catch (const Error&) {
    return kOthers;
  }
}

// The tabs, from left to right.
constexpr std::array<std::string_view, 8> kOrder{"people", "flow", "emd",     "track",
                                                 "scenes", "mesh", "actions", "cubes"};

}  // namespace

Systems make_systems(const std::string& model) {
  const std::string of_model = model.empty() ? "" : system_of(model);
  const auto added = [&](std::string_view system) { return system == of_model ? model : ""; };
  Systems systems;
  for (const operations::Operation& operation : operations::operations())
    if (!operation.on_page.title.empty())
      systems.push_back(operation_view(operation, added(operation.words.system)));
  systems.push_back(emd_view());
  systems.push_back(actions_view(added("actions")));
  systems.push_back(cubes_view());
  std::ranges::stable_sort(systems, {}, [](const auto& system) {
    return std::ranges::find(kOrder, system->facts().name) - kOrder.begin();
  });
  return systems;
}

SystemView* find_system(const Systems& systems, std::string_view name) {
  const auto found = std::ranges::find(
      systems, name, [](const auto& system) -> std::string_view { return system->facts().name; });
  return found == systems.end() ? nullptr : found->get();
}

std::vector<std::string> model_names(const std::string& system, const std::string& added,
                                     const std::string& first) {
  std::vector<std::string> names;
  for (const std::string& shipped : io::shipped_models(system))
    names.push_back(shipped.substr(shipped.find('/') + 1));
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return name == first; });
  if (!added.empty()) names.insert(names.begin(), added);
  return names;
}

std::string Run::plain_input() const {
  if (inputs.front()->kind() == InputKind::kLive) return input();
  return std::filesystem::path(input()).filename().string();
}

std::vector<std::string> Run::folders() const {
  std::vector<std::string> folders;
  for (const std::shared_ptr<Input>& each : inputs) {
    const std::filesystem::path path = each->name();
    if (each->kind() != InputKind::kLive && path.is_absolute())
      folders.push_back((path.parent_path() / "").string());
  }
  return folders;
}

std::string Run::stem(bool whole_film) const {
  const std::string stem = inputs.front()->kind() == InputKind::kLive
                               ? operations::live_stem(input())
                               : std::filesystem::path(input()).stem().string();
  return of_film() && !whole_film ? fmt::format("{}_{:06}", stem, frame_number()) : stem;
}

bool Run::of_film() const {
  const InputKind kind = inputs.front()->kind();
  return kind == InputKind::kVideo || kind == InputKind::kLive;
}

Run Run::on_pictures(int count) const {
  const auto& pictures = inputs.front()->pictures();
  if (pictures.empty()) return *this;
  Run run = *this;
  run.inputs.clear();
  run.frames.clear();
  run.frame = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto number = static_cast<std::size_t>(frame_number(i));
    if (number >= pictures.size())
      throw InvalidArgument(fmt::format("{} ends before frame {}", input(), number));
    run.inputs.push_back(pictures[number]);
  }
  return run;
}

std::vector<std::shared_ptr<const Picture>> Run::images(int count) const {
  std::vector<std::shared_ptr<const Picture>> images;
  for (const StreamFrame& each : frames) images.push_back(each.picture);
  if (!images.empty()) return images;
  for (int i = 0; i < count; ++i) {
    if (of_film()) images.push_back(inputs.front()->frame(frame + i));
    else if (static_cast<std::size_t>(i) < inputs.size())
      images.push_back(inputs[static_cast<std::size_t>(i)]->frame(0));
    else
      throw InvalidArgument(
          fmt::format("{} images are needed, but only {} is chosen; choose the "
                      "next one as well",
                      count, inputs.size()));
  }
  return images;
}

void describe(FieldVisitor& visit, SystemFacts& facts) {
  visit("name", facts.name, "in addresses");
  visit("title", facts.title, "for people");
  visit("text", facts.text, "one sentence that says what it does");
  visit("takes", facts.takes, "kind of input; images stand for videos as well");
  visit("images", facts.images, "how many it needs");
  visit("needs_box", facts.needs_box, "around a target");
  visit("takes_pixel", facts.takes_pixel, "in place of the box");
  visit("whole_video", facts.whole_video, "whether a run is about all frames");
  visit("runs", facts.runs, "on images and single frames");
  visit("streams", facts.streams, "on the frames of a video or live input");
  visit("models", facts.models, "the first one is the default");
}

std::unique_ptr<Running> SystemView::begin(const Run&, const Exec&) {
  throw InvalidArgument(fmt::format("{} does not work on streams", facts_.title));
}

Result SystemView::run_on(Run run, std::vector<StreamFrame> frames, const Exec& exec) {
  run.frame = static_cast<int>(frames.front().number);
  run.frames = std::move(frames);
  return this->run(run, exec);
}

void SystemView::check_input(const Run& run) const {
  if (!facts_.runs)
    throw InvalidArgument(
        fmt::format("{} works on the frames of a video; press Play", facts_.title));
  if (facts_.takes != InputKind::kImage && run.inputs.front()->kind() != facts_.takes)
    throw InvalidArgument(fmt::format("{} is no {}; {} needs one", run.input(),
                                      to_string(facts_.takes), facts_.title));
}

void SystemView::check_box(const Run& run) const {
  if (facts_.needs_box && !facts_.takes_pixel && !run.box)
    throw InvalidArgument("draw a box around a target on the picture");
}

std::string SystemView::model_of(const Run& run) const {
  if (facts_.models.empty()) return {};
  if (run.model.empty()) return facts_.models.front();
  if (std::ranges::find(facts_.models, run.model) == facts_.models.end())
    throw InvalidArgument(
        fmt::format("there is no model '{}' here; --model adds a file of people or actions",
                    detail::shown(run.model)));
  return run.model;
}

std::string SystemView::text_of(const std::string& model) const {
  const std::scoped_lock lock(hashing_);
  const auto [text, is_new] = texts_.try_emplace(model);
  if (is_new) text->second = model_text(model, facts_.name);
  return text->second;
}

std::string SystemView::model_hashes(const std::string& model) const {
  if (model.empty()) return {};
  const std::scoped_lock lock(hashing_);
  const auto [hash, is_new] = hashes_.try_emplace(model);
  if (is_new) hash->second = io::model_hash(io::find_model(model, facts_.name));
  return fmt::format("{{{}: \"{}\"}}", detail::json_quote(model), hash->second);
}

std::string Task::box(std::string_view separator) const {
  return fmt::format("{1}{0}{2}{0}{3}{0}{4}", separator, run.box->x, run.box->y, run.box->width,
                     run.box->height);
}

std::string Task::shell_inputs(int count) const {
  std::string words = shell_word(run.input());
  if (!run.of_film())
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
      words += " " + shell_word(run.inputs[i]->name());
  return words;
}

std::string Task::shell_frames(int count) const {
  if (!run.of_film()) return {};
  const bool live = run.inputs.front()->kind() == InputKind::kLive;
  const std::string start =
      run.frame > 0 && !live ? fmt::format(" --first-frame {}", run.frame) : "";
  return fmt::format("{} --frames {}", start, count);
}

std::string Task::python_model() const { return detail::json_quote(model); }
std::string Task::python_input() const { return detail::json_quote(run.input()); }

std::vector<std::string> Task::python_images(int count) const {
  std::vector<std::string> images;
  for (int i = 0; i < count; ++i) {
    const Input& input = *run.inputs[static_cast<std::size_t>(run.of_film() ? 0 : i)];
    const std::string name = detail::json_quote(input.name());
    if (input.kind() == InputKind::kVideo)
      images.push_back(
          fmt::format("next(iter(fovea.read_video({}, start={})))[0]", name, run.frame + i));
    else if (input.kind() == InputKind::kLive)
      images.push_back(fmt::format("next(iter(fovea.read_video({})))[0]", name));
    else images.push_back(name);
  }
  return images;
}

io::ResultOrigin Task::origin(std::string command) const {
  io::ResultOrigin origin{.command = std::move(command),
                          .device = to_string(resolve(exec.device)),
                          .seed = exec.seed,
                          .options = options,
                          .models = model_hashes};
  for (const auto& [name, value] :
       {std::pair("target", run.box ? box() : std::string()), {"model", model}})
    if (!value.empty())
      origin.options.insert(1, fmt::format("\"{}\": {}{}", name, detail::json_quote(value),
                                           origin.options == "{}" ? "" : ", "));
  return origin;
}

std::string Task::saved_of_all(std::string command, RecordRef result) const {
  return one_result_json(origin(std::move(command)), result);
}

std::string Task::saved(std::string command, RecordRef result) const {
  return io::single_result_json(origin(std::move(command)), run.input(),
                                io::record_members(result));
}

void add_truth(std::vector<std::pair<std::string, std::string>>& facts, const Run& run,
               const std::function<void(const Truth&)>& compare) {
  if (!run.truth) return;
  try {
    compare(*run.truth);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    facts.emplace_back("truth", error.what());
  }
}

}  // namespace fovea::view
