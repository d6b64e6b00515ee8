// What a driver keeps from one call to the next, such as a model.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace fovea::operations {

// The last value of each type by its name, so that the next call that needs it does not read it
// again. Several threads may use it.
class Kept {
 public:
  // make() returns a shared pointer to the value.
  template <class Value, class Make>
  std::shared_ptr<const Value> get(const std::string& name, const Make& make) {
    const std::lock_guard lock(mutex_);
    Entry& last = entries_[typeid(Value)];
    if (last.value == nullptr || last.name != name) last = {name, make()};
    return std::static_pointer_cast<const Value>(last.value);
  }

  // Keeps a value that the caller has.
  template <class Value>
  void put(const std::string& name, std::shared_ptr<const Value> value) {
    const std::lock_guard lock(mutex_);
    entries_[typeid(Value)] = {name, std::move(value)};
  }

 private:
  struct Entry {
    std::string name{};
    std::shared_ptr<const void> value{};
  };
  std::mutex mutex_{};
  std::map<std::type_index, Entry> entries_{};
};

}  // namespace fovea::operations
