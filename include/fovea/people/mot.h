#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/options_fwd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Boxes with identities as text, in the form of the MOT challenge (Leal-Taixe et al., 2015). A line
// is
//   frame, id, x, y, width, height[, confidence[, class[, visibility]]]
// with commas, semicolons, tabs or spaces between the numbers. Files count frames and pixels from
// 1; here both count from 0. The files are not trusted: a damaged one is a FormatError whose
// message names file and line.
namespace fovea::people {

// One box of a file: a person in a frame.
struct MotBox {
  std::int64_t frame = 0;  // from 0
  int id = -1;             // from 1; -1 for a detection, which has no identity
  Rect<double> box{};      // pixels from 0
  double score = 1;        // the confidence; in files of true boxes 0 means that it does not count
  int label = -1;          // the class; 1 is a pedestrian, -1 where the file does not say
  double visibility = -1;  // share of the person that can be seen; -1 where the file does not say

  bool operator==(const MotBox&) const = default;
};

struct MotReadOptions {
  int origin = 1;           // coordinate of the first pixel in the file, 0 or 1
  bool identities = true;   // every line must have an id from 0 on that its frame has not had yet;
                            // otherwise ids are not looked at, as files of detections have none
  bool pedestrians = true;  // leaves out other classes
};
FOVEA_API void describe(OptionVisitor& visit, MotReadOptions& options);

// The boxes of a file, ordered by frame; within a frame they keep their order. Lines may come in
// any order. A file without lines has no boxes.
FOVEA_API std::vector<MotBox> read_mot(const std::string& path, const MotReadOptions& options = {});
// The same from memory; messages call it `name`.
FOVEA_API std::vector<MotBox> parse_mot(std::span<const std::byte> data, const std::string& name,
                                        const MotReadOptions& options = {});

// One line, with its line break: frame, id, box, confidence and -1,-1,-1; or, where the class or
// the visibility are known, these instead.
FOVEA_API std::string mot_line(const MotBox& box);

}  // namespace fovea::people
