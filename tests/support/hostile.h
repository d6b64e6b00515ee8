// What every reader must survive: files cut short anywhere, and files with any byte changed.
#pragma once
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include <string>

#include "support/files.h"

namespace fovea::test {

// Reads every way there is; throws what the readers throw.
inline void read_every_way(std::string_view file) {
  io::read_image(as_bytes(file), "hostile", {.orientation = io::Orientation::kApply});
  io::read_pages(as_bytes(file), "hostile");
  io::image_info(as_bytes(file), "hostile");
}

inline void expect_one_line(const Error& error) {
  const std::string_view text = error.what();
  EXPECT_TRUE(text.starts_with("hostile: ")) << text;
  EXPECT_EQ(text.find('\n'), std::string_view::npos) << text;
}

// Each beginning of the file is refused with one line. `tail` bytes at the end may be missing
// without harm.
inline void expect_truncations_refused(const std::string& file, std::size_t tail = 0) {
  for (std::size_t length = 0; length + tail < file.size(); ++length) {
    try {
      io::read_image(as_bytes(std::string_view(file).substr(0, length)), "hostile");
      ADD_FAILURE() << "the first " << length << " bytes of " << file.size() << " were accepted";
    } catch (const FormatError& error) {
      expect_one_line(error);
    }
  }
}

// Changing any byte gives an image or one line, never anything else.
inline void expect_corruptions_survived(std::string file) {
  for (std::size_t at = 0; at < file.size(); ++at) {
    const char kept = file[at];
    for (const char value : {'\0', '\xff', '\x80', '0', ' ', static_cast<char>(kept ^ 1),
                             static_cast<char>(kept ^ 0x80), static_cast<char>(kept + 1)}) {
      file[at] = value;
      try {
        read_every_way(file);
      } catch (const FormatError& error) {
        expect_one_line(error);
      }
    }
    file[at] = kept;
  }
}

}  // namespace fovea::test
