#include "operations/ops/images.h"

#include <fovea/io/samples.h>

#include <utility>

namespace fovea::operations {

void describe(FieldVisitor& visit, ImageNumbers& numbers) {
  visit("width", numbers.width, "of the input", {.unit = "pixels"});
  visit("height", numbers.height, "of the input", {.unit = "pixels"});
  visit("channels", numbers.channels, "of the input");
  visit("output_width", numbers.output_width, "of the result", {.unit = "pixels"});
  visit("output_height", numbers.output_height, "of the result", {.unit = "pixels"});
  visit("kernel_width", numbers.kernel_width, "of the kernel", {.unit = "pixels"});
  visit("kernel_height", numbers.kernel_height, "of the kernel", {.unit = "pixels"});
  visit("levels", numbers.levels, "of the pyramid");
}

void make(Filtered& item, io::AnyImage image) {
  item.made.clear();
  item.made.push_back(std::move(image));
  item.input.pixels = Image<std::uint8_t>{};
}

void describe_orientation(OptionVisitor& visit, io::Orientation& orientation) {
  visit("orientation", orientation,
        "apply turns inputs upright as their EXIF tag says; ignore takes them as they are stored");
}

io::ImageFacts facts_of_bytes(const io::ImageFacts& source) {
  io::ImageFacts facts;
  facts.orientation = source.orientation;
  facts.oriented = source.oriented;
  return facts;
}

io::AnyPixels through_float(const io::AnyImage& image, const FloatWork& work) {
  const auto in = io::samples_as<float>(image.view());
  Image<float> out(image.width(), image.height(), image.channels());
  work(in, out);
  return std::visit(
      [&]<class T>(const ImageView<const T>&) -> io::AnyPixels { return io::samples_from<T>(out); },
      image.view());
}

Argument image_inputs() {
  return {"INPUT",
          "images: files, folders, DIR/** with all folders below, globs, @list, or - for standard "
          "input",
          1, kAnyNumber};
}

Output image_output(std::string_view ending) {
  return {.name = "output",
          .help =
              "where to write: a file, a folder, or a pattern such as out/{}.png, where {} is the "
              "name of the input",
          .result = "the file that was written, or several",
          .ending = ending};
}

void take_image(io::AnyImage image, Filtered& item) {
  item.input = std::move(image);
  item.numbers.width = item.input.width();
  item.numbers.height = item.input.height();
  item.numbers.channels = item.input.channels();
}

RecordRef sample_numbers() {
  static const ImageNumbers sample;
  return record_ref(sample);
}

}  // namespace fovea::operations
