// Detected people as files for other programs: COCO JSON, CSV, Parquet, YOLO and labelme. Results
// are written soon after they are added, so that an endless video takes no memory.
#pragma once
#include <fovea/io/place.h>
#include <fovea/people/detection.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// Where the files go. Files with an empty name are not written; "-" is the standard output.
struct PeopleOutputs {
  std::string coco{};          // COCO JSON with images, annotations and categories
  std::string coco_results{};  // COCO results: a bare array, as pycocotools' loadRes() reads it
  std::string csv{};
  std::string parquet{};
  std::string yolo{};     // folder with one text file per image
  std::string labelme{};  // folder with one JSON file per image
};
void describe(OptionVisitor& visit, PeopleOutputs& outputs);

// One image or frame and the people in it.
struct PeopleFrame {
  io::Place place{};
  Extent size{};
  std::vector<people::Detection> people{};
};
void describe(FieldVisitor& visit, PeopleFrame& frame);

class PeopleFiles {
 public:
  // Opens the files and makes the folders, so that a file that cannot be written is reported before
  // the work begins.
  explicit PeopleFiles(const PeopleOutputs& outputs);
  ~PeopleFiles();
  void add(const PeopleFrame& frame);
  // Completes the files and gives them their names; `info` is a JSON object that says how they were
  // made.
  void commit(const std::string& info);
  // The number of images and frames that were added.
  std::int64_t count() const { return count_; }

 private:
  class Writer;
  class Coco;
  class CocoResults;
  class Table;
  class Folder;
  class Yolo;
  class Labelme;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::int64_t count_ = 0;
};

}  // namespace fovea::cli
