// fovea.actions: recognition of actions, models, and pictures of both.
#include <fovea/actions/explain.h>
#include <fovea/actions/recognize.h>
#include <fovea/actions/select_points.h>
#include <fovea/actions/show.h>
#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "actions_points.h"
#include "arrays.h"
#include "define.h"
#include "explain.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using actions::Event;
using actions::Model;
using actions::RecognizeOptions;

nb::dict values_of(const Event& event, const Model& model) {
  nb::dict values = dict_of_record(record_ref(event));
  values["explanation"] = nb::none();
  if (event.evidence)
    values["explanation"] = explanation_of(actions::explain(model, event), {"classes", "features"});
  return values;
}

constexpr Work kPointWork{1e6};

// Points that a recognizer takes frame by frame, as the frames of its video from `first` on.
class PointSequence {
 public:
  PointSequence(const nb::dict& columns, std::int64_t first)
      : set_(set_of(columns)), frames_(set_, first) {}
  PointSequence(const PointSequence&) = delete;
  PointSequence& operator=(const PointSequence&) = delete;
  const actions::PointSet& set() const { return set_; }
  actions::FramePoints next() { return frames_.next(); }

 private:
  actions::PointSet set_;
  actions::PointFrames frames_;
};

// A recognizer for one video after another. An interrupted call loses nothing: its frame has been
// taken, and the next call returns its events too.
class Recognizer {
 public:
  Recognizer(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)), options_(options_of<RecognizeOptions>(keywords, "Recognizer")) {
    calls_.run(kLongWork, nb::none(), [&] { return &stream(); });
  }
  Recognizer(std::shared_ptr<const Model> model, const RecognizeOptions& options)
      : model_(std::move(model)), options_(options) {}

  nb::list push(nb::handle frame) {
    const ImageInput input = sizes_.take(frame);
    const auto view = input.of<std::uint8_t>();
    calls_.run(frame_work(view), nb::none(), [&] {
      keep(stream().push(view));
      ++frames_;
      return true;
    });
    return taken();
  }

  // Takes the points of the next frame of a sequence.
  nb::list push_points(PointSequence& points) {
    require_comparable(points.set(), model_->points);
    calls_.run(kPointWork, nb::none(), [&] {
      keep(stream().push(points.next(), points.set().size));
      return ++frames_;
    });
    return taken();
  }

  nb::list finish() {
    calls_.run(kLongWork, nb::none(), [&] {
      keep(stream().finish());
      stream_ = stream().another();  // the next frame begins another video
      frames_ = 0;
      sizes_.end();
      return true;
    });
    return taken();
  }

  // A recognizer for another video, which shares the prototypes.
  Recognizer* another() {
    auto other = std::make_unique<Recognizer>(model_, options_);
    calls_.run(kLongWork, nb::none(), [&] {
      other->stream_ = stream().another();
      return true;
    });
    return other.release();
  }

  std::int64_t frames() const { return frames_; }
  int latency() {
    return calls_.run({}, nb::none(), [&] { return stream().latency(); });
  }
  std::int64_t settled() {
    return calls_.run({}, nb::none(), [&] { return stream().settled_frames(); });
  }
  nb::object distances() {
    return to_numpy(calls_.run({}, nb::none(), [&] {
      const std::span<const double> found = stream().class_distances();
      return std::vector<double>(found.begin(), found.end());
    }));
  }
  const RecognizeOptions& options() const { return options_; }

 private:
  // Without a stop token, because a frame that is taken halfway would spoil the rest of the video.
  actions::Recognizer& stream() {
    if (!stream_) stream_.emplace(model_, options_);
    return *stream_;
  }
  void keep(std::span<const Event> events) {
    const std::lock_guard lock(mutex_);
    events_.insert(events_.end(), events.begin(), events.end());
  }
  nb::list taken() {
    std::vector<Event> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
    }
    nb::list list;
    for (const Event& event : events) list.append(values_of(event, *model_));
    return list;
  }

  std::shared_ptr<const Model> model_;
  RecognizeOptions options_;
  Calls calls_{options_.exec.device};
  FrameSizes sizes_{options_.exec.device};
  std::optional<actions::Recognizer> stream_;
  std::mutex mutex_;           // of the events, which the thread of a call adds
  std::vector<Event> events_;  // not yet returned
  std::atomic<std::int64_t> frames_ = 0;
};

nb::dict model_options(const Model& model) {
  nb::dict values = own_values(model.points, model.features, model.cut, model.match, model.score);
  values["scene_points"] = model.scene_points;
  return values;
}

nb::list prototypes_of(const Model& model) {
  nb::list list;
  for (const actions::Prototype& one : model.prototypes)
    list.append(
        nb::make_tuple(one.label, one.clip, one.first, one.nodes, one.mirrored, one.reject));
  return list;
}

nb::object draw_events(nb::handle image, const nb::list& list, std::int64_t frame) {
  Image<std::uint8_t> rgb = rgb_copy(image);
  actions::draw_events(rgb.view(), list_from<Event>(list), frame);
  return picture_to_numpy(std::move(rgb));
}

std::string timeline(const nb::list& list, const std::vector<std::string>& classes,
                     std::int64_t frames, double frame_rate) {
  return actions::timeline_svg(list_from<Event>(list), classes, frames, frame_rate);
}

nb::tuple tuple_of(std::span<const double> numbers) {
  return nb::tuple(nb::cast(std::vector<double>(numbers.begin(), numbers.end())));
}

nb::object reject_rule_of(const Model& model) {
  if (!model.reject_rule) return nb::none();
  return nb::make_tuple(tuple_of(model.reject_rule->weights), model.reject_rule->limit,
                        model.reject_rule->singles);
}

nb::object late_fusion_of(const Model& model) {
  if (!model.late_fusion) return nb::none();
  return nb::make_tuple(tuple_of(model.late_fusion->weights), model.late_fusion->words.height());
}

}  // namespace

void bind_actions(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("actions");
  define_model<Model>(m, &actions::load_model)
      .def_ro("classes", &Model::classes)
      .def_prop_ro("prototypes", &prototypes_of)
      .def_prop_ro("options", &model_options)
      .def_prop_ro("reject_rule", &reject_rule_of)
      .def_prop_ro("late_fusion", &late_fusion_of);
  nb::class_<PointSequence>(m, "PointSequence").def(nb::init<const nb::dict&, std::int64_t>());
  define_face<Recognizer>(m, "Recognizer")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("push", &Recognizer::push)
      .def("push_points", &Recognizer::push_points)
      .def("finish", &Recognizer::finish)
      .def("another", &Recognizer::another, nb::rv_policy::take_ownership)
      .def_prop_ro("frames", &Recognizer::frames)
      .def_prop_ro("latency", &Recognizer::latency)
      .def_prop_ro("settled_frames", &Recognizer::settled)
      .def_prop_ro("class_distances", &Recognizer::distances);
  m.def("recognize_options", &option_table<RecognizeOptions>);
  m.def("recognize_fields", &fields_of<Event>);
  m.def("draw_events", &draw_events);
  m.def("timeline", &timeline);
  bind_actions_points(m);
  bind_actions_training(m);
  bind_actions_classification(m);
  bind_actions_matching(m);
}

}  // namespace fovea::python
