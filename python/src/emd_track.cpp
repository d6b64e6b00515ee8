// fovea.emd: targets followed by their colors or spectra.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/show.h>
#include <fovea/emd/track.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "emd_track_input.h"
#include "errors.h"
#include "explain.h"
#include "gpu_arrays.h"
#include "options.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using emd::Track;

constexpr double kOperationsPerTrackedPixel = 100;  // of a frame, roughly

// Rows of x, y, width and height.
std::vector<Rect<double>> boxes_of(nb::handle boxes, const char* name) {
  const AnyArray rows = dense_array<double>(boxes, name, {2});
  if (rows.shape(1) != 4)
    throw InvalidArgument(
        fmt::format("{} is {}; expected rows of x, y, width and height", name, array_text(boxes)));
  std::vector<Rect<double>> all(rows.shape(0));
  const auto* number = static_cast<const double*>(rows.data());
  for (Rect<double>& box : all) {
    box = {number[0], number[1], number[2], number[3]};
    number += 4;
  }
  return all;
}
nb::object rows_of(std::span<const Rect<double>> boxes) {
  std::vector<double> numbers;
  numbers.reserve(4 * boxes.size());
  for (const Rect<double>& box : boxes)
    numbers.insert(numbers.end(), {box.x, box.y, box.width, box.height});
  return to_numpy(numbers, {boxes.size(), 4});
}

// The targets of a frame, one column per field.
struct FrameTracks {
  std::vector<Track> tracks{};
};
void describe(FieldVisitor& visit, FrameTracks& frame) {
  visit("tracks", frame.tracks, "in the order of their ids");
}
nb::dict columns_of(std::vector<Track> tracks) {
  const FrameTracks frame{std::move(tracks)};
  return nb::cast<nb::dict>(dict_of_record(record_ref(frame))["tracks"]);
}

std::vector<Track> tracks_of(const nb::dict& columns) {
  const auto numbers = [&](const char* name) {
    const AnyArray array = dense_array<double>(columns[name], name, {1});
    const auto* first = static_cast<const double*>(array.data());
    return std::vector<double>(first, first + array.size());
  };
  const std::vector<Rect<double>> boxes = boxes_of(columns["box"], "box");
  const AnyArray id = dense_array<int>(columns["id"], "id", {1}),
                 lost = dense_array<std::uint8_t>(columns["lost"], "lost", {1});
  const auto score = numbers("score"), confidence = numbers("confidence");
  if (id.size() != boxes.size() || lost.size() != boxes.size() || score.size() != boxes.size() ||
      confidence.size() != boxes.size())
    throw InvalidArgument("the columns of tracks have different lengths");
  std::vector<Track> tracks(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    tracks[i] = {static_cast<const int*>(id.data())[i], boxes[i], score[i], confidence[i],
                 static_cast<const std::uint8_t*>(lost.data())[i] != 0};
  return tracks;
}

nb::dict shares_of(const emd::PlaceShares& shares) {
  nb::dict all;
  all["box"] = box_tuple(shares.box);
  all["total"] = shares.total;
  all["color"] = shares.color;
  all["motion"] = shares.motion;
  all["parts"] = shares.parts;
  all["filter"] = shares.filter;
  all["response"] = shares.response ? nb::object(nb::float_(*shares.response)) : nb::none();
  return all;
}

nb::dict numbers_of(const emd::TrackExplanation& e) {
  nb::dict all, land;
  land["left"] = e.landscape.left;
  land["top"] = e.landscape.top;
  land["step"] = e.landscape.step;
  land["total"] = array_or_none(e.landscape.total);
  land["color"] = array_or_none(e.landscape.color);
  land["motion"] = array_or_none(e.landscape.motion);
  land["parts"] = array_or_none(e.landscape.parts);
  land["filter"] = array_or_none(e.landscape.filter);
  all["xywh"] = box_tuple(e.track.box);
  all["from_xywh"] = box_tuple(e.from);
  all["score"] = e.track.score;
  all["lost"] = e.track.lost;
  all["reach"] = e.reach;
  all["place"] = shares_of(e.place);
  all["stayed"] = shares_of(e.stayed);
  all["first_score"] = e.first_score;
  all["doubtful"] = e.doubtful;
  all["doubtful_frames"] = e.doubtful_frames;
  all["searched_everywhere"] = e.searched_everywhere;
  all["landscape"] = land;
  return all;
}

// It does not watch for a stop: a frame that has begun is followed to its end, so that Ctrl-C
// leaves the targets where the last frame shows them.
class Tracker {
 public:
  explicit Tracker(const nb::dict& keywords)
      : options_(options_of<emd::TrackOptions>(keywords, "Tracker")),
        stream_(options_.exec.device),
        calls_(options_.exec.device),
        tracker_(on_stream()) {}

  nb::dict add(nb::handle frame, nb::handle boxes) {
    const TrackInput image = input(frame, "frame");
    const std::vector<Rect<double>> targets = boxes_of(boxes, "box");
    return run(image, [&](const auto& view) { return tracker_.add(view, targets); });
  }
  nb::dict add_example(nb::handle frame, nb::handle example) {
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
  nb::dict track(nb::handle frame) {
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
    const emd::TrackExplanation why = calls_.run(work, nb::none(), [&] {
      emd::TrackExplanation found = image.visit(
          on_stream().exec, [&](const auto& view) { return tracker_.explain(view, id); });
      ++frame_;
      stream_.synchronize();
      return found;
    });
    return explanation_of(emd::present(why), numbers_of(why));
  }
  nb::dict tracks() {
    return columns_of(calls_.run(Work{}, nb::none(), [&] { return tracker_.tracks(); }));
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
  nb::dict run(const TrackInput& image, Function function) {
    const Work work{kOperationsPerTrackedPixel * image.samples()};
    return columns_of(calls_.run(work, nb::none(), [&] {
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
  const std::vector<Track> tracks = tracks_of(columns);
  Image<std::uint8_t> drawn = clone(pixels.of<std::uint8_t>());
  emd::draw_tracks(drawn, tracks);
  return to_numpy(std::move(drawn));
}

std::string mot_text(std::int64_t frame, const nb::dict& columns) {
  std::string text;
  for (const Track& track : tracks_of(columns)) text += emd::mot_line(frame + 1, track);
  return text;
}

nb::dict evaluate_track(nb::handle boxes, nb::handle truth) {
  const emd::TrackReport report =
      emd::evaluate_track(boxes_of(boxes, "boxes"), boxes_of(truth, "truth"));
  return dict_of_record(record_ref(report));
}

}  // namespace

void bind_emd_tracking(nb::module_& m) {
  nb::class_<Tracker>(m, "Tracker")
      .def(nb::init<const nb::dict&>())
      .def("add", &Tracker::add, nb::arg("frame").none(), nb::arg("boxes").none())
      .def("add_example", &Tracker::add_example, nb::arg("frame").none(), nb::arg("example").none())
      .def("track", &Tracker::track, nb::arg("frame").none())
      .def("explain", &Tracker::explain, nb::arg("frame").none(), nb::arg("id"))
      .def("tracks", &Tracker::tracks)
      .def("likelihood", &Tracker::likelihood)
      .def("uses_parts", &Tracker::uses_parts)
      .def("report", &Tracker::report)
      .def_prop_ro("frame", &Tracker::frame)
      .def_prop_ro("options", [](const Tracker& t) { return option_values(t.options()); })
      .def_prop_ro("words", [](const Tracker& t) { return option_words(t.options()); });
  m.def("evaluate_track_fields", &fields_of<emd::TrackReport>);
  m.def("track_options", &option_table<emd::TrackOptions>);
  m.def("draw", &draw, nb::arg("image").none(), nb::arg("columns"));
  m.def("mot_text", &mot_text);
  m.def("is_band_file", [](const std::string& path) {
    const nb::gil_scoped_release released;
    return emd::is_band_file(path);
  });
  m.def("evaluate_track", &evaluate_track, nb::arg("boxes").none(), nb::arg("truth").none());
  m.def("read_boxes", [](const std::string& path, int origin, int id) {
    return rows_of(emd::read_boxes(path, origin, id));
  });
}

}  // namespace fovea::python
