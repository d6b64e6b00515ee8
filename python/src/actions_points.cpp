// Points of fovea.actions: the finder, columns, files, selection and drawing.
#include "actions_points.h"

#include <fovea/actions/classify.h>
#include <fovea/actions/select_points.h>
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
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "actions_train.h"
#include "define.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {

using actions::FramePoints;
using actions::PointOptions;
using actions::PointSet;
using actions::SpaceTimePoint;

ImageInput FrameSizes::take(nb::handle frame) {
  ImageInput input = image_input(frame, {"frame", {io::SampleType::kUint8}, {1, 3}, &stream_});
  const auto view = input.of<std::uint8_t>();
  if (size_.width > 0 && (view.width != size_.width || view.height != size_.height))
    throw InvalidArgument(fmt::format("frame is {}x{}; expected {}x{}, the size of the first",
                                      view.width, view.height, size_.width, size_.height));
  size_ = {view.width, view.height};
  if (view.memory == Memory::kCuda) {
    nb::gil_scoped_release gil_release;
    stream_.synchronize();
  }
  return input;
}

Image<std::uint8_t> rgb_copy(nb::handle image) {
  const ImageInput input = image_input(image, {"image", {io::SampleType::kUint8}, {3}});
  return clone(input.of<std::uint8_t>());
}

namespace {

template <class Kind>
std::optional<Kind> kind_of(const nb::dict& columns, const char* name) {
  if (!columns.contains(name) || columns[name].is_none()) return {};
  const std::string word = text_of(columns[name]);
  std::string expected;
  for (const Choice& choice : actions::choices(Kind{})) {
    if (choice.word == word) return static_cast<Kind>(choice.value);
    expected += fmt::format("'{}', ", choice.word);
  }
  throw InvalidArgument(fmt::format("{} is '{}'; expected {}or None", name, word, expected));
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
  const auto rows = packed_view(static_cast<const float*>(array.data()), actions::kDescriptorSize,
                                static_cast<int>(points), 1);
  require_finite(rows, "descriptors");
  return clone(rows);
}

}  // namespace

nb::dict columns_of(PointSet&& set) {
  const bool described = !set.descriptors.empty();
  nb::dict columns = dict_of_record(record_ref(set));
  for (const auto& [name, column] : nb::cast<nb::dict>(columns["points"])) columns[name] = column;
  if (!described)
    columns["descriptors"] = to_numpy(std::vector<float>{}, {0, actions::kDescriptorSize});
  return columns;
}

PointSet set_of(const nb::dict& columns) {
  PointSet set;
  const auto [width, height] = nb::cast<std::pair<int, int>>(columns["size"]);
  set.size = {width, height};
  set.frames = nb::cast<std::int64_t>(columns["frames"]);
  set.frame_rate = nb::cast<double>(columns["frame_rate"]);
  set.detector = kind_of<actions::PointDetector>(columns, "detector");
  set.votes = kind_of<actions::FlowVotes>(columns, "votes");
  if (columns.contains("found_with")) set.found_with = text_of(columns["found_with"]);
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
  set.points.reserve(x.size());
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

void require_comparable(const PointSet& points, const PointOptions& expected) {
  if (const std::string why = actions::why_not_comparable(points, expected); !why.empty())
    throw InvalidArgument(why);
}

namespace {

// Finds the points of a video that comes frame by frame.
class PointFinder {
 public:
  explicit PointFinder(PointOptions options) : options_(std::move(options)) { begin(); }

  void push(nb::handle frame) {
    const ImageInput input = sizes_.take(frame);
    const auto view = input.of<std::uint8_t>();
    calls_.run(frame_work(view), nb::none(), [&] {
      keep(stream_->push(view));
      return ++set_.frames;
    });
    set_.size = sizes_.size();
  }

  // All points of the frames; the next frame begins another video.
  PointSet finish(double frame_rate) {
    calls_.run(kLongWork, nb::none(), [&] {
      keep(stream_->finish());
      return true;
    });
    PointSet set = std::exchange(set_, {});
    set.frame_rate = frame_rate;
    set.detector = options_.detector;
    if (options_.descriptors) set.votes = options_.votes;
    set.found_with = actions::point_words(options_);
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
  const actions::TrainOptions options = train_options(keywords, paper, "train");
  PointOptions points = options.points;
  points.exec = options.exec;
  return std::make_unique<PointFinder>(points);
}
// The points that a model is compared with.
std::unique_ptr<PointFinder> model_finder(const actions::Model& model, const nb::dict& keywords) {
  actions::ClassifyOptions options;
  set_keywords(options, keywords, "Classifier");
  PointOptions points = model.points;
  points.descriptors = true;
  points.exec = options.exec;
  points.exec.device = usable_device(options.exec.device);
  return std::make_unique<PointFinder>(points);
}

void save_points(const std::string& path, const nb::dict& columns) {
  const PointSet set = set_of(columns);
  nb::gil_scoped_release gil_release;
  io::FileSink file(path);
  if (std::filesystem::path(path).extension() == ".csv")
    actions::write_points_csv(file.sink(), set);
  else actions::write_points(file.sink(), set);
  file.commit();
}

nb::dict read_points(const std::string& path) {
  PointSet set = unlocked([&] { return actions::read_points(path); });
  return columns_of(std::move(set));
}

// Returns the points and the words of the program.
nb::tuple select(const actions::SelectOptions& options, const nb::dict& columns) {
  const PointSet set = set_of(columns);
  return nb::make_tuple(columns_of(unlocked([&] { return actions::select_points(set, options); })),
                        option_words(options));
}

nb::object draw_points(nb::handle image, const nb::dict& columns, std::int64_t frame) {
  Image<std::uint8_t> rgb = rgb_copy(image);
  std::vector<SpaceTimePoint> points = set_of(columns).points;
  std::erase_if(points, [&](const SpaceTimePoint& point) { return point.frame != frame; });
  actions::draw_points(rgb.view(), points);
  return picture_to_numpy(std::move(rgb));
}

}  // namespace

void bind_actions_points(nb::module_& m) {
  define_face<PointFinder>(m, "PointFinder")
      .def("push", &PointFinder::push)
      .def("finish",
           [](PointFinder& finder, double rate) { return columns_of(finder.finish(rate)); });
  m.def("point_finder", &point_finder);
  m.def("clip_finder", &clip_finder);
  m.def("model_finder", &model_finder);
  m.def("point_options", &option_table<PointOptions>);
  m.def("points_fields", &fields_of<PointSet>);
  m.def("save_points", &save_points);
  m.def("read_points", &read_points);
  define<ChoosesDevice::kOperation>(m, "select", &select);
  m.def("checked_points", [](const nb::dict& columns) { return columns_of(set_of(columns)); });
  m.def("is_points_file", [](const std::string& path) {
    return unlocked([&] { return actions::is_points_file(path); });
  });
  m.def("draw_points", &draw_points);
}

}  // namespace fovea::python
