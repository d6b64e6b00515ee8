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

// Options that make clips of some dozens of small frames enough, and points quick to find: most of
// the time of these tests goes into them.
inline std::vector<std::string> small(std::vector<std::string> words) {
  words.insert(words.end(), {"--nodes", "12", "--step", "6", "--harris-levels", "2",
                             "--harris-scales", "1", "--harris-threshold", "1e-13"});
  return words;
}

// Clips of three actions by three subjects and what training on them printed. They are made once:
// several suites use them.
struct TrainedOnClips {
  TrainedOnClips() {
    actions::write_swing_folder(folder / "clips", 3);
    trained = run_here(small({"actions", "train", folder / "clips", "-o", model, "--json"}));
  }

  test::TempFolder folder;
  std::string model = folder / "m.safetensors";
  Ended trained;
};

class ActionsVerbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const TrainedOnClips kMade;
    folder_ = &kMade.folder;
    model_ = kMade.model;
    trained_ = kMade.trained;
  }

  static inline const test::TempFolder* folder_ = nullptr;
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
