// Names in files of version 0.1.0, and the names that replaced them.
#pragma once
#include <string_view>

namespace fovea::io {

struct OldName {
  std::string_view then, now;
};

// Names of tensors, of facts, and of options in the settings of an interrupted training.
inline constexpr OldName kOldNames[]{
    {"colour", "color"}, {"neighbours", "neighbors"}, {"hog.colour", "hog.color"}};

// The current name of what a file calls `name`.
constexpr std::string_view current_name(std::string_view name) {
  for (const OldName& old : kOldNames)
    if (name == old.then) return old.now;
  return name;
}

}  // namespace fovea::io
