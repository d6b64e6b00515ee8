// fovea.people: people with identities, and how well they are followed.
#include <fovea/core/error.h>
#include <fovea/people/evaluate_tracks.h>
#include <fovea/people/show_tracks.h>
#include <fovea/people/track.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays.h"
#include "define.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::Detection;
using people::MotBox;
using people::Track;
using people::TrackOptions;
using people::TrackReport;

constexpr double kOperationsPerDetection = 2e4;

// Boxes as rows of x, y, width and height, and their scores. The window of each is its box.
std::vector<Detection> people_of(nb::handle xywh, nb::handle confidence) {
  const std::vector<Rect<float>> boxes = rect_rows<float>(xywh, "xywh");
  const std::vector<float> scores = real_numbers<float>(confidence, "confidence");
  if (boxes.size() != scores.size())
    throw InvalidArgument("confidence has one number per row of xywh");
  std::vector<Detection> people;
  people.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    people.push_back({boxes[i], boxes[i], scores[i], 1});
  return people;
}

class PeopleTracker {
 public:
  explicit PeopleTracker(const nb::dict& keywords)
      : options_(options_of<TrackOptions>(keywords, "Tracker")),
        stream_(options_.exec.device),
        calls_(options_.exec.device),
        tracker_(on_stream()) {}

  nb::dict track(nb::handle frame, nb::handle xywh, nb::handle confidence) {
    const std::vector<Detection> detections = people_of(xywh, confidence);
    ImageInput image;
    ImageView<const std::uint8_t> view{};
    if (!frame.is_none()) {
      image = byte_image(frame, "frame", &stream_);
      view = image.of<std::uint8_t>();
    }
    const Work work{kOperationsPerDetection * static_cast<double>(detections.size())};
    return columns_of(work, [&] { return tracker_.track(view, detections); });
  }
  nb::dict people() {
    return columns_of(Work{}, [&] { return tracker_.people(); });
  }
  std::int64_t frames() {
    return calls_.run(Work{}, nb::none(), [&] { return tracker_.frames(); });
  }
  int identities() {
    return calls_.run(Work{}, nb::none(), [&] { return tracker_.identities(); });
  }
  const TrackOptions& options() const { return options_; }

 private:
  // Tracks with the number of their frame, which other threads cannot change in between.
  template <class Function>
  nb::dict columns_of(Work work, Function function) {
    const auto [tracks, frames] = calls_.run(work, nb::none(), [&] {
      people::TrackResult found{function()};
      stream_.synchronize();
      return std::pair(std::move(found), tracker_.frames());
    });
    nb::dict columns = dict_of_record(record_ref(tracks));
    columns["frame"] = std::max<std::int64_t>(0, frames - 1);
    return columns;
  }
  TrackOptions on_stream() const {
    TrackOptions options = options_;
    options.exec.stream = stream_.get();
    return options;
  }

  TrackOptions options_;
  Stream stream_;
  Calls calls_;
  people::Tracker tracker_;
};

// Rows of frame, id, x, y, width, height[, score[, class[, visibility]]], counted from 0.
std::vector<MotBox> mot_rows(nb::handle value, const char* name) {
  const AnyArray rows = dense_array<double>(value, name, {2});
  const std::size_t width = rows.shape(1);
  if (width < 6 || width > 9)
    throw InvalidArgument(fmt::format(
        "{} has {} columns; expected 6 to 9: frame, id, x, y, width, height, score, class, "
        "visibility",
        name, width));
  const auto* row = static_cast<const double*>(rows.data());
  std::vector<MotBox> boxes(rows.shape(0));
  for (std::size_t i = 0; i < boxes.size(); ++i, row += width) {
    if (!(std::abs(row[0]) < 1e15) || !(std::abs(row[1]) < 2e9) || row[0] != std::trunc(row[0]) ||
        row[1] != std::trunc(row[1]))
      throw InvalidArgument(fmt::format("{}[{}] has frame {} and id {}; expected whole numbers",
                                        name, i, row[0], row[1]));
    boxes[i] = {.frame = static_cast<std::int64_t>(row[0]),
                .id = static_cast<int>(row[1]),
                .box = {row[2], row[3], row[4], row[5]},
                .score = width > 6 ? row[6] : 1,
                .label = width > 7 && std::abs(row[7]) < 1e6 ? static_cast<int>(row[7]) : -1,
                .visibility = width > 8 ? row[8] : -1};
  }
  return boxes;
}

nb::object rows_of(const std::vector<MotBox>& boxes) {
  std::vector<double> all;
  for (const MotBox& box : boxes)
    all.insert(all.end(), {static_cast<double>(box.frame), static_cast<double>(box.id), box.box.x,
                           box.box.y, box.box.width, box.box.height, box.score,
                           static_cast<double>(box.label), box.visibility});
  return to_numpy(all, {boxes.size(), 9});
}

nb::object read_mot(const people::MotReadOptions& options, const std::string& path) {
  return rows_of(unlocked([&] { return people::read_mot(path, options); }));
}

std::string mot_text(nb::handle rows) {
  std::string text;
  for (const MotBox& box : mot_rows(rows, "rows")) text += people::mot_line(box);
  return text;
}

// Draws without trails, which a single frame does not know.
nb::object draw_tracks(nb::handle image, nb::handle ids, nb::handle xywh, nb::handle missed) {
  const ImageInput pixels = image_input(image, {"image", {io::SampleType::kUint8}, {3}});
  const std::vector<Rect<float>> boxes = rect_rows<float>(xywh, "xywh");
  const std::vector<std::int32_t> id = whole_numbers(ids, "tracker_id"),
                                  gap = whole_numbers(missed, "missed");
  if (boxes.size() != id.size() || gap.size() != id.size())
    throw InvalidArgument("there are as many ids and gaps as rows of xywh");
  std::vector<Track> tracks(id.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tracks[i].id = id[i];
    tracks[i].box = boxes[i];
    tracks[i].missed = gap[i];
  }
  Image<std::uint8_t> drawn = clone(pixels.of<std::uint8_t>());
  people::TrackPainter(0).draw(drawn, tracks);
  return picture_to_numpy(std::move(drawn));
}

nb::dict evaluate_tracks(const people::EvaluateTracksOptions& options, nb::handle truth,
                         nb::handle found) {
  const std::vector<MotBox> rows = mot_rows(truth, "truth"), columns = mot_rows(found, "found");
  Calls calls;
  const Work work{1000.0 * static_cast<double>(rows.size() + columns.size())};
  const TrackReport report =
      calls.run(work, nb::none(), [&] { return people::evaluate_tracks(rows, columns, options); });
  return dict_of_record(record_ref(report));
}

}  // namespace

void bind_people_tracking(nb::module_& m) {
  define_face<PeopleTracker>(m, "Tracker")
      .def(nb::init<const nb::dict&>())
      .def("track", &PeopleTracker::track)
      .def("people", &PeopleTracker::people)
      .def_prop_ro("frames", &PeopleTracker::frames)
      .def_prop_ro("identities", &PeopleTracker::identities);
  m.def("track_options", &option_table<TrackOptions>);
  define(m, "read_mot", &read_mot);
  m.def("mot_text", &mot_text);
  m.def("draw_tracks", &draw_tracks);
  m.def("evaluate_tracks_fields", &fields_of<TrackReport>);
  define(m, "evaluate_tracks", &evaluate_tracks);
}

}  // namespace fovea::python
