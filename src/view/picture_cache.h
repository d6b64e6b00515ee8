// Pictures that were used last, up to a number of bytes, and those that somebody holds anyway, such
// as a result that a page shows: while one is in memory it is not read again.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "view/lru_cache.h"
#include "view/picture.h"

namespace fovea::view {

class PictureCache {
 public:
  explicit PictureCache(std::size_t most_bytes) : last_(most_bytes) {}

  // Null where it is not in memory.
  std::shared_ptr<const Picture> find(const std::string& key);
  void keep(const std::string& key, const std::shared_ptr<const Picture>& picture);
  template <class Make>
  std::shared_ptr<const Picture> get(const std::string& key, const Make& make) {
    std::shared_ptr<const Picture> picture = find(key);
    if (!picture) keep(key, picture = make());
    return picture;
  }

 private:
  static constexpr std::size_t kLeastNames = 64;

  LruCache<std::shared_ptr<const Picture>> last_;
  std::mutex mutex_{};
  std::unordered_map<std::string, std::weak_ptr<const Picture>> names_{};
  std::size_t most_names_ = kLeastNames;  // after which those of pictures that are gone are removed
};

}  // namespace fovea::view
