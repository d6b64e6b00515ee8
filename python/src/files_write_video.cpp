// Videos that Python writes, frame by frame.
#include <fovea/core/error.h>
#include <fovea/io/video.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "arrays.h"
#include "errors.h"
#include "options.h"
#include "systems.h"

namespace fovea::python {
namespace {

// The options of the library; the frame rate is called as OpenCV and imageio call it, and may
// follow from the frames.
struct VideoFileOptions {
  io::VideoWriteOptions written;
  std::optional<double> fps;
};

template <class Function>
void for_each_keyword(VideoFileOptions& options, Function function) {
  for_each_option(options.written, [&](OptionField field) {
    if (field.name == "frame-rate") {
      field.name = "fps";
      field.value = &options.fps;
      field.traits.absent = "that of the video that the frames come from, or 25";
    }
    function(field);
  });
}

class VideoFile {
 public:
  // `source_rate` is that of the video that the frames come from, or 0.
  VideoFile(const std::string& path, const nb::dict& keywords, double source_rate) {
    auto options = options_of<VideoFileOptions>(keywords, "write_video");
    if (source_rate > 0) options.written.frame_rate = source_rate;
    if (options.fps) options.written.frame_rate = *options.fps;
    nb::gil_scoped_release gil_release;
    writer_.emplace(path, options.written);
  }

  void write(nb::handle frame, std::int64_t number) {
    const std::string name = fmt::format("frames[{}]", number);
    const ImageInput input = image_input(
        frame, {name.c_str(), {io::SampleType::kUint8, io::SampleType::kUint16}, {1, 3}});
    nb::gil_scoped_release gil_release;
    if (std::holds_alternative<ImageView<const std::uint8_t>>(input.view))
      writer_->write(input.of<std::uint8_t>());
    else writer_->write(input.of<std::uint16_t>());
  }
  void finish() {
    nb::gil_scoped_release gil_release;
    writer_->finish();
  }
  // Removes what is unfinished.
  void close() {
    nb::gil_scoped_release gil_release;
    writer_.reset();
  }

 private:
  std::optional<io::VideoWriter> writer_;
};

}  // namespace

void bind_video_writing(nb::module_& m) {
  m.def("write_video_options", &option_table<VideoFileOptions>);
  nb::class_<VideoFile>(m, "VideoFile")
      .def(nb::init<const std::string&, const nb::dict&, double>())
      .def("write", &VideoFile::write)
      .def("finish", &VideoFile::finish)
      .def("close", &VideoFile::close);
}

}  // namespace fovea::python
