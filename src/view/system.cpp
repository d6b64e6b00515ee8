#include "view/system.h"

#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/model_file.h>
#include <fovea/io/place.h>
#include <fovea/io/record_io.h>
#include <fovea/io/result_json.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/json_text.h"
#include "view/stream/running.h"

namespace fovea::view {

namespace {

// Whether the file of a model says that it holds actions. All others are models of people, which
// say themselves what is wrong with them.
bool holds_actions(const std::string& model) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(model, ignored)) return false;
  const std::map<std::string, std::string> facts = io::ModelFile::read(model).metadata();
  const auto schema = facts.find("schema");
  return schema != facts.end() && schema->second.starts_with("actions.");
}

}  // namespace

Systems make_systems(const std::string& model) {
  const bool of_actions = holds_actions(model);
  Systems systems;
  systems.push_back(people_view(of_actions ? "" : model));
  systems.push_back(flow_view());
  systems.push_back(emd_view());
  systems.push_back(track_view());
  systems.push_back(scenes_view());
  systems.push_back(mesh_view());
  systems.push_back(actions_view(of_actions ? model : ""));
  systems.push_back(cubes_view());
  return systems;
}

SystemView* find_system(const Systems& systems, std::string_view name) {
  const auto found = std::ranges::find(systems, name, &SystemView::name);
  return found == systems.end() ? nullptr : found->get();
}

std::unique_ptr<Running> SystemView::begin(const Run&, const Exec&) {
  throw InvalidArgument(fmt::format("{} does not work on streams", title()));
}

bool of_film(const Run& run) {
  const InputKind kind = run.inputs.front()->kind();
  return kind == InputKind::kVideo || kind == InputKind::kLive;
}

std::vector<std::shared_ptr<const Picture>> run_images(const Run& run, int count) {
  std::vector<std::shared_ptr<const Picture>> images;
  for (const StreamFrame& frame : run.frames) images.push_back(frame.picture);
  if (!images.empty()) return images;
  for (int i = 0; i < count; ++i) {
    if (of_film(run)) images.push_back(run.inputs.front()->frame(run.frame + i));
    else if (static_cast<std::size_t>(i) < run.inputs.size())
      images.push_back(run.inputs[static_cast<std::size_t>(i)]->frame(0));
    else
      throw InvalidArgument(
          fmt::format("{} images are needed, but only {} is chosen; choose the "
                      "next one as well",
                      count, run.inputs.size()));
  }
  return images;
}

std::string shell_inputs(const Run& run, int count) {
  std::string words = shell_word(run.inputs.front()->name());
  if (!of_film(run))
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
      words += " " + shell_word(run.inputs[i]->name());
  return words;
}

std::string shell_frames(const Run& run, int count) {
  if (!of_film(run)) return {};
  const bool live = run.inputs.front()->kind() == InputKind::kLive;
  const std::string start =
      run.frame > 0 && !live ? fmt::format(" --first-frame {}", run.frame) : "";
  return fmt::format("{} --frames {}", start, count);
}

namespace {

io::ResultOrigin origin_of(const SavedCall& call) {
  std::string options = call.options;
  for (const auto& [name, value] : {std::pair("target", call.target), {"model", call.model}})
    if (!value.empty())
      options.insert(1, fmt::format("\"{}\": {}{}", name, detail::json_quote(value),
                                    options == "{}" ? "" : ", "));
  return {.command = std::string(call.command),
          .device = to_string(resolve(call.exec.device)),
          .seed = call.exec.seed,
          .options = options};
}

}  // namespace

std::string saved_json(const Run& run, const SavedCall& call, RecordRef result) {
  std::string members = io::record_members(result);
  if (of_film(run) && !call.whole_film) {
    const bool streamed = !run.frames.empty();
    const io::FrameTime time{
        streamed ? run.frames.front().number : run.frame,
        streamed ? run.frames.front().seconds : run.inputs.front()->frame(run.frame)->seconds()};
    members = fmt::format("\"frames\": [{{{}, {}}}], \"dropped\": 0",
                          io::record_members(record_ref(time)), members);
  }
  io::ResultOrigin origin = origin_of(call);
  origin.beside = call.beside;
  return io::single_result_json(origin, run.inputs.front()->name(), members);
}

std::string saved_whole_json(const SavedCall& call, RecordRef result) {
  std::string members;
  io::JsonWriter json(io::string_sink(members));
  json.begin_object();
  io::write_fields(json, result);
  json.end_object().finish();
  return fmt::format("{{\n  {},{}", io::origin_members(origin_of(call), ",\n  "),
                     members.substr(1));
}

void add_truth(Result& result, const Run& run, const std::function<void(const Truth&)>& compare) {
  if (!run.truth) return;
  try {
    compare(*run.truth);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    result.facts.emplace_back("truth", error.what());
  }
}

std::vector<std::string> python_images(const Run& run, int count) {
  std::vector<std::string> images;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(of_film(run) ? 0 : i);
    const Input& input = *run.inputs[index];
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

Image<std::uint8_t> rgb_copy(ImageView<const std::uint8_t> image) {
  Image<std::uint8_t> rgb(image.width, image.height, 3);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      for (int c = 0; c < 3; ++c) rgb.at(x, y, c) = image.at(x, y, image.channels >= 3 ? c : 0);
  return rgb;
}

std::function<Image<std::uint8_t>()> rgb_later(std::shared_ptr<const Picture> picture) {
  return [picture = std::move(picture)] { return rgb_copy(picture->pixels()); };
}

}  // namespace fovea::view
