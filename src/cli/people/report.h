// People found, as files for other programs: COCO's JSON and CSV, both complete or absent. What is
// added goes to disk at once: an endless video takes no memory.
#pragma once
#include <fovea/people/detection.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// One image or frame and who is in it.
struct PeopleFrame {
  std::string input;
  int width = 0;
  int height = 0;
  std::int64_t frame = -1;  // of a video, from 0; -1: an image
  double time_seconds = 0;
  std::vector<people::Detection> people;
};

class PeopleFiles {
 public:
  // Empty paths: no such file. Made at once, so that what cannot be written is said first.
  PeopleFiles(const std::string& coco, const std::string& csv);
  ~PeopleFiles();
  void add(const PeopleFrame& frame);
  // Completes the files; `info` is a JSON object that says how they were made.
  void commit(const std::string& info);

 private:
  class Coco;
  class Csv;
  std::unique_ptr<Coco> coco_;
  std::unique_ptr<Csv> csv_;
};

// [{"box": [x, y, width, height], "score": s, "scale": s}, ...]
std::string people_json(const std::vector<people::Detection>& people);

}  // namespace fovea::cli
