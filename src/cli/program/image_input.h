// Reads the images and videos of verbs, which may be no larger than --max-pixels allows.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/program/command.h"
#include "operations/files.h"

namespace fovea::cli {

using operations::image_bytes;
using operations::known_image;

// An image file, or standard input for "-". Throws Cancelled where the user interrupts the wait for
// a pipe.
io::AnyImage read_input(const Context& context, const std::string& path,
                        io::Orientation orientation = io::Orientation::kIgnore);
// The same for verbs that can do nothing with a pixel that is NaN or infinite.
io::AnyImage read_finite_input(const Context& context, const std::string& path,
                               io::Orientation orientation = io::Orientation::kIgnore);

// How videos are read: no larger than --max-pixels, by what --hardware names, as far as --frames
// and
// --seconds go, until the user stops.
io::VideoReadOptions video_options(const Context& context,
                                   io::VideoColor color = io::VideoColor::kRgb);
// Opens an input as a video: a file, images, a pipe, a camera or a stream.
io::VideoReader open_video(const Context& context, const std::string& input,
                           const io::VideoReadOptions& options);
// Throws InvalidArgument for a camera or stream of which all frames would have to be kept, unless
// --frames or --seconds ends it.
void require_end(const Context& context, const std::string& input);
// Notes what the reader of an input has to tell about itself once it has read a frame.
void note_reading(const Context& context, const std::string& input, const io::VideoReader& reader);
// ", 12 dropped" for lines about a video, or nothing where none was.
std::string dropped_text(const io::VideoReader& reader);

// The files that frames of an input stand in: a video itself, or the images of a folder or glob.
class FrameFiles {
 public:
  // Throws IoError where there is no such file, or no image in a folder.
  explicit FrameFiles(const std::string& input);
  // The file of a frame, and the number that the frame has in it.
  std::pair<std::string, std::int64_t> at(std::int64_t frame) const;

 private:
  std::string input_;
  std::vector<std::string> images_{};  // empty: the input is one file
};

// Throws FormatError that names the file and the first pixel that is NaN or infinite and that the
// mask (empty, or of the image's size) does not leave out: such a pixel is a fault of the file, not
// of the command line.
void require_finite_file(const std::string& path, const io::AnyImage& image,
                         ImageView<const std::uint8_t> mask = {});

}  // namespace fovea::cli
