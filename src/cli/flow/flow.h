// What the verbs of fovea flow share: images and masks as estimators take them, memory in use, and
// pictures of fields.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The most memory that this process has had at a time, in bytes.
std::uint64_t peak_memory_bytes();

// What a piece of work takes beside what was there before it: host memory of the whole process,
// between the making of the object and working_bytes().
class MemoryWatch {
 public:
  MemoryWatch();
  // Less `kept_bytes`, which are the result's.
  std::uint64_t working_bytes(std::uint64_t kept_bytes) const;

 private:
  std::uint64_t before_ = 0;
};

// One quality for both methods. Of block matching it chooses fields that are left at their
// defaults.
void set_quality(flow::FlowOptions& options, flow::Quality quality);

// An image as an estimator takes it: 8 or 16 bits or float, one, three or four channels.
io::AnyImage flow_image(io::AnyImage image);
// Two of them, of one size and one kind of sample; the names stand in messages.
struct ImagePair {
  io::AnyImage first, second;
};
ImagePair read_pair(const std::string& first, const std::string& second);

// An image file whose black pixels are left out; empty for an empty path.
Image<std::uint8_t> read_mask(const std::string& path);

flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask);

enum class FlowPicture : unsigned char { kWheel, kArrows, kWarp, kConfidence, kError };
std::span<const Choice> choices(FlowPicture);

// A picture asked for on the command line.
struct PictureFile {
  FlowPicture kind = FlowPicture::kWheel;
  std::string path{};
};
// Throws InvalidArgument for a word that names no picture.
std::vector<PictureFile> picture_files(std::span<const WordAndFile> words);

// What pictures are drawn from; images are bytes, and what a picture does not need may be empty.
struct PictureSource {
  ImageView<const std::uint8_t> first{};
  ImageView<const std::uint8_t> second{};
  io::FlowFieldView field;
  ImageView<const float> confidence{};
  double longest = 0;  // motion with the wheel's full color; 0: the field's longest
};
Image<std::uint8_t> draw_flow(FlowPicture kind, const PictureSource& source, const Exec& exec);

// Numbers that sum a field up.
struct MotionFacts {
  double mean_motion = 0;      // pixels
  double longest_motion = 0;   // pixels
  double mean_confidence = 0;  // 0 to 1
};
MotionFacts motion_facts(const flow::Flow& field);

}  // namespace fovea::cli
