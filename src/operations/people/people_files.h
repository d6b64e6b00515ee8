// Detected people as files for other programs: COCO JSON, CSV, Parquet, YOLO and labelme. Results
// are written soon after they are added, so that an endless video takes no memory.
#pragma once
#include <fovea/io/place.h>
#include <fovea/people/detection.h>

#include <memory>
#include <string>
#include <vector>

namespace fovea::operations {

enum class PeopleFormat : unsigned char {
  kCoco,         // with images, annotations and categories
  kCocoResults,  // a bare array, as pycocotools' loadRes() reads it
  kCsv,
  kParquet,
  kYolo,     // a folder with one text file per image
  kLabelme,  // a folder with one JSON file per image
};

// One image or frame and the people in it.
struct PeopleFrame {
  io::Place place{};
  Extent size{};
  std::vector<people::Detection> people{};
};

class PeopleFile {
 public:
  virtual ~PeopleFile() = default;
  virtual void add(const PeopleFrame& frame) = 0;
  // Completes the file and gives it its name; `info` is a JSON object that says how it was made.
  virtual void commit(const std::string& info);
};

// Opens the file or makes the folder, so that one that cannot be written is reported before the
// work begins. "-" is the standard output.
std::unique_ptr<PeopleFile> people_file(PeopleFormat format, const std::string& path);

}  // namespace fovea::operations
