// Recognizes actions in a stream: finds points as frames come, and reports events when they are
// certain.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <array>

#include "actions/recognize/event_finder.h"

namespace fovea::actions {
namespace {

constexpr double kUsualFrameRate = 25;

PointOptions point_options(const Model& model, const Exec& exec) {
  PointOptions options = model.points;
  options.descriptors = true;
  options.exec = exec;
  return options;
}

std::shared_ptr<const Model> checked(std::shared_ptr<const Model> model) {
  if (!model) throw InvalidArgument("recognize: the model is a null pointer");
  return model;
}

}  // namespace

std::span<const Choice> choices(StreamMode) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"stream", static_cast<int>(StreamMode::kStream)},
       {"blocks", static_cast<int>(StreamMode::kBlocks)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, RecognizeOptions& options) {
  visit("mode", options.mode,
        "stream matches the whole stream exactly, blocks matches overlapping blocks one after "
        "another");
  visit("block", options.block, "with the mode blocks: number of frames of a block", 3, 1e6);
  visit("overlap", options.overlap,
        "with the mode blocks: frames that a block shares with the one before it", 0, 1e6);
  visit("reject", options.reject,
        "factor of the reject levels: a greater one reports more, and 0 reports every match that "
        "is better than none",
        0, 100);
  visit("patience", options.patience,
        "with the mode stream: frames that an event waits for a better match before it is reported",
        0, 1e6);
  visit("places", options.places,
        "with the mode stream: greatest number of places, such as people side by side, that are "
        "matched apart from each other; 1 matches the points of the whole frame together",
        1, 64);
  visit("reach", options.reach,
        "factor of the distance, learned by the model, within which points belong to one place",
        0.01, 100);
  visit("classify", options.classify,
        "classify the frames of each event as a clip, by the score of the model, before it is "
        "reported");
  visit("frame-rate", options.frame_rate, "frames per second, for the times of events", 1e-3, 1e6,
        {.absent = "the rate of the video"});
}

struct Recognizer::Impl {
  Impl(std::shared_ptr<const Model> shared, const RecognizeOptions& chosen)
      : model(checked(std::move(shared))),
        options(chosen),
        stream(point_options(*model, options.exec)),
        finder(*model, options),
        frame_rate(options.frame_rate.value_or(kUsualFrameRate)) {}

  void take(std::span<const FramePoints> ready) {
    for (const FramePoints& frame : ready)
      finder.push(frame.frame, frame.points, frame.descriptors.view(), events);
  }
  std::span<const Event> result() {
    for (Event& event : events) {
      event.latency_frames = pushed - 1 - event.last_frame;
      event.start_seconds = static_cast<double>(event.first_frame) / frame_rate;
      event.end_seconds = static_cast<double>(event.last_frame + 1) / frame_rate;
    }
    return events;
  }

  std::shared_ptr<const Model> model;
  RecognizeOptions options;
  PointStream stream;
  EventFinder finder;
  double frame_rate;
  std::vector<Event> events;
  std::int64_t pushed = 0;
  bool takes_points = false;  // points of frames were pushed, not frames
  bool finished = false;
};

Recognizer::Recognizer(std::string_view model, const RecognizeOptions& options)
    : Recognizer(load_model(model), options) {}
Recognizer::Recognizer(std::shared_ptr<const Model> model, const RecognizeOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Recognizer::~Recognizer() = default;
Recognizer::Recognizer(Recognizer&&) noexcept = default;
Recognizer& Recognizer::operator=(Recognizer&&) noexcept = default;

std::span<const Event> Recognizer::push(ImageView<const std::uint8_t> frame) {
  impl_->events.clear();
  if (impl_->takes_points)
    throw InvalidArgument("recognize: a frame follows points; push either frames or points");
  impl_->finder.set_frame_size({frame.width, frame.height});
  const std::span<const FramePoints> ready = impl_->stream.push(frame);
  ++impl_->pushed;
  impl_->take(ready);
  return impl_->result();
}

std::span<const Event> Recognizer::push(const FramePoints& points, Extent size) {
  impl_->events.clear();
  if (impl_->pushed > 0 && !impl_->takes_points)
    throw InvalidArgument("recognize: points follow a frame; push either frames or points");
  if (points.frame != impl_->pushed)
    throw InvalidArgument(
        fmt::format("recognize: points of frame {}, expected frame {}: frames without points are "
                    "pushed as well",
                    points.frame, impl_->pushed));
  const auto count = static_cast<int>(points.points.size());
  if (count > 0 &&
      (points.descriptors.height() != count || points.descriptors.width() != kDescriptorSize))
    throw InvalidArgument(fmt::format(
        "recognize: {} points with {} descriptors of {} numbers; expected one of {} per point",
        count, points.descriptors.height(), points.descriptors.width(), kDescriptorSize));
  impl_->takes_points = true;
  impl_->finder.set_frame_size(size);
  ++impl_->pushed;
  impl_->take({&points, 1});
  return impl_->result();
}

std::span<const Event> Recognizer::finish() {
  impl_->events.clear();
  if (impl_->pushed == 0 || impl_->finished) return {};
  impl_->finished = true;
  if (!impl_->takes_points) impl_->take(impl_->stream.finish());
  impl_->finder.finish(impl_->events);
  return impl_->result();
}

const Model& Recognizer::model() const { return *impl_->model; }
const RecognizeOptions& Recognizer::options() const { return impl_->options; }

int Recognizer::latency() const { return impl_->takes_points ? 0 : impl_->stream.latency(); }

std::int64_t Recognizer::settled_frames() const {
  return impl_->finished ? impl_->pushed : impl_->finder.settled_frames();
}

std::span<const double> Recognizer::class_distances() const {
  return impl_->finder.class_distances();
}

}  // namespace fovea::actions
