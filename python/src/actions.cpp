// fovea.actions: interest points of videos, recognition of actions, models, training, evaluation.
#include <fovea/actions/evaluate.h>
#include <fovea/actions/recognize.h>
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "arrays.h"
#include "options.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using actions::Event;
using actions::FramePoints;
using actions::Model;
using actions::PointOptions;
using actions::PointSet;
using actions::RecognizeOptions;
using actions::SpaceTimePoint;
using actions::TrainOptions;

// What finding points takes for a pixel of a frame.
constexpr double kOperationsPerPixel = 1000;
constexpr Work kLong{1e12};

// Frames of one video, all of which have the size of the first. A frame of another size is refused
// before it can disturb what the frames before it have left.
class FrameSizes {
 public:
  explicit FrameSizes(Device device) : stream_(device) {}

  // A frame that lies on a GPU is complete when this returns.
  ImageInput take(nb::handle frame) {
    ImageInput input = image_input(frame, {"frame", {io::SampleType::kUint8}, {1, 3}, &stream_});
    const auto view = input.of<std::uint8_t>();
    if (size_.width > 0 && (view.width != size_.width || view.height != size_.height))
      throw InvalidArgument(fmt::format("frame is {}x{}; expected {}x{}, the size of the first",
                                        view.width, view.height, size_.width, size_.height));
    size_ = {view.width, view.height};
    if (view.memory == Memory::kCuda) {
      nb::gil_scoped_release others_go_on;
      stream_.synchronize();
    }
    return input;
  }
  void end() { size_ = {}; }
  Extent size() const { return size_; }

 private:
  Stream stream_;
  Extent size_;
};
Work work_of(ImageView<const std::uint8_t> frame) {
  return {kOperationsPerPixel * frame.width * frame.height};
}

nb::dict values_of(const Event& event) {
  nb::dict values;
  values["name"] = event.name;
  values["label"] = event.label;
  values["score"] = event.score;
  values["first_frame"] = event.first_frame;
  values["last_frame"] = event.last_frame;
  values["start_seconds"] = event.start_seconds;
  values["end_seconds"] = event.end_seconds;
  values["xywh"] = nb::make_tuple(event.box.x, event.box.y, event.box.width, event.box.height);
  values["distance"] = event.distance;
  values["margin"] = event.margin;
  values["dummies"] = event.dummies;
  values["prototype"] = event.prototype;
  values["latency_frames"] = event.latency_frames;
  std::vector<std::int32_t> path;
  for (const actions::MatchedNode& node : event.path)
    path.insert(path.end(), {node.frame, node.point});
  values["path"] = to_numpy(path, {event.path.size(), 2});
  return values;
}

// A recognizer for one video after another. An interrupted call loses nothing: its frame has been
// taken, and the next call returns its events too.
class Recognizer {
 public:
  Recognizer(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)), options_(options_of<RecognizeOptions>(keywords, "Recognizer")) {
    calls_.run(kLong, nb::none(), [&] { return &stream(); });
  }

  nb::list push(nb::handle frame) {
    const ImageInput input = sizes_.take(frame);
    const auto view = input.of<std::uint8_t>();
    calls_.run(work_of(view), nb::none(), [&] {
      keep(stream().push(view));
      ++frames_;
      return true;
    });
    return taken();
  }

  nb::list finish() {
    calls_.run(kLong, nb::none(), [&] {
      keep(stream().finish());
      stream_.reset();  // the next frame begins another video
      frames_ = 0;
      sizes_.end();
      return true;
    });
    return taken();
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
    for (const Event& event : events) list.append(values_of(event));
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

template <class Number>
nb::object column(const std::vector<SpaceTimePoint>& points, Number SpaceTimePoint::*part) {
  std::vector<Number> all;
  all.reserve(points.size());
  for (const SpaceTimePoint& point : points) all.push_back(point.*part);
  return to_numpy(all);
}

nb::dict columns_of(PointSet&& set) {
  nb::dict columns;
  columns["x"] = column(set.points, &SpaceTimePoint::x);
  columns["y"] = column(set.points, &SpaceTimePoint::y);
  columns["frame"] = column(set.points, &SpaceTimePoint::frame);
  columns["sigma2"] = column(set.points, &SpaceTimePoint::sigma2);
  columns["tau2"] = column(set.points, &SpaceTimePoint::tau2);
  columns["confidence"] = column(set.points, &SpaceTimePoint::confidence);
  if (set.descriptors.empty())
    columns["descriptors"] = to_numpy(std::vector<float>{}, {0, actions::kDescriptorSize});
  else columns["descriptors"] = to_numpy(std::move(set.descriptors));
  columns["size"] = std::pair(set.size.width, set.size.height);
  columns["frames"] = set.frames;
  columns["frame_rate"] = set.frame_rate;
  return columns;
}

std::vector<float> finite_numbers(const nb::dict& columns, const char* name) {
  const AnyArray array = dense_array<float>(columns[name], name, {1});
  const auto* first = static_cast<const float*>(array.data());
  std::vector<float> numbers(first, first + array.size());
  for (const float number : numbers)
    if (!std::isfinite(number))
      throw InvalidArgument(fmt::format("{} has {}; expected finite numbers", name, number));
  return numbers;
}

Image<float> descriptor_rows(const nb::dict& columns, std::size_t points) {
  const AnyArray array = dense_array<float>(columns["descriptors"], "descriptors", {2});
  if (array.shape(1) != actions::kDescriptorSize ||
      (array.shape(0) != points && array.shape(0) != 0))
    throw InvalidArgument(fmt::format("descriptors is {}; expected shape ({}, {})",
                                      array_text(columns["descriptors"]), points,
                                      actions::kDescriptorSize));
  if (array.size() == 0) return {};
  return clone(packed_view(static_cast<const float*>(array.data()), actions::kDescriptorSize,
                           static_cast<int>(points), 1));
}

PointSet set_of(const nb::dict& columns) {
  PointSet set;
  const auto [width, height] = nb::cast<std::pair<int, int>>(columns["size"]);
  set.size = {width, height};
  set.frames = nb::cast<std::int64_t>(columns["frames"]);
  set.frame_rate = nb::cast<double>(columns["frame_rate"]);
  const std::vector<float> x = finite_numbers(columns, "x"), y = finite_numbers(columns, "y"),
                           sigma2 = finite_numbers(columns, "sigma2"),
                           tau2 = finite_numbers(columns, "tau2"),
                           confidence = finite_numbers(columns, "confidence");
  const AnyArray frame = dense_array<std::int32_t>(columns["frame"], "frame", {1});
  for (const std::size_t size :
       {y.size(), sigma2.size(), tau2.size(), confidence.size(), frame.size()})
    if (size != x.size())
      throw InvalidArgument(
          fmt::format("points have columns of {} and {} numbers; expected one "
                      "length",
                      x.size(), size));
  const auto* frames = static_cast<const std::int32_t*>(frame.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (frames[i] < (i > 0 ? frames[i - 1] : 0) || frames[i] >= set.frames)
      throw InvalidArgument(
          fmt::format("point {} is in frame {}; expected frames from 0 to {} in "
                      "ascending order",
                      i, frames[i], set.frames - 1));
    set.points.push_back({x[i], y[i], frames[i], sigma2[i], tau2[i], confidence[i]});
  }
  set.descriptors = descriptor_rows(columns, x.size());
  return set;
}

TrainOptions train_options(const nb::dict& keywords, bool paper, const char* function) {
  TrainOptions options = paper ? actions::paper_options() : TrainOptions{};
  set_keywords(options, keywords, function);
  options.exec.device = usable_device(options.exec.device);
  return options;
}

// Finds the points of a video that comes frame by frame.
class PointFinder {
 public:
  explicit PointFinder(PointOptions options) : options_(std::move(options)) { begin(); }

  void push(nb::handle frame) {
    const ImageInput input = sizes_.take(frame);
    const auto view = input.of<std::uint8_t>();
    calls_.run(work_of(view), nb::none(), [&] {
      keep(stream_->push(view));
      return ++set_.frames;
    });
    set_.size = sizes_.size();
  }

  // All points of the frames; the next frame begins another video.
  PointSet finish(double frame_rate) {
    calls_.run(kLong, nb::none(), [&] {
      keep(stream_->finish());
      return true;
    });
    PointSet set = std::exchange(set_, {});
    set.frame_rate = frame_rate;
    if (!descriptors_.empty()) {
      set.descriptors = Image<float>(actions::kDescriptorSize, static_cast<int>(set.points.size()));
      int row = 0;
      for (const Image<float>& some : descriptors_) {
        copy(some.view(),
             set.descriptors.view().crop(0, row, actions::kDescriptorSize, some.height()));
        row += some.height();
      }
    }
    begin();
    return set;
  }

  const PointOptions& options() const { return options_; }

 private:
  void begin() {
    sizes_.end();
    descriptors_.clear();
    stream_.emplace(options_);
  }
  void keep(std::span<const FramePoints> ready) {
    for (const FramePoints& one : ready) {
      set_.points.insert(set_.points.end(), one.points.begin(), one.points.end());
      if (!one.descriptors.empty()) descriptors_.push_back(clone(one.descriptors));
    }
  }

  PointOptions options_;
  Calls calls_{options_.exec.device};
  FrameSizes sizes_{options_.exec.device};
  std::optional<actions::PointStream> stream_;
  PointSet set_;
  std::vector<Image<float>> descriptors_;  // of each frame that has points
};

std::unique_ptr<PointFinder> point_finder(const nb::dict& keywords) {
  return std::make_unique<PointFinder>(options_of<PointOptions>(keywords, "points"));
}
// The points that training on a clip would find.
std::unique_ptr<PointFinder> clip_finder(const nb::dict& keywords, bool paper) {
  const TrainOptions options = train_options(keywords, paper, "train");
  PointOptions points = options.points;
  points.exec = options.exec;
  return std::make_unique<PointFinder>(points);
}

// Clips with their actions, their subjects and their points.
class Clips {
 public:
  Clips() = default;

  // The clips of a folder or a list, without points.
  void open(const std::string& folder_or_list) {
    nb::gil_scoped_release others_go_on;
    corpus_ = actions::read_corpus(folder_or_list);
    points_.resize(corpus_.clips.size());
  }
  void set_classes(const std::vector<std::string>& classes) { corpus_.classes = classes; }
  void add_file(const std::string& path, int label, const std::string& subject) {
    corpus_.clips.push_back({.path = path, .label = label, .subject = subject, .scenario = {}});
    points_.emplace_back();
  }
  void add_points(const nb::dict& columns, int label, const std::string& subject) {
    points_.push_back(set_of(columns));
    corpus_.clips.push_back({.path = {}, .label = label, .subject = subject, .scenario = {}});
  }

  // Finds the points of all clips that are files. Returns why some could not be read; these clips
  // are left out.
  std::vector<std::string> read(const nb::dict& keywords, bool paper, bool cut_first,
                                nb::handle progress) {
    const TrainOptions train = train_options(keywords, paper, "train");
    std::vector<std::size_t> places;
    std::vector<actions::Clip> files;
    for (std::size_t i = 0; i < corpus_.clips.size(); ++i) {
      if (corpus_.clips[i].path.empty()) continue;
      places.push_back(i);
      files.push_back(corpus_.clips[i]);
    }
    if (files.empty()) return {};
    actions::ClipOptions options;
    options.points = train.points;
    options.cut_first = cut_first;
    options.exec = calls_.watched(train.exec);
    std::vector<std::string> reasons;
    std::vector<bool> bad(corpus_.clips.size(), false);
    std::vector<PointSet> found = calls_.run(kLong, progress, [&] {
      return actions::clip_points(files, options, [&](int clip, const std::string& why) {
        bad[places[static_cast<std::size_t>(clip)]] = true;
        reasons.push_back(why);
      });
    });
    for (std::size_t i = 0; i < places.size(); ++i) points_[places[i]] = std::move(found[i]);
    keep_good(bad);
    if (points_.empty())
      throw FormatError(fmt::format("none of the clips could be read: {}", reasons.front()));
    return reasons;
  }

  std::vector<std::string> classes() const { return corpus_.classes; }
  std::vector<std::string> subjects() const { return corpus_.subjects(); }
  std::size_t size() const { return points_.size(); }
  nb::list clips() const {
    nb::list list;
    for (const actions::Clip& clip : corpus_.clips)
      list.append(nb::make_tuple(clip.path, clip.label, clip.subject, clip.scenario, clip.first,
                                 clip.frames));
    return list;
  }

  nb::tuple train(const nb::dict& keywords, bool paper, nb::handle progress) {
    TrainOptions options = train_options(keywords, paper, "train");
    const nb::dict values = option_values(options);
    const nb::list words = option_words(options);
    options.exec = calls_.watched(options.exec);
    auto model = std::make_shared<const Model>(
        calls_.run(kLong, progress, [&] { return actions::train(corpus_, points_, options); }));
    return nb::make_tuple(std::move(model), values, words);
  }

  nb::dict evaluate(const nb::dict& keywords, const nb::dict& plan, nb::handle progress);

 private:
  void keep_good(const std::vector<bool>& bad) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bad.size(); ++i) {
      if (bad[i]) continue;
      if (kept != i) {
        corpus_.clips[kept] = std::move(corpus_.clips[i]);
        points_[kept] = std::move(points_[i]);
      }
      ++kept;
    }
    corpus_.clips.resize(kept);
    points_.resize(kept);
  }
  std::vector<actions::Fold> folds(const std::vector<std::string>& test_subjects) const;

  actions::Corpus corpus_;
  std::vector<PointSet> points_;
  Calls calls_;
};

// Each subject left out in turn, or one split.
std::vector<actions::Fold> Clips::folds(const std::vector<std::string>& test_subjects) const {
  if (test_subjects.empty()) return actions::leave_one_subject_out(corpus_);
  const std::vector<std::string> known = corpus_.subjects();
  for (const std::string& name : test_subjects)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InvalidArgument(
          fmt::format("test_subjects: there is no subject {}; expected some of {}", name,
                      fmt::join(known, ", ")));
  actions::Fold fold{"split", {}, {}};
  for (std::size_t i = 0; i < corpus_.clips.size(); ++i) {
    const bool tests = std::find(test_subjects.begin(), test_subjects.end(),
                                 corpus_.clips[i].subject) != test_subjects.end();
    (tests ? fold.test : fold.train).push_back(static_cast<std::int32_t>(i));
  }
  return {fold};
}

// The options of an evaluation: whether simpler methods take part, and those of the training.
struct EvaluateKeywords {
  actions::EvaluateOptions evaluate{};
  TrainOptions train{};
  Exec exec{};
};
void describe(OptionVisitor& visit, EvaluateKeywords& options) {
  describe(visit, options.evaluate);
  describe(visit, options.train);
}

nb::dict report_of(const actions::MethodReport& report) {
  nb::dict all;
  all["method"] = report.method;
  all["tested"] = report.tested;
  all["correct"] = report.correct;
  all["accuracy"] = report.accuracy();
  all["low"] = report.interval.low;
  all["high"] = report.interval.high;
  all["unclassified"] = report.unclassified;
  all["seconds"] = report.seconds;
  const auto classes = static_cast<std::size_t>(report.confusion.classes);
  all["confusion"] = to_numpy(report.confusion.counts, {classes, classes});
  all["labels"] = to_numpy(report.labels);
  return all;
}

nb::dict Clips::evaluate(const nb::dict& keywords, const nb::dict& plan, nb::handle progress) {
  const bool paper = nb::cast<bool>(plan["paper"]);
  const bool choose = nb::cast<bool>(plan["choose"]) && !paper;
  EvaluateKeywords options;
  if (paper) options.train = actions::paper_options();
  set_keywords(options, keywords, "evaluate");
  options.exec.device = usable_device(options.exec.device);
  nb::dict all;
  all["options"] = option_values(options);
  all["words"] = option_words(options);
  const auto parts = folds(nb::cast<std::vector<std::string>>(plan["test_subjects"]));
  all["folds"] = parts.size();
  options.evaluate.exec = calls_.watched(options.exec);
  const actions::EvaluateReport report = calls_.run(kLong, progress, [&] {
    const std::vector<actions::Recipe> given{{paper ? "paper" : "given", options.train}};
    return actions::evaluate(corpus_, points_, parts,
                             choose ? actions::default_recipes(options.train) : given,
                             options.evaluate);
  });
  nb::list methods, recipes;
  for (const actions::MethodReport* method : {&report.matching, &report.fused})
    if (method->tested > 0) methods.append(report_of(*method));
  for (const actions::MethodReport& method : report.baselines) methods.append(report_of(method));
  for (const actions::MethodReport& method : report.recipes) recipes.append(report_of(method));
  all["methods"] = methods;
  all["recipes"] = recipes;
  all["chosen"] = report.chosen;
  all["fused_chosen"] = report.fused_chosen;
  return all;
}

std::shared_ptr<const Model> read_model(const std::string& name) {
  nb::gil_scoped_release others_go_on;
  return actions::load_model(name);
}

nb::dict model_options(const Model& model) {
  nb::dict values;
  const auto add = [&](auto part) {
    for_each_option(part, [&](const OptionField& field) {
      values[keyword_of(field).c_str()] = option_value(field);
    });
  };
  add(model.points);
  add(model.features);
  add(model.cut);
  add(model.match);
  add(model.score);
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

void save_points(const std::string& path, const nb::dict& columns) {
  const PointSet set = set_of(columns);
  nb::gil_scoped_release others_go_on;
  io::FileSink file(path);
  actions::write_points(file.sink(), set);
  file.commit();
}

nb::dict read_points(const std::string& path) {
  PointSet set;
  {
    nb::gil_scoped_release others_go_on;
    set = actions::read_points(path);
  }
  return columns_of(std::move(set));
}

Image<std::uint8_t> rgb_copy(nb::handle image) {
  const ImageInput input = image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
  const auto view = input.of<std::uint8_t>();
  if (view.channels == 3) return clone(view);
  Image<std::uint8_t> rgb(view.width, view.height, 3);
  for (int y = 0; y < view.height; ++y)
    for (int x = 0; x < view.width; ++x) std::fill_n(&rgb.at(x, y), 3, view.at(x, y));
  return rgb;
}

nb::object draw_points(nb::handle image, const nb::dict& columns, std::int64_t frame) {
  Image<std::uint8_t> rgb = rgb_copy(image);
  std::vector<SpaceTimePoint> points = set_of(columns).points;
  std::erase_if(points, [&](const SpaceTimePoint& point) { return point.frame != frame; });
  actions::draw_points(rgb.view(), points);
  return to_numpy(std::move(rgb));
}

// Events as pictures need them, from the dictionaries that events of Python are made of.
std::vector<Event> events_of(const nb::list& list) {
  std::vector<Event> events;
  for (const nb::handle item : list) {
    const auto values = nb::cast<nb::dict>(item);
    const nb::object box = values["xywh"];
    Event event;
    event.label = nb::cast<std::int32_t>(values["label"]);
    event.name = nb::cast<std::string>(values["name"]);
    event.score = nb::cast<double>(values["score"]);
    event.box = {nb::cast<float>(box[0]), nb::cast<float>(box[1]), nb::cast<float>(box[2]),
                 nb::cast<float>(box[3])};
    event.first_frame = nb::cast<std::int64_t>(values["first_frame"]);
    event.last_frame = nb::cast<std::int64_t>(values["last_frame"]);
    event.start_seconds = nb::cast<double>(values["start_seconds"]);
    event.end_seconds = nb::cast<double>(values["end_seconds"]);
    event.distance = nb::cast<double>(values["distance"]);
    event.margin = nb::cast<double>(values["margin"]);
    events.push_back(std::move(event));
  }
  return events;
}

nb::object draw_events(nb::handle image, const nb::list& list, std::int64_t frame) {
  Image<std::uint8_t> rgb = rgb_copy(image);
  actions::draw_events(rgb.view(), events_of(list), frame);
  return to_numpy(std::move(rgb));
}

std::string timeline(const nb::list& list, const std::vector<std::string>& classes,
                     std::int64_t frames, double frame_rate) {
  return actions::timeline_svg(events_of(list), classes, frames, frame_rate);
}

}  // namespace

void bind_actions(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("actions");
  nb::class_<Model>(m, "Model")
      .def_ro("classes", &Model::classes)
      .def_prop_ro("prototypes", &prototypes_of)
      .def_prop_ro("options", &model_options)
      .def_prop_ro("facts", [](const Model& model) { return dict_of(model.facts); })
      .def(
          "save", [](const Model& model, const std::string& path) { model.write(path); },
          nb::call_guard<nb::gil_scoped_release>());
  m.def("read_model", &read_model);
  nb::class_<Recognizer>(m, "Recognizer")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("push", &Recognizer::push, nb::arg("frame").none())
      .def("finish", &Recognizer::finish)
      .def_prop_ro("frames", &Recognizer::frames)
      .def_prop_ro("latency", &Recognizer::latency)
      .def_prop_ro("settled_frames", &Recognizer::settled)
      .def_prop_ro("class_distances", &Recognizer::distances)
      .def_prop_ro("options", [](const Recognizer& r) { return option_values(r.options()); })
      .def_prop_ro("words", [](const Recognizer& r) { return option_words(r.options()); });
  nb::class_<PointFinder>(m, "PointFinder")
      .def("push", &PointFinder::push, nb::arg("frame").none())
      .def("finish",
           [](PointFinder& finder, double rate) { return columns_of(finder.finish(rate)); })
      .def_prop_ro("options", [](const PointFinder& f) { return option_values(f.options()); })
      .def_prop_ro("words", [](const PointFinder& f) { return option_words(f.options()); });
  m.def("point_finder", &point_finder);
  m.def("clip_finder", &clip_finder);
  nb::class_<Clips>(m, "Clips")
      .def(nb::init<>())
      .def("open", &Clips::open)
      .def("set_classes", &Clips::set_classes)
      .def("add_file", &Clips::add_file)
      .def("add_points", &Clips::add_points)
      .def("read", &Clips::read, nb::arg("options"), nb::arg("paper"), nb::arg("cut_first"),
           nb::arg("progress").none())
      .def("train", &Clips::train, nb::arg("options"), nb::arg("paper"), nb::arg("progress").none())
      .def("evaluate", &Clips::evaluate, nb::arg("options"), nb::arg("plan"),
           nb::arg("progress").none())
      .def_prop_ro("classes", &Clips::classes)
      .def_prop_ro("subjects", &Clips::subjects)
      .def_prop_ro("clips", &Clips::clips)
      .def("__len__", &Clips::size);
  m.def("recognize_options", &option_table<RecognizeOptions>);
  m.def("point_options", &option_table<PointOptions>);
  m.def("train_options", &option_table<TrainOptions>);
  m.def("evaluate_options", &option_table<EvaluateKeywords>);
  m.def("save_points", &save_points);
  m.def("read_points", &read_points);
  m.def("draw_points", &draw_points, nb::arg("image").none(), nb::arg("points"), nb::arg("frame"));
  m.def("draw_events", &draw_events, nb::arg("image").none(), nb::arg("events"), nb::arg("frame"));
  m.def("timeline", &timeline);
}

}  // namespace fovea::python
