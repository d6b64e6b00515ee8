// Goes from coarse to fine with both methods: on each level they start from the refined field of
// the coarser one, their fields are fused, and the result is refined. It works on any device.
#include <fovea/core/geometry.h>
#include <fovea/core/stream.h>

#include <algorithm>
#include <utility>

#include "core/backend.h"
#include "flow/refine/refiner.h"
#include "flow/witness.h"

namespace fovea::flow {
namespace {

struct RefinedFrame final : PreparedFrame {
  Extent size{};
  int levels = 0;
  std::unique_ptr<PreparedFrame> primary, other, refined;
};

// The planes of a field, which grow when needed.
struct KeptField {
  Image<float> u, v, confidence;

  FlowView of(Extent size, Memory memory) {
    if (u.width() < size.width || u.height() < size.height || u.view().memory != memory)
      for (Image<float>* plane : {&u, &v, &confidence})
        *plane = Image<float>(size.width, size.height, 1, memory);
    const auto part = [&](Image<float>& plane) {
      return plane.view().crop(0, 0, size.width, size.height);
    };
    return {part(u), part(v), part(confidence)};
  }
};

// Coarser levels are left to the methods.
int refined_levels(Extent size, int least_side, int most) {
  int levels = 1;
  for (int side = std::min(size.width, size.height); (side + 1) / 2 >= least_side;
       side = (side + 1) / 2)
    ++levels;
  return most > 0 ? std::min(levels, most) : levels;
}

// Where the work of a call goes. On a GPU the methods, which do not depend on each other, overlap,
// and the host does not wait between levels.
class Lanes {
 public:
  Lanes(const Exec& exec, Memory memory, Stream (&streams)[2])
      : main(exec), beside(exec), stream_(exec.stream), used_(memory == Memory::kCuda) {
    if (!used_) return;
    for (Stream& stream : streams)
      if (stream.get() == nullptr) stream = Stream(exec.device);
    beside.stream = streams[1].get();
    if (stream_ != nullptr) return;
    main.stream = streams[0].get();
    wait(main.stream, stream_);
  }
  // What `beside` gets from now on follows what `main` has got.
  void fork() const { wait(beside.stream, main.stream); }
  void join() const { wait(main.stream, beside.stream); }
  // Later work of the caller follows.
  void hand_over() const {
    if (main.stream != stream_) wait(stream_, main.stream);
  }
  // Ends a call: the host waits unless the caller has a stream of its own.
  void finish() const {
    if (used_ && stream_ == nullptr) fovea::cuda::synchronize_stream(main.stream);
  }

  Exec main, beside;

 private:
  void wait(void* stream, void* other) const {
    if (used_) fovea::cuda::wait_for_stream(stream, other);
  }
  void* stream_;  // the caller's own, or null
  bool used_;
};

class RefinedMatcher final : public Matcher {
 public:
  explicit RefinedMatcher(RefinedParts parts) : parts_(std::move(parts)) {}

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    const Lanes lanes(exec, parts_.memory, streams_);
    auto frame = begin({gray.width, gray.height}, std::move(reuse));
    lanes.fork();
    frame->primary = parts_.primary->prepare(gray, mask, std::move(frame->primary), lanes.main);
    if (parts_.other)
      frame->other = parts_.other->prepare(gray, mask, std::move(frame->other), lanes.beside);
    finish(*frame, gray, mask, lanes);
    return frame;
  }
  std::unique_ptr<PreparedFrame> prepare_color(
      const std::array<ImageView<const float>, 3>& channels, ImageView<const std::uint8_t> mask,
      std::unique_ptr<PreparedFrame> reuse, const Exec& exec) override {
    const Lanes lanes(exec, parts_.memory, streams_);
    auto frame = begin({channels[0].width, channels[0].height}, std::move(reuse));
    const ImageView<const float> gray = parts_.refiner->mean(channels, lanes.main);
    lanes.fork();
    const auto prepared = [&](Matcher& matcher, bool colors, std::unique_ptr<PreparedFrame> old,
                              const Exec& lane) {
      return colors ? matcher.prepare_color(channels, mask, std::move(old), lane)
                    : matcher.prepare(gray, mask, std::move(old), lane);
    };
    frame->primary =
        prepared(*parts_.primary, parts_.primary_has_colors, std::move(frame->primary), lanes.main);
    if (parts_.other)
      frame->other =
          prepared(*parts_.other, parts_.other_has_colors, std::move(frame->other), lanes.beside);
    finish(*frame, gray, mask, lanes);
    return frame;
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    const auto& first = dynamic_cast<const RefinedFrame&>(request.first);
    const auto& second = dynamic_cast<const RefinedFrame&>(request.second);
    const Lanes lanes(exec, parts_.memory, streams_);
    const bool started = !request.start.u.empty();
    int level = first.levels;
    if (started) level = std::min(level, request.start_level);
    level = std::max(level - 1, request.last_level);
    Start start{request.start, request.start_level};
    for (; level >= request.last_level; --level) {
      const bool last = level == request.last_level;
      const Extent size = size_of(first, level);
      FlowView field = out;
      if (!last || out.confidence.empty()) {
        const FlowView own = fields_[level % 2].of(size, parts_.memory);
        if (!last) field = own;
        else field.confidence = own.confidence;
      }
      run_level({first, second, start, level, size, last && !out.confidence.empty(),
                 level == 0 ? request.witness : nullptr},
                field, lanes);
      start = {{field.u, field.v, {}}, level};
    }
    lanes.finish();
  }

  void set_base_level(int level) override {
    base_ = level;
    parts_.primary->set_base_level(level);
    if (parts_.other) parts_.other->set_base_level(level);
    parts_.refiner->set_base_level(level);
  }
  int grid() const override {
    return std::max(parts_.primary->grid(), parts_.other ? parts_.other->grid() : 1);
  }
  int most_levels() const override {
    const int own = parts_.primary->most_levels(),
              other = parts_.other ? parts_.other->most_levels() : 0;
    return own > 0 && other > 0 ? std::min(own, other) : std::max(own, other);
  }
  int reach(int level) const override {
    return refine::kReach +
           std::max(parts_.primary->reach(level), parts_.other ? parts_.other->reach(level) : 0);
  }
  std::uint64_t bytes_per_pixel() const override {
    return parts_.primary->bytes_per_pixel() +
           (parts_.other ? parts_.other->bytes_per_pixel() : 0) + parts_.bytes_per_pixel;
  }

 private:
  struct Start {
    FlowView field;
    int level;
  };
  struct Level {
    const RefinedFrame& first;
    const RefinedFrame& second;
    Start start;
    int level;
    Extent size;
    bool with_confidence;
    Witness* witness;
  };

  static Extent size_of(const RefinedFrame& frame, int level) {
    Extent size = frame.size;
    for (; level > 0; --level) size = {(size.width + 1) / 2, (size.height + 1) / 2};
    return size;
  }

  std::unique_ptr<RefinedFrame> begin(Extent size, std::unique_ptr<PreparedFrame> reuse) const {
    std::unique_ptr<RefinedFrame> frame(dynamic_cast<RefinedFrame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<RefinedFrame>();
    frame->size = size;
    const int most = most_levels();
    frame->levels =
        refined_levels(size, parts_.least_side, most > 0 ? std::max(most - base_, 1) : 0);
    return frame;
  }

  void finish(RefinedFrame& frame, ImageView<const float> gray, ImageView<const std::uint8_t> mask,
              const Lanes& lanes) {
    frame.refined =
        parts_.refiner->prepare({gray, mask, frame.levels}, std::move(frame.refined), lanes.main);
    lanes.join();
    lanes.hand_over();
  }

  // Blocks need a confidence on every level, the other method only where it is wanted.
  void run_level(Level at, FlowView field, const Lanes& lanes) {
    FlowView other{};
    FlowView& start = at.start.field;
    if (!start.u.empty()) start.confidence = steady({start.u.width, start.u.height}, lanes.main);
    lanes.fork();
    if (parts_.other) {
      other = other_[at.level % 2].of(at.size, parts_.memory);
      FlowView to = other;
      if (parts_.primary_is_bm) to.confidence = {};
      match_level(*parts_.other, at, {*at.first.other, *at.second.other}, to, lanes.beside);
    }
    FlowView to = field;
    if (!parts_.primary_is_bm && !at.with_confidence) to.confidence = {};
    match_level(*parts_.primary, at, {*at.first.primary, *at.second.primary}, to, lanes.main);
    lanes.join();
    if (!at.with_confidence) field.confidence = {};
    if (at.witness != nullptr) at.witness->refined = {true, motion_at(field, *at.witness), {}};
    parts_.refiner->refine(
        {*at.first.refined, *at.second.refined, at.level, field, other, parts_.primary_is_bm},
        lanes.main);
    if (at.witness != nullptr) at.witness->refined.after = motion_at(field, *at.witness);
  }
  static bm::Motion motion_at(const FlowView& field, const Witness& witness) {
    const auto value = [&](const ImageView<float>& plane) {
      return plane.empty() ? 0.0F : plane.at(witness.x, witness.y);
    };
    return {value(field.u), value(field.v), value(field.confidence)};
  }
  // Blocks weigh what they start from by its confidence. The one of a refined field says how far it
  // was moved, and tiles have another than whole images, so that all vectors weigh the same.
  ImageView<float> steady(Extent size, const Exec& exec) {
    if (steady_.width() < size.width || steady_.height() < size.height) {
      constexpr float kSteady = 0.5F;
      Image<float> values(size.width, size.height);
      for (int y = 0; y < size.height; ++y) std::fill_n(values.view().row(y), size.width, kSteady);
      steady_ = Image<float>(size.width, size.height, 1, parts_.memory);
      copy(values.view(), steady_.view(), exec);
    }
    return steady_.view().crop(0, 0, size.width, size.height);
  }
  static void match_level(Matcher& matcher, const Level& at, MatchRequest request, FlowView out,
                          const Exec& exec) {
    request.start = at.start.field;
    request.start_level = at.start.level;
    request.last_level = at.level;
    request.witness = at.witness;
    matcher.match(request, out, exec);
  }

  RefinedParts parts_;
  int base_ = 0;
  KeptField fields_[2], other_[2];  // a level reads those of the coarser one
  Image<float> steady_{};           // the same confidence everywhere
  Stream streams_[2];               // of a GPU
};

}  // namespace

std::unique_ptr<Matcher> make_refined(RefinedParts parts) {
  return std::make_unique<RefinedMatcher>(std::move(parts));
}

}  // namespace fovea::flow
