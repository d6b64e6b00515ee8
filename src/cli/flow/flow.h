// What the verbs of fovea flow share: images and masks in the form that estimators take, memory in
// use, and pictures of fields.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// Chooses the device as resolve_device() does. Where a GPU lacks what the options ask for, `auto`
// is the CPU, and InvalidArgument is thrown for a GPU.
Device resolve_flow_device(const flow::FlowOptions& options, Context& context);

// The most memory that this process has used at a time, in bytes.
std::uint64_t peak_memory_bytes();

// Measures the host memory that a piece of work takes in addition to what the process used before,
// from the construction of the object to working_bytes().
class MemoryWatch {
 public:
  MemoryWatch();
  // Does not count `kept_bytes`, which belong to the result.
  std::uint64_t working_bytes(std::uint64_t kept_bytes) const;

 private:
  std::uint64_t before_ = 0;
};

// Converts an image for an estimator: 8 or 16 bits or float; one, three or four channels.
io::AnyImage flow_image(io::AnyImage image);
// Two such images of one size and one kind of sample. The masks are empty unless they come from the
// images themselves.
struct ImagePair {
  io::AnyImage first, second;
  Image<std::uint8_t> first_mask{}, second_mask{};
};
// Throws a FormatError that names the files where their sizes differ, and one that
// names the file and the first pixel that is NaN or infinite, unless the mask (empty, or of the
// images' size) excludes it.
ImagePair read_pair(const std::string& first, const std::string& second,
                    ImageView<const std::uint8_t> mask = {},
                    const io::ImageReadOptions& options = {});
// Reads a pair whose masks are the alpha channels of its images. Throws a FormatError that names an
// image without alpha.
ImagePair read_alpha_pair(const std::string& first, const std::string& second,
                          const io::ImageReadOptions& options = {});
// 255 where the image is not wholly transparent, else 0. Throws InvalidArgument where it has no
// alpha channel.
Image<std::uint8_t> alpha_mask(const io::AnyImage& image);
// Converts an image for drawing: bytes, gray or RGB.
Image<std::uint8_t> picture_bytes(const io::AnyImage& image);

// Reads an image file as a mask, whose black pixels are excluded; empty for an empty path.
Image<std::uint8_t> read_mask(const std::string& path, const io::ImageReadOptions& options = {});

// The mask is that of the first image. Where it is empty, the pair's own masks count.
flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask);

enum class FlowPicture : unsigned char { kWheel, kArrows, kWarp, kConfidence, kError };
std::span<const Choice> choices(FlowPicture);

// A picture that the command line requests.
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
  std::optional<double> longest{};  // motion that is drawn with the wheel's full color
};
Image<std::uint8_t> draw_flow(FlowPicture kind, const PictureSource& source, const Exec& exec);

// A file that was written, or nothing where the command line names none.
inline std::optional<std::string> written_file(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

// Makes a field from interleaved u and v of all pixels, the form in which rivals return it.
io::FlowField field_of(const float* vectors, Extent size);

}  // namespace fovea::cli
