// What the verbs of fovea ops share: images in, files out, several at a time.
#pragma once
#include <fovea/io/image_io.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The options that every such verb has.
struct ImageFiles {
  std::string output{};                                    // a file, a folder or a pattern
  io::Orientation orientation = io::Orientation::kIgnore;  // whether inputs are turned upright
};
void describe(OptionVisitor& visit, ImageFiles& files);

// The argument INPUT... that every such verb takes.
Argument image_inputs();

// What is printed of an image besides its files. A verb sets what it has beyond the first line.
struct ImageNumbers {
  int width = 0, height = 0, channels = 0;
  std::optional<int> output_width{}, output_height{};
  std::optional<int> kernel_width{}, kernel_height{};
  std::optional<int> levels{};
};
void describe(FieldVisitor& visit, ImageNumbers& numbers);

// What is made from one image.
struct ImageResult {
  struct File {
    std::string path;
    io::AnyImage image;
  };
  std::vector<File> files{};
  ImageNumbers numbers{};
};
ImageResult one_file(const std::string& path, io::AnyImage image, const ImageNumbers& numbers = {});
// Several threads call it at the same time. `output` is the path that belongs to the image.
using ImageWork = std::function<ImageResult(io::AnyImage& image, const std::string& output)>;

// Chooses the device, sets `execs`, which belong to the options that `work` uses, calls `work` for
// every image of the command line and writes what it makes. Results in a folder end in `extension`,
// such as ".npy", or as their inputs do where it is empty. `copies` is the memory that an image
// takes with its result and what is between them, in multiples of the image.
int run_on_images(Context& context, const ImageFiles& files, std::string_view extension,
                  std::initializer_list<Exec*> execs, const ImageWork& work,
                  std::uint64_t copies = 8);

// Facts of a byte image that is made from an image with these facts: its orientation is the same.
io::ImageFacts facts_of_bytes(const io::ImageFacts& source);

// Turns an operation over float values into one over samples of any type.
using FloatWork = std::function<void(ImageView<const float> in, ImageView<float> out)>;
io::AnyPixels through_float(const io::AnyImage& image, const FloatWork& work);

}  // namespace fovea::cli
