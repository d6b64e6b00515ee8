// Small pictures of three kinds, sorted into folders: what verbs of fovea scenes are tried on.
#pragma once
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files.h"

namespace fovea::cli {

// Stripes that lie, stripes that stand, or squares; each with noise of its own.
inline Image<std::uint8_t> place(int kind, int number) {
  Image<std::uint8_t> image(48 + number, 40, 3);
  Random random(5, static_cast<std::uint64_t>(100 * kind + number));
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const bool lying = (y / 3) % 2 == 0, standing = (x / 3) % 2 == 0;
      const bool light = kind == 0 ? lying : kind == 1 ? standing : lying != standing;
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>((light ? 160 : 60) + random.below(40));
    }
  }
  return image;
}

inline const std::vector<std::string>& place_kinds() {
  static const std::vector<std::string> kKinds{"lying", "squares", "standing"};
  return kKinds;
}

// `each` pictures a kind, in folders of their names.
inline void write_places(const std::string& folder, int each, int first = 0) {
  static constexpr int kKindOf[] = {0, 2, 1};
  for (std::size_t k = 0; k < place_kinds().size(); ++k) {
    const std::string to = folder + "/" + place_kinds()[k];
    std::filesystem::create_directories(to);
    for (int i = first; i < first + each; ++i)
      io::write_image(to + "/" + std::to_string(i) + ".png", place(kKindOf[k], i).view());
  }
}

// Options that make training quick.
inline std::vector<std::string> quick(std::vector<std::string> words) {
  words.insert(words.end(), {"--dictionary", "12", "--samples", "40"});
  return words;
}

}  // namespace fovea::cli
