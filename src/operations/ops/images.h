// What the operations on images share: an image in, files out.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/ops/convolve.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "operations/make_operation.h"

namespace fovea::operations {

// What is printed of an image besides its files. An operation sets what it has beyond the first
// line.
struct ImageNumbers {
  int width = 0, height = 0, channels = 0;
  std::optional<int> output_width{}, output_height{};
  std::optional<int> kernel_width{}, kernel_height{};
  std::optional<int> levels{};
};
void describe(FieldVisitor& visit, ImageNumbers& numbers);

struct Filtered {
  io::AnyImage input{};
  std::vector<io::AnyImage> made{};
  ImageNumbers numbers{};
};
// Takes what was made of the input, whose pixels are freed; its facts stay.
void make(Filtered& item, io::AnyImage image);

void describe_orientation(OptionVisitor& visit, io::Orientation& orientation);

// Facts of a byte image that is made from an image with these facts: its orientation is the same.
io::ImageFacts facts_of_bytes(const io::ImageFacts& source);

// Turns an operation over float values into one over samples of any type. An image whose floats
// take much memory is worked on in strips, which give the same bits: a row of the result depends on
// so many rows of the image above and below it, and on those beyond its border.
inline constexpr std::uint64_t kStripBytes = std::uint64_t{64} << 20U;
struct RowReach {
  int rows = 0;
  Border border = Border::kReflect101;
  std::uint64_t strip_bytes = kStripBytes;  // of floats in a strip, unless the reach is higher
};
using FloatWork = std::function<void(ImageView<const float> in, ImageView<float> out)>;
io::AnyPixels through_float(const io::AnyImage& image, const RowReach& reach,
                            const FloatWork& work);
// The same with a float result.
Image<float> to_float_through(const io::AnyImage& image, const RowReach& reach,
                              const FloatWork& work);
// What strips take beside an image of so many samples and its result.
std::uint64_t strips_memory(std::uint64_t samples);

// The argument INPUT... that every such verb takes.
Argument image_inputs();
Output image_output(std::string_view ending);
void take_image(io::AnyImage image, Filtered& item);
RecordRef sample_numbers();

// An operation that `run` does, with options that have an `orientation`. Files in a folder end in
// `ending`, such as ".npy", or as their inputs do where it is empty.
template <class Options>
Parts<Options, Filtered> image_parts(const Words& words, std::string_view ending,
                                     void (*run)(const Options&, NoWorker&, Filtered&)) {
  Parts<Options, Filtered> parts{.words = words, .input = InputKind::kImage, .needs_output = true};
  parts.words.arguments = {image_inputs()};
  parts.outputs = {{.about = image_output(ending),
                    .write = [](const Options&, const Filtered& item, const std::string& path) {
                      io::write_image(path, item.made[0]);
                    }}};
  parts.read = [](const Options& options, const Source& source, Filtered& item) {
    take_image(source.image(options.orientation), item);
  };
  parts.run = run;
  // An image with its result and what is between them.
  parts.memory = [](const Options&, std::uint64_t bytes) { return 8 * bytes; };
  parts.result = [](const Filtered& item) { return record_ref(item.numbers); };
  parts.images = [](Filtered& item) -> std::vector<io::AnyImage>& { return item.made; };
  return parts;
}

template <class Options>
Operation image_operation(Parts<Options, Filtered> parts) {
  return make_operation<Options, Filtered>(std::move(parts), sample_numbers);
}

}  // namespace fovea::operations
