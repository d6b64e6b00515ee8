// fovea.emd: targets followed by their colors or spectra.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/show.h>
#include <fovea/emd/track.h>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "define.h"
#include "emd_track_input.h"
#include "errors.h"
#include "explain.h"
#include "gpu_arrays.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using emd::Track;

constexpr double kOperationsPerTrackedPixel = 100;  // of a frame, roughly

// It does not watch for a stop: a frame that has begun is followed to its end, so that Ctrl-C
// leaves the targets where the last frame shows them.
class Tracker {
 public:
  explicit Tracker(const nb::dict& keywords)
      : options_(options_of<emd::TrackOptions>(keywords, "Tracker")),
        stream_(options_.exec.device),
        calls_(options_.exec.device),
        tracker_(on_stream()) {}

  nb::object add(nb::handle frame, nb::handle boxes) {
    const TrackInput image = input(frame, "frame");
    const std::vector<Rect<double>> targets = rect_rows<double>(boxes, "box");
    return run(image, [&](const auto& view) { return tracker_.add(view, targets); });
  }
  nb::object add_example(nb::handle frame, nb::handle example) {
    const TrackInput image = input(frame, "frame"), shown = input(example, "example");
    image.require_kind_of(shown);
    return run(image, [&](const auto& view) {
      return shown.visit(on_stream().exec, [&](const auto& pixels) {
        if constexpr (std::is_same_v<decltype(view), decltype(pixels)>)
          return std::vector<Track>{tracker_.add_example(view, pixels)};
        else return std::vector<Track>{};  // the kinds are the same
      });
    });
  }
  nb::object track(nb::handle frame) {
    const TrackInput image = input(frame, "frame");
    return run(image, [&](const auto& view) {
      std::vector<Track> tracks = tracker_.track(view);
      ++frame_;
      return tracks;
    });
  }
  nb::tuple explain(nb::handle frame, int id) {
    const TrackInput image = input(frame, "frame");
    const Work work{kOperationsPerTrackedPixel * image.samples()};
    emd::TrackExplanation why = calls_.run(work, nb::none(), [&] {
      emd::TrackExplanation found = image.visit(
          on_stream().exec, [&](const auto& view) { return tracker_.explain(view, id); });
      ++frame_;
      stream_.synchronize();
      return found;
    });
    return explanation_of(std::move(why), {});
  }
  nb::object tracks() {
    return object_of_list(calls_.run(Work{}, nb::none(), [&] { return tracker_.tracks(); }));
  }
  nb::object likelihood(int id) {
    return to_numpy(calls_.run(Work{}, nb::none(), [&] { return tracker_.likelihood(id); }));
  }
  bool uses_parts(int id) {
    return calls_.run(Work{}, nb::none(), [&] { return tracker_.uses_parts(id); });
  }
  nb::dict report() {
    const emd::MapReport report = calls_.run(Work{}, nb::none(), [&] { return tracker_.report(); });
    return dict_of_record(record_ref(report));
  }
  std::int64_t frame() const { return frame_; }
  const emd::TrackOptions& options() const { return options_; }

 private:
  template <class Function>
  nb::object run(const TrackInput& image, Function function) {
    const Work work{kOperationsPerTrackedPixel * image.samples()};
    return object_of_list(calls_.run(work, nb::none(), [&] {
      std::vector<Track> tracks = image.visit(on_stream().exec, function);
      stream_.synchronize();
      return tracks;
    }));
  }
  TrackInput input(nb::handle value, const char* name) const {
    return TrackInput(value, name, stream_);
  }
  emd::TrackOptions on_stream() const {
    emd::TrackOptions options = options_;
    options.exec.stream = stream_.get();
    return options;
  }

  emd::TrackOptions options_;
  Stream stream_;
  Calls calls_;
  emd::Tracker tracker_;
  std::int64_t frame_ = 0;  // of the last frame, counted from the one of the first targets
};

nb::object draw(nb::handle image, const nb::dict& columns) {
  const ImageInput pixels = image_input(image, {"image", {io::SampleType::kUint8}, {3}});
  const std::vector<Track> tracks = list_from<Track>(columns);
  Image<std::uint8_t> drawn = clone(pixels.of<std::uint8_t>());
  emd::draw_tracks(drawn, tracks);
  return picture_to_numpy(std::move(drawn));
}

std::string mot_text(std::int64_t frame, const nb::dict& columns) {
  std::string text;
  for (const Track& track : list_from<Track>(columns)) text += emd::mot_line(frame + 1, track);
  return text;
}

nb::dict evaluate_track(nb::handle boxes, nb::handle truth) {
  const emd::TrackReport report =
      emd::evaluate_track(rect_rows<double>(boxes, "boxes"), rect_rows<double>(truth, "truth"));
  return dict_of_record(record_ref(report));
}

}  // namespace

void bind_emd_tracking(nb::module_& m) {
  define_face<Tracker>(m, "Tracker")
      .def(nb::init<const nb::dict&>())
      .def("add", &Tracker::add)
      .def("add_example", &Tracker::add_example)
      .def("track", &Tracker::track)
      .def("explain", &Tracker::explain)
      .def("tracks", &Tracker::tracks)
      .def("likelihood", &Tracker::likelihood)
      .def("uses_parts", &Tracker::uses_parts)
      .def("report", &Tracker::report)
      .def_prop_ro("frame", &Tracker::frame);
  m.def("evaluate_track_fields", &fields_of<emd::TrackReport>);
  m.def("track_options", &option_table<emd::TrackOptions>);
  m.def("draw", &draw);
  m.def("mot_text", &mot_text);
  m.def("is_band_file", [](const std::string& path) {
    const nb::gil_scoped_release released;
    return emd::is_band_file(path);
  });
  m.def("evaluate_track", &evaluate_track);
  m.def("read_boxes", [](const std::string& path, std::optional<int> origin, int id) {
    return object_of_list(emd::read_boxes(path, origin, id));
  });
}

}  // namespace fovea::python
