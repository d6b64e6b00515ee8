#include "view/saved_results/find_input.h"

#include <fovea/io/flow_io.h>

#include <algorithm>
#include <filesystem>

#include "view/number.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;

using InputList = std::vector<std::shared_ptr<Input>>;

std::shared_ptr<Input> image_of_size(const InputList& images, const std::string& motion) {
  const io::FlowField field = io::read_flow(motion);
  const auto found = std::ranges::find_if(images, [&](const std::shared_ptr<Input>& input) {
    const io::ImageInfo image = io::image_info(input->path());
    return image.width == field.width() && image.height == field.height();
  });
  return found == images.end() ? nullptr : *found;
}

std::shared_ptr<Input> mesh_of_faces(const InputList& meshes, const std::string& parts) {
  const std::size_t faces = io::read_labels(parts).size();
  const auto found = std::ranges::find_if(meshes, [&](const std::shared_ptr<Input>& input) {
    return static_cast<std::size_t>(input->mesh()->file_faces()) == faces;
  });
  return found == meshes.end() ? nullptr : *found;
}

}  // namespace

std::optional<std::int64_t> frame_number(std::string_view name, std::string_view video) {
  if (!name.starts_with(video)) return {};
  name.remove_prefix(video.size());
  if (name.size() < 2 || name[0] != '_') return {};
  const auto number = number_of<std::int64_t>(name.substr(1));
  return number && *number >= 0 ? number : std::nullopt;
}

InputFinder::InputFinder(Inputs& inputs, std::string beside, std::vector<std::string> folders,
                         bool sent)
    : inputs_(inputs),
      beside_(std::move(beside)),
      folders_(std::move(folders)),
      sent_(sent),
      there_(inputs.all()) {}

std::optional<std::string> InputFinder::file(const std::string& named) const {
  if (sent_) return {};
  const fs::path path(named);
  std::vector<fs::path> places{fs::path(beside_).parent_path() / path, path};
  for (const std::string& folder : folders_) {
    places.push_back(folder / path);
    places.push_back(folder / path.filename());
  }
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) return place.lexically_normal().string();
  }
  return {};
}

std::shared_ptr<Input> InputFinder::named(const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const std::optional<std::string> path = file(name);
  return known_[name] = path ? inputs_.add_file(*path) : called(fs::path(name).filename().string());
}

std::shared_ptr<Input> InputFinder::called(const std::string& last_name) {
  if (last_names_.empty())
    for (const std::shared_ptr<Input>& input : there_) {
      const std::string last = fs::path(input->name()).filename().string();
      if (const auto [known, is_new] = last_names_.emplace(last, input); !is_new)
        known->second = nullptr;
    }
  const auto found = last_names_.find(last_name);
  return found == last_names_.end() ? nullptr : found->second;
}

InputList InputFinder::all_of(InputKind kind) const {
  InputList some;
  std::ranges::copy_if(there_, std::back_inserter(some), [&](const std::shared_ptr<Input>& input) {
    // Of a film, its pictures are there as well.
    return input->kind() == kind && input->pictures().empty();
  });
  return some;
}

std::shared_ptr<Input> InputFinder::namesake(InputKind kind) const {
  const fs::path stem = fs::path(beside_).stem();
  const auto found = std::ranges::find_if(there_, [&](const std::shared_ptr<Input>& input) {
    return input->kind() == kind && fs::path(input->path()).stem() == stem;
  });
  return found == there_.end() ? nullptr : *found;
}

std::shared_ptr<Input> InputFinder::stemmed(SavedItem& item) {
  if (images_.empty() && videos_.empty())
    for (const std::shared_ptr<Input>& input : there_) {
      if (input->kind() == InputKind::kImage)
        images_.emplace(fs::path(input->path()).stem().string(), input);
      if (input->kind() == InputKind::kVideo)
        videos_.emplace(fs::path(input->path()).stem().string(), input);
    }
  if (const auto same = images_.find(item.stem); same != images_.end()) return same->second;
  if (const auto same = videos_.find(item.stem); same != videos_.end()) return same->second;
  const std::size_t line = item.stem.rfind('_');
  if (line == item.stem.npos) return nullptr;
  const std::string video = item.stem.substr(0, line);
  const auto found = videos_.find(video);
  const auto number = frame_number(item.stem, video);
  if (found == videos_.end() || !number) return nullptr;
  item.frame = *number;
  return found->second;
}

std::shared_ptr<Input> InputFinder::fitting(const SavedItem& item) const {
  if (!item.motion.empty()) {
    const auto same = namesake(InputKind::kImage);
    return same ? same : image_of_size(all_of(InputKind::kImage), item.motion);
  }
  if (!item.parts.empty()) {
    const auto same = namesake(InputKind::kMesh);
    return same ? same : mesh_of_faces(all_of(InputKind::kMesh), item.parts);
  }
  if (auto same = namesake(InputKind::kVideo)) return same;
  const InputList videos = all_of(InputKind::kVideo);
  if (!videos.empty()) return videos.size() == 1 ? videos.front() : nullptr;
  const InputList images = all_of(InputKind::kImage);
  const auto number = static_cast<std::size_t>(item.frame);
  return number < images.size() ? images[number] : nullptr;
}

}  // namespace fovea::view
