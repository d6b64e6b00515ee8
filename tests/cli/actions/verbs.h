// A model that is trained on small videos, for the tests of the verbs that use one.
#pragma once
#include <fovea/io/video.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "actions/videos.h"
#include "cli/program/program.h"

namespace fovea::cli {

// Options that make clips of some dozens of small frames enough.
inline std::vector<std::string> small(std::vector<std::string> words) {
  words.insert(words.end(), {"--nodes", "12", "--step", "6"});
  return words;
}

class ActionsVerbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempFolder;
    actions::write_swing_folder(*folder_ / "clips", 3);
    model_ = *folder_ / "m.safetensors";
    trained_ = run_here(small({"actions", "train", *folder_ / "clips", "-o", model_, "--json"}));
  }
  static void TearDownTestSuite() { delete folder_; }

  static inline test::TempFolder* folder_ = nullptr;
  static inline std::string model_;
  static inline Ended trained_;
};

inline std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline int frames_in(const std::string& path) {
  io::VideoReader reader(path);
  int frames = 0;
  for (io::Frame frame; reader.next(frame);) ++frames;
  return frames;
}

}  // namespace fovea::cli
