// Keeps what was used last, up to a number of bytes, or of anything else that is counted.
#pragma once
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace fovea::view {

template <class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<Value> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->value;
  }

  // The value of a key, which is made where it is not there; `bytes` says what it takes.
  template <class Make, class Bytes>
  Value get(const std::string& key, const Make& make, const Bytes& bytes) {
    if (std::optional<Value> known = find(key)) return *std::move(known);
    Value value = make();
    keep(key, value, bytes(value));
    return value;
  }

  // The same where each value counts as one.
  template <class Make>
  Value get(const std::string& key, const Make& make) {
    return get(key, make, [](const Value&) { return std::size_t{1}; });
  }

  void forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    bytes_ -= found->second->bytes;
    order_.erase(found->second);
    index_.erase(found);
  }

  // The last value is kept whatever its size.
  void keep(const std::string& key, Value value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    order_.push_front({key, std::move(value), bytes});
    index_[key] = order_.begin();
    bytes_ += bytes;
    while (bytes_ > most_bytes_ && order_.size() > 1) {
      bytes_ -= order_.back().bytes;
      index_.erase(order_.back().key);
      order_.pop_back();
    }
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    std::size_t bytes;
  };

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::mutex mutex_{};
  std::list<Entry> order_{};  // the last used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> index_{};
};

}  // namespace fovea::view
