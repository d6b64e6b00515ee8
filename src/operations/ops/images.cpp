#include "operations/ops/images.h"

#include <fovea/io/samples.h>

#include <algorithm>
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

namespace {

// Rows from `first` up to `last` as floats; those beyond the image are taken from its other end.
template <class T>
Image<float> float_rows(ImageView<const T> image, int first, int last) {
  Image<float> rows(image.width, last - first, image.channels);
  for (int y = first; y < last; ++y) {
    const T* from = image.row((y % image.height + image.height) % image.height);
    std::transform(from, from + image.row_elements(), rows.row(y - first),
                   [](T sample) { return static_cast<float>(sample); });
  }
  return rows;
}

// Calls take(first row, rows) for each strip of the result.
template <class T, class Take>
void in_strips(ImageView<const T> image, const RowReach& reach, const FloatWork& work,
               const Take& take) {
  const std::uint64_t row_bytes = sizeof(float) * static_cast<std::uint64_t>(image.row_elements());
  const auto most = static_cast<int>(std::clamp<std::uint64_t>(
      reach.strip_bytes / std::max<std::uint64_t>(row_bytes, 1), 1, 1U << 30U));
  const int height = std::max(most, reach.rows + 1);
  if (height >= image.height) {
    const Image<float> in = float_rows(image, 0, image.height);
    Image<float> out(image.width, image.height, image.channels);
    work(in, out);
    return take(0, out.view());
  }
  const bool wraps = reach.border == Border::kWrap;
  for (int first = 0; first < image.height; first += height) {
    const int last = std::min(first + height, image.height);
    const int above = wraps ? reach.rows : std::min(reach.rows, first);
    const int below = wraps ? reach.rows : std::min(reach.rows, image.height - last);
    const Image<float> in = float_rows(image, first - above, last + below);
    Image<float> out(in.width(), in.height(), in.channels());
    work(in, out);
    take(first, out.view().crop(0, above, out.width(), last - first));
  }
}

}  // namespace

io::AnyPixels through_float(const io::AnyImage& image, const RowReach& reach,
                            const FloatWork& work) {
  return std::visit(
      [&]<class T>(const ImageView<const T>& view) -> io::AnyPixels {
        Image<T> result(view.width, view.height, view.channels);
        in_strips(view, reach, work, [&](int first, ImageView<const float> rows) {
          const Image<T> strip = io::samples_from<T>(rows);
          copy(strip.view(), result.view().crop(0, first, rows.width, rows.height));
        });
        return result;
      },
      image.view());
}

Image<float> to_float_through(const io::AnyImage& image, const RowReach& reach,
                              const FloatWork& work) {
  Image<float> result(image.width(), image.height(), image.channels());
  std::visit(
      [&](const auto& view) {
        in_strips(view, reach, work, [&](int first, ImageView<const float> rows) {
          copy(rows, result.view().crop(0, first, rows.width, rows.height));
        });
      },
      image.view());
  return result;
}

std::uint64_t strips_memory(std::uint64_t samples) {
  constexpr std::uint64_t kFloats = 3;  // of a strip, its result, and what rounds it
  return kFloats * std::min(sizeof(float) * samples, 2 * kStripBytes);
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
