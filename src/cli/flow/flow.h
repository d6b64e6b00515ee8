// What the verbs of fovea flow share: images and masks as estimators take them, memory in use, and
// pictures of fields.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>
#include <fovea/io/json_writer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The most memory that this process has had at a time, in bytes.
std::uint64_t peak_memory_bytes();

// Measures the host memory that a piece of work takes beside what the process had before: from the
// construction of the object to working_bytes().
class MemoryWatch {
 public:
  MemoryWatch();
  // Without `kept_bytes`, which belong to the result.
  std::uint64_t working_bytes(std::uint64_t kept_bytes) const;

 private:
  std::uint64_t before_ = 0;
};

// An image as an estimator takes it: 8 or 16 bits or float, one, three or four channels.
io::AnyImage flow_image(io::AnyImage image);
// Two such images of one size and one kind of sample.
struct ImagePair {
  io::AnyImage first, second;
};
// Throws InvalidArgument that names the files where their sizes differ, and FormatError that names
// the file and the first pixel that is NaN or infinite and that the mask (empty, or of the images'
// size) does not leave out.
ImagePair read_pair(const std::string& first, const std::string& second,
                    ImageView<const std::uint8_t> mask = {},
                    const io::ImageReadOptions& options = {});
// An image as pictures are drawn from it: bytes, gray or RGB.
Image<std::uint8_t> picture_bytes(const io::AnyImage& image);

// An image file whose black pixels are left out; empty for an empty path.
Image<std::uint8_t> read_mask(const std::string& path, const io::ImageReadOptions& options = {});

flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask);

enum class FlowPicture : unsigned char { kWheel, kArrows, kWarp, kConfidence, kError };
std::span<const Choice> choices(FlowPicture);

// A picture that the command line names.
struct PictureFile {
  FlowPicture kind = FlowPicture::kWheel;
  std::string path{};
};
// Throws InvalidArgument for a word that names no picture.
std::vector<PictureFile> picture_files(std::span<const WordAndFile> words);

// What pictures are drawn from. Images are bytes, and what a picture does not need may be empty.
struct PictureSource {
  ImageView<const std::uint8_t> first{};
  ImageView<const std::uint8_t> second{};
  io::FlowFieldView field;
  ImageView<const float> confidence{};
  std::optional<double> longest{};  // motion with the wheel's full color
};
Image<std::uint8_t> draw_flow(FlowPicture kind, const PictureSource& source, const Exec& exec);

// Numbers that sum a field up, over the pixels that are known.
struct MotionFacts {
  double known_share = 0;
  double mean_motion = 0;     // pixels
  double longest_motion = 0;  // pixels
};
MotionFacts motion_facts(const io::FlowFieldView& field);

// The mean over the pixels that the field knows.
double mean_confidence(const flow::Flow& flow, const io::FlowFieldView& field);

// A field from u and v of every pixel in turns, as rivals return it.
io::FlowField field_of(const float* vectors, Extent size);

}  // namespace fovea::cli
