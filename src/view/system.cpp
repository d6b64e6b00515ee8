#include "view/system.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include "core/json_text.h"

namespace fovea::view {

Systems make_systems(const std::string& model) {
  Systems systems;
  systems.push_back(people_view(model));
  systems.push_back(flow_view());
  systems.push_back(emd_view());
  systems.push_back(scenes_view());
  systems.push_back(mesh_view());
  return systems;
}

namespace {

bool of_video(const Run& run) { return run.inputs.front()->kind() == InputKind::kVideo; }

}  // namespace

std::vector<std::shared_ptr<const Picture>> run_images(const Run& run, int count) {
  std::vector<std::shared_ptr<const Picture>> images;
  for (int i = 0; i < count; ++i) {
    if (of_video(run)) images.push_back(run.inputs.front()->frame(run.frame + i));
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
  if (!of_video(run))
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
      words += " " + shell_word(run.inputs[i]->name());
  return words;
}

std::string shell_frames(const Run& run, int count) {
  if (!of_video(run)) return {};
  const std::string start = run.frame > 0 ? fmt::format(" --first-frame {}", run.frame) : "";
  return fmt::format("{} --frames {}", start, count);
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
    const auto index = static_cast<std::size_t>(of_video(run) ? 0 : i);
    const std::string name = detail::json_quote(run.inputs[index]->name());
    images.push_back(of_video(run) ? fmt::format("next(iter(fovea.read_video({}, start={})))[0]",
                                                 name, run.frame + i)
                                   : name);
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

}  // namespace fovea::view
