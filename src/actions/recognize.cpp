// Actions in a stream: points as frames come, events as they become certain.
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>

#include <array>

#include "actions/recognize_finder.h"

namespace fovea::actions {

std::span<const Choice> choices(StreamMode) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"stream", static_cast<int>(StreamMode::kStream)},
       {"blocks", static_cast<int>(StreamMode::kBlocks)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, RecognizeOptions& options) {
  visit("mode", options.mode, "exactly over the whole stream, or in overlapping blocks");
  visit("block", options.block, "frames of a block", 3, 1e6);
  visit("overlap", options.overlap, "frames that a block shares with the last", 0, 1e6);
  visit("reject", options.reject,
        "factor of the reject levels; greater tells more, 0: all that is nearer than nothing", 0,
        100);
  visit("patience", options.patience, "frames without anything nearer before an event is told", 0,
        1e6);
}

struct Recognizer::Impl {
  Impl(const Model& model, const RecognizeOptions& options, const Exec& exec)
      : stream(model.points, exec), finder(model, options, exec) {}

  void take(const PointStream::Ready& ready) {
    if (ready.frame >= 0) finder.push(ready.frame, ready.points, ready.descriptors, told);
  }
  std::span<const Event> result() {
    for (Event& event : told) event.latency = pushed - 1 - event.last_frame;
    return told;
  }

  PointStream stream;
  EventFinder finder;
  std::vector<Event> told;
  std::int64_t pushed = 0;
};

Recognizer::Recognizer(const Model& model, const RecognizeOptions& options, const Exec& exec)
    : impl_(std::make_unique<Impl>(model, options, exec)) {}
Recognizer::~Recognizer() = default;
Recognizer::Recognizer(Recognizer&&) noexcept = default;
Recognizer& Recognizer::operator=(Recognizer&&) noexcept = default;

std::span<const Event> Recognizer::push(ImageView<const std::uint8_t> gray) {
  impl_->told.clear();
  impl_->finder.set_frame_size(gray.width, gray.height);
  const PointStream::Ready ready = impl_->stream.push(gray);
  ++impl_->pushed;
  impl_->take(ready);
  return impl_->result();
}

std::span<const Event> Recognizer::finish() {
  impl_->told.clear();
  if (impl_->pushed == 0) return {};
  for (auto ready = impl_->stream.finish(); ready.frame >= 0; ready = impl_->stream.finish())
    impl_->take(ready);
  impl_->finder.finish(impl_->told);
  return impl_->result();
}

int Recognizer::latency() const { return impl_->stream.latency(); }

std::span<const double> Recognizer::class_distances() const {
  return impl_->finder.class_distances();
}

}  // namespace fovea::actions
