// Recognizes actions in a stream: finds points as frames come, and reports events when they are
// certain.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <array>
#include <optional>

#include "actions/points/points_blocks.h"
#include "actions/recognize/event_finder.h"
#include "core/dispatch.h"

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

// Blocks are scenes of the host, and events that are classified as clips or explained need their
// descriptors there.
bool stays_on_device(const RecognizeOptions& options) {
  return options.mode == StreamMode::kStream && !options.classify && !options.explain &&
         fovea::detail::on_cuda(fovea::detail::resolve_exec("recognize", options.exec, {}));
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
  visit("explain", options.explain,
        "with the mode stream: explain each event by the nodes and triangles of its match, the "
        "runner-up and the limit of distances");
  visit("frame-rate", options.frame_rate, "frames per second, for the times of events", 1e-3, 1e6,
        {.absent = "the rate of the video"});
}

struct Recognizer::Impl {
  Impl(std::shared_ptr<const Model> shared, const RecognizeOptions& chosen,
       std::shared_ptr<const DevicePrototypes> prototypes = nullptr)
      : model(checked(std::move(shared))),
        options(chosen),
        frame_rate(options.frame_rate.value_or(kUsualFrameRate)) {
    const PointOptions points = point_options(*model, options.exec);
    if (!stays_on_device(options)) {
      stream.emplace(points);
      finder = std::make_unique<EventFinder>(*model, options);
      return;
    }
    finder = std::make_unique<EventFinder>(*model, options, std::move(prototypes));
    blocks.emplace(points,
                   [this](std::vector<FramePoints> frames, const PointBlocks::Describe& describe) {
                     finder->prepare(std::move(frames), describe);
                     while (finishing && finder->prepared() > 0) finder->push_prepared(events);
                   });
  }

  // A block makes many frames ready at once; they are taken one by one, so that the latency is the
  // same for every frame.
  void push_frame(ImageView<const std::uint8_t> frame) {
    if (!blocks) {
      const std::span<const FramePoints> ready = stream->push(frame);
      ++pushed;
      return take(ready);
    }
    blocks->push(frame);
    ++pushed;
    if (pushed > blocks->latency() && finder->prepared() > 0) finder->push_prepared(events);
  }
  // Points in host memory need searches of another kind.
  void begin_points() {
    if (!takes_points && blocks) {
      blocks.reset();
      finder = std::make_unique<EventFinder>(*model, options);
    }
    takes_points = true;
  }
  void finish() {
    finished = finishing = true;
    if (takes_points) return;
    if (!blocks) return take(stream->finish());
    while (finder->prepared() > 0) finder->push_prepared(events);
    blocks->finish();
  }
  void take(std::span<const FramePoints> ready) {
    for (const FramePoints& frame : ready)
      finder->push(frame.frame, frame.points, frame.descriptors.view(), events);
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
  std::unique_ptr<EventFinder> finder;
  std::optional<PointStream> stream;  // points come to the host
  std::optional<PointBlocks> blocks;  // or they stay on a GPU
  double frame_rate;
  std::vector<Event> events;
  std::int64_t pushed = 0;
  bool takes_points = false;  // points of frames were pushed, not frames
  bool finishing = false;
  bool finished = false;
};

Recognizer::Recognizer(std::string_view model, const RecognizeOptions& options)
    : Recognizer(load_model(model), options) {}
Recognizer::Recognizer(std::shared_ptr<const Model> model, const RecognizeOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Recognizer::~Recognizer() = default;
Recognizer::Recognizer(Recognizer&&) noexcept = default;
Recognizer& Recognizer::operator=(Recognizer&&) noexcept = default;
Recognizer::Recognizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Recognizer Recognizer::another() const {
  const DevicePlaces* const device = impl_->finder->device();
  return Recognizer(std::make_unique<Impl>(impl_->model, impl_->options,
                                           device ? device->prototypes() : nullptr));
}

std::span<const Event> Recognizer::push(ImageView<const std::uint8_t> frame) {
  impl_->events.clear();
  if (impl_->takes_points)
    throw InvalidArgument("recognize: a frame follows points; push either frames or points");
  impl_->finder->set_frame_size({frame.width, frame.height});
  impl_->push_frame(frame);
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
  impl_->begin_points();
  impl_->finder->set_frame_size(size);
  ++impl_->pushed;
  impl_->take({&points, 1});
  return impl_->result();
}

std::span<const Event> Recognizer::finish() {
  impl_->events.clear();
  if (impl_->pushed == 0 || impl_->finished) return {};
  impl_->finish();
  impl_->finder->finish(impl_->events);
  return impl_->result();
}

const Model& Recognizer::model() const { return *impl_->model; }
const RecognizeOptions& Recognizer::options() const { return impl_->options; }

int Recognizer::latency() const {
  if (impl_->takes_points) return 0;
  return impl_->blocks ? impl_->blocks->latency() : impl_->stream->latency();
}

std::int64_t Recognizer::settled_frames() const {
  return impl_->finished ? impl_->pushed : impl_->finder->settled_frames();
}

std::span<const double> Recognizer::class_distances() const {
  return impl_->finder->class_distances();
}

}  // namespace fovea::actions
