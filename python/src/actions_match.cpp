// fovea.actions.match: an example that is found in a scene.
#include <fovea/actions/explain.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "actions_points.h"
#include "define.h"
#include "explain.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using actions::PointSet;

struct MatchKeywords {
  actions::PointOptions points = actions::TrainOptions{}.points;
  actions::ExampleOptions example{};
  Exec exec{};
};
void describe(OptionVisitor& visit, MatchKeywords& options) {
  describe(visit, options.points);
  describe(visit, options.example);
}

// A short video in memory, or its points alone.
class MatchVideo {
 public:
  void push(nb::handle frame) {
    const ImageInput input = sizes_.take(frame);
    const auto view = input.of<std::uint8_t>();
    images_.push_back(view.channels == 3 ? io::to_gray(view) : clone(view));
  }
  void set_points(const nb::dict& columns) { points_ = set_of(columns); }
  void set_rate(double rate) { rate_ = rate; }

  std::vector<ImageView<const std::uint8_t>> frames() const {
    return {images_.begin(), images_.end()};
  }
  // Returns the points, which are found where they are not known.
  const PointSet& points(const actions::PointOptions& options) {
    if (points_.frames == 0 && !images_.empty()) {
      points_ = actions::find_points(frames(), options);
      points_.frame_rate = rate_;
    }
    return points_;
  }
  const PointSet& points() const { return points_; }
  void mirror() {
    mirrored_ = true;
    reverse_rows();
  }
  // Draws frames where there are points alone.
  void require_frames() {
    if (!images_.empty()) return;
    images_ = actions::point_frames(points_);
    if (mirrored_) reverse_rows();
  }
  std::size_t size() const { return images_.size(); }

 private:
  void reverse_rows() {
    for (Image<std::uint8_t>& image : images_)
      for (int y = 0; y < image.height(); ++y)
        std::reverse(image.row(y), image.row(y) + image.width());
  }

  FrameSizes sizes_{Device::cpu()};
  std::vector<Image<std::uint8_t>> images_;
  PointSet points_;
  double rate_ = 25;
  bool mirrored_ = false;
};

class FoundExample {
 public:
  FoundExample(std::shared_ptr<MatchVideo> example, std::shared_ptr<MatchVideo> scene,
               actions::ExampleMatch found, const actions::ExampleOptions& options)
      : example_(std::move(example)), scene_(std::move(scene)), found_(std::move(found)) {
    why_ = actions::explain(found_, options);
    const std::vector<double> model = seconds_of(example_->points()),
                              other = seconds_of(scene_->points());
    report_ = actions::report_of(found_, options.match,
                                 {.model_seconds = model,
                                  .scene_seconds = other,
                                  .model_width = example_->points().size.width});
    if (found_.mirrored) example_->mirror();
  }

  nb::tuple explanation() const { return explanation_of(why_, {}); }

  nb::dict values() const {
    nb::dict all = dict_of_record(record_ref(report_));
    all["graph"] = actions::match_graph_svg({.model = &found_.model,
                                             .scene = &found_.scene,
                                             .match = &found_.match,
                                             .model_size = example_->points().size,
                                             .scene_size = scene_->points().size});
    return all;
  }

  nb::object picture(int columns) const {
    example_->require_frames();
    scene_->require_frames();
    const auto model_frames = example_->frames(), scene_frames = scene_->frames();
    const actions::Chain chain = found_.chain(0);
    return picture_to_numpy(actions::match_picture({.model_frames = model_frames,
                                                    .scene_frames = scene_frames,
                                                    .model = &chain,
                                                    .scene = &found_.scene,
                                                    .match = &found_.match.strands[0].match,
                                                    .columns = columns}));
  }

 private:
  // The times of frames at a constant rate.
  static std::vector<double> seconds_of(const PointSet& points) {
    std::vector<double> seconds(static_cast<std::size_t>(points.frames));
    for (std::size_t i = 0; i < seconds.size(); ++i)
      seconds[i] = static_cast<double>(i) / points.frame_rate;
    return seconds;
  }

  std::shared_ptr<MatchVideo> example_, scene_;
  actions::ExampleMatch found_;
  actions::ExampleExplanation why_{};
  actions::ExampleReport report_{};
};

// Finds the example in the scene. Returns the match, the options and the words of the program.
nb::tuple match(MatchKeywords options, const std::shared_ptr<MatchVideo>& example,
                const std::shared_ptr<MatchVideo>& scene) {
  actions::check_cut(options.example.cut);
  const nb::dict values = option_values(options);
  const nb::list words = option_words(options);
  Calls calls(options.exec.device);
  options.points.exec = options.example.match.exec = calls.watched(options.exec);
  auto found = calls.run(kLongWork, nb::none(), [&] {
    for (MatchVideo* video : {example.get(), scene.get()}) {
      const PointSet& points = video->points(options.points);
      require_comparable(points, options.points);
      if (points.points.empty())
        throw InvalidArgument(
            fmt::format("the {} has no interest points; lower the detector's threshold",
                        video == example.get() ? "example" : "scene"));
    }
    return actions::match_example(example->points(), scene->points(), options.example);
  });
  if (!found)
    throw InvalidArgument(
        "the example has no match in the scene: no assignment keeps the order of frames and the "
        "window; allow dummies, fewer nodes or a wider window");
  return nb::make_tuple(
      std::make_unique<FoundExample>(example, scene, std::move(*found), options.example), values,
      words);
}

}  // namespace

void bind_actions_matching(nb::module_& m) {
  nb::class_<MatchVideo>(m, "MatchVideo")
      .def(nb::init<>())
      .def("push", &MatchVideo::push)
      .def("set_points", &MatchVideo::set_points)
      .def("set_rate", &MatchVideo::set_rate)
      .def("__len__", &MatchVideo::size);
  nb::class_<FoundExample>(m, "FoundExample")
      .def("values", &FoundExample::values)
      .def("explanation", &FoundExample::explanation)
      .def("picture", &FoundExample::picture);
  define(m, "match", &match);
  m.def("match_fields", &fields_of<actions::ExampleReport>);
}

}  // namespace fovea::python
