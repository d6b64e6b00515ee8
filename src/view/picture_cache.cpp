#include "view/picture_cache.h"

namespace fovea::view {

std::shared_ptr<const Picture> PictureCache::find(const std::string& key) {
  if (auto known = last_.find(key)) return *known;
  std::shared_ptr<const Picture> picture;
  {
    const std::lock_guard lock(mutex_);
    if (const auto named = names_.find(key); named != names_.end()) picture = named->second.lock();
  }
  if (picture) last_.keep(key, picture, picture->bytes());
  return picture;
}

void PictureCache::keep(const std::string& key, const std::shared_ptr<const Picture>& picture) {
  last_.keep(key, picture, picture->bytes());
  const std::lock_guard lock(mutex_);
  names_[key] = picture;
  if (names_.size() < most_names_) return;
  std::erase_if(names_, [](const auto& named) { return named.second.expired(); });
  most_names_ = std::max(kLeastNames, 2 * names_.size());
}

}  // namespace fovea::view
