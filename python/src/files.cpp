// Files: images, frames of videos, models by name.
#include <fovea/core/error.h>
#include <fovea/io/frames.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/models.h>
#include <fovea/io/npy.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "arrays.h"
#include "errors.h"
#include "options.h"
#include "systems.h"

namespace fovea::python {
namespace {

nb::object read_image(const std::string& path, const nb::dict& keywords) {
  io::ImageReadOptions options{.orientation = io::Orientation::kApply};
  set_keywords(options, keywords, "read_image");
  return marked_rgb(to_numpy(unlocked([&] { return io::read_image(path, options); })));
}

// An image as detectors read it: bytes without opacity, turned upright.
nb::object read_bytes(const std::string& path) {
  return marked_rgb(to_numpy(unlocked([&] {
    io::AnyImage image = io::read_image(path, {.orientation = io::Orientation::kApply});
    if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
    return io::to_bytes(std::move(image));
  })));
}

// An image as bytes of red, green and blue, to draw on.
nb::object rgb_bytes(nb::handle image) {
  const ImageInput input = byte_image(image);
  const auto view = input.of<std::uint8_t>();
  const int green = view.channels == 1 ? 0 : 1, blue = 2 * green;
  NewImage<std::uint8_t> out({view.width, view.height}, 3);
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* from = view.row(y);
    std::uint8_t* to = out.view().row(y);
    for (int x = 0; x < view.width; ++x, from += view.channels, to += 3) {
      to[0] = from[0];
      to[1] = from[green];
      to[2] = from[blue];
    }
  }
  return marked_rgb(std::move(out).to_numpy());
}

// A mask as the program reads it: one channel, as it is stored.
nb::object read_mask(const std::string& path) {
  return to_numpy(unlocked([&] {
    io::AnyImage image = io::read_image(path, {});
    if (image.channels() > 4)
      throw FormatError(
          fmt::format("{}: has {} channels; a mask is gray or RGB", path, image.channels()));
    if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
    return io::to_gray(io::to_bytes(std::move(image)).view());
  }));
}

// Files of results that are texts or arrays: whole or not at all.
void write_text(const std::string& path, const std::string& text) {
  nb::gil_scoped_release gil_release;
  io::FileSink file(path);
  file.write(text);
  file.commit();
}
void write_floats(const std::string& path, nb::handle values) {
  const AnyArray array = dense_array<float>(values, "values", {1, 2});
  std::vector<std::size_t> shape;
  shape.reserve(array.ndim());
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.push_back(array.shape(axis));
  nb::gil_scoped_release gil_release;
  io::write_array(path, io::DType::kFloat32, shape, array.data());
}

void write_image(const std::string& path, nb::handle image, const nb::dict& keywords) {
  using enum io::SampleType;
  const auto options = options_of<io::ImageWriteOptions>(keywords, "write_image");
  const ImageInput input =
      image_input(image, {"image",
                          {kUint8, kUint16, kUint32, kInt8, kInt16, kInt32, kFloat32, kFloat64},
                          {1, 2, 3, 4}});
  nb::gil_scoped_release gil_release;
  io::write_image(path, input.view, options);
}

// The options of videos; Python has frames in the order of OpenCV besides.
nb::list video_table() {
  nb::list table = option_table<io::VideoReadOptions>();
  for (nb::handle entry : table) {
    if (text_of(nb::object(entry["name"])) != "color") continue;
    nb::cast<nb::list>(entry["words"]).append("bgr");
    entry["accepts"] = "rgb, bgr or gray";
  }
  return table;
}

// A frame that is still encoded, so that threads of Python can decode several at a time.
struct EncodedFrame {
  io::StoredFrame stored;
};

nb::tuple decode(const EncodedFrame& encoded) {
  io::Frame frame;
  {
    nb::gil_scoped_release gil_release;
    encoded.stored.decode(frame);
  }
  const std::int64_t number = frame.frame;
  const double seconds = frame.seconds;
  const bool deep = frame.deep_image.width() > 0;
  nb::object image =
      deep ? to_numpy(std::move(frame.deep_image)) : to_numpy(std::move(frame.image));
  return nb::make_tuple(marked_rgb(std::move(image)), number, seconds);
}

class Reader {
 public:
  Reader(const std::string& source, const nb::dict& keywords) {
    set_keywords(options_, keywords, "read_video");
    options_.stop = stop_.get_token();
    nb::gil_scoped_release gil_release;
    reader_.emplace(source, options_);
  }

  // The next frame, or None at the end.
  std::unique_ptr<EncodedFrame> fetch() {
    auto frame = std::make_unique<EncodedFrame>();
    nb::gil_scoped_release gil_release;
    const std::lock_guard lock(mutex_);
    return reader().fetch(frame->stored) ? std::move(frame) : nullptr;
  }
  void close() {
    stop_.request_stop();
    nb::gil_scoped_release gil_release;
    const std::lock_guard lock(mutex_);
    reader_.reset();
  }
  std::int64_t expected() { return reader().expected_frames(); }
  bool drops_frames() { return reader().drops_frames(); }
  nb::dict info() {
    const io::VideoInfo& info = reader().info();
    nb::dict facts;
    facts["size"] = std::pair(info.size.width, info.size.height);
    facts["frame_rate"] = info.rate.value();
    facts["format"] = info.format;
    facts["codec"] = info.codec;
    facts["frames"] = reader().expected_frames();
    facts["live"] = info.live;
    facts["dropped"] = reader().dropped();
    return facts;
  }

 private:
  io::VideoReader& reader() {
    if (!reader_) throw InvalidArgument("the video is closed");
    return *reader_;
  }

  std::mutex mutex_;  // of the reader
  std::stop_source stop_;
  io::VideoReadOptions options_;
  std::optional<io::VideoReader> reader_;
};

// How many workers suit a device for so many frames, and how many threads each of them gets.
std::pair<int, int> plan_workers(const std::string& device, int threads, std::int64_t frames) {
  const io::FrameWorkers plan = io::plan_frame_workers(
      {.device = usable_device(parse_device(device)), .threads = threads}, frames);
  return {plan.count, plan.threads};
}

}  // namespace

void bind_files(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("files");
  m.def("read_image", &read_image);
  m.def("read_bytes", &read_bytes);
  m.def("read_mask", &read_mask);
  m.def("rgb_bytes", &rgb_bytes);
  m.def("write_image", &write_image);
  m.def("read_image_options", &option_table<io::ImageReadOptions>);
  m.def("write_image_options", &option_table<io::ImageWriteOptions>);
  m.def("read_video_options", &video_table);
  m.def("find_model", [](const std::string& name, nb::handle system) {
    if (!PyUnicode_Check(system.ptr()))
      throw_invalid_type("system is " + shown(system) + "; expected a text such as 'people'");
    return io::find_model(name, text_of(system));
  });
  m.def("shipped_models", [](const std::string& system) { return io::shipped_models(system); });
  m.def("plan_workers", &plan_workers);
  m.def("write_text", &write_text);
  m.def("write_floats", &write_floats);
  m.def("image_paths", [](const std::string& folder) {
    return io::expand_inputs(std::vector<std::string>{folder}, io::image_files());
  });
  m.def("is_live_source", &io::is_live_source);
  m.def("source_name", &io::source_name);
  // Whether FFmpeg's libraries are here for video files, and by which version or why not.
  m.def("video_support", [] {
    const Feature feature = io::video_feature();
    return std::pair(feature.usable, feature.detail);
  });
  nb::class_<EncodedFrame>(m, "EncodedFrame").def("decode", &decode);
  nb::class_<Reader>(m, "Reader")
      .def(nb::init<const std::string&, const nb::dict&>())
      .def("fetch", &Reader::fetch)
      .def("close", &Reader::close)
      .def_prop_ro("expected", &Reader::expected)
      .def_prop_ro("drops_frames", &Reader::drops_frames)
      .def_prop_ro("info", &Reader::info);
  bind_video_writing(m);
}

}  // namespace fovea::python
