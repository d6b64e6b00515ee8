// What operations and verbs on motion share: images and masks in the form that estimators take, and
// pictures of fields.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <optional>
#include <string>

#include "operations/operation.h"

namespace fovea::operations {

// Converts an image for an estimator: 8 or 16 bits or float; one, three or four channels.
io::AnyImage flow_image(io::AnyImage image);
// Two such images of one size and one kind of sample. The masks are empty unless they come from the
// images themselves.
struct ImagePair {
  io::AnyImage first, second;
  Image<std::uint8_t> first_mask{}, second_mask{};
};
// A source of two files.
Source pair_source(const std::string& first, const std::string& second,
                   const io::ImageReadOptions& options = {});
// Throws a FormatError that names the files where their sizes differ, and one that
// names the file and the first pixel that is NaN or infinite, unless the mask (empty, or of the
// images' size) excludes it.
ImagePair read_pair(const Source& source, ImageView<const std::uint8_t> mask = {});
// Reads a pair whose masks are the alpha channels of its images. Throws a FormatError that names an
// image without alpha.
ImagePair read_alpha_pair(const Source& source);
// 255 where the image is not wholly transparent, else 0. Throws InvalidArgument where it has no
// alpha channel.
Image<std::uint8_t> alpha_mask(const io::AnyImage& image);
// Converts an image for drawing: bytes, gray or RGB.
Image<std::uint8_t> picture_bytes(const io::AnyImage& image);

// An image as a mask, whose black pixels are excluded. Throws a FormatError that names the file
// where it has too many channels.
Image<std::uint8_t> as_mask(const std::string& path, io::AnyImage image);

// Calls work() with a view of each image, whose pixels have the type that they have in common.
template <class Work>
auto with_pixels(const ImagePair& pair, const Work& work) {
  const auto between = [&]<class T>(T) {
    return work(std::get<ImageView<const T>>(pair.first.view()),
                std::get<ImageView<const T>>(pair.second.view()));
  };
  switch (pair.first.type()) {
    case io::SampleType::kUint8: return between(std::uint8_t{});
    case io::SampleType::kUint16: return between(std::uint16_t{});
    default: return between(float{});
  }
}

// The mask is that of the first image. Where it is empty, the pair's own masks count.
flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask);

enum class FlowPicture : unsigned char { kWheel, kArrows, kWarp, kConfidence, kError };
std::span<const Choice> choices(FlowPicture);

}  // namespace fovea::operations
