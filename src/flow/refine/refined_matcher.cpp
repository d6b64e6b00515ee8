// Goes from coarse to fine with both methods: on each level they start from the refined field of
// the coarser one, their fields are fused, and the result is refined. It works on any device.
#include <fovea/core/geometry.h>

#include <algorithm>
#include <utility>

#include "flow/refine/refiner.h"

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

class RefinedMatcher final : public Matcher {
 public:
  explicit RefinedMatcher(RefinedParts parts) : parts_(std::move(parts)) {}

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    auto frame = begin({gray.width, gray.height}, std::move(reuse));
    frame->primary = parts_.primary->prepare(gray, mask, std::move(frame->primary), exec);
    if (parts_.other)
      frame->other = parts_.other->prepare(gray, mask, std::move(frame->other), exec);
    frame->refined =
        parts_.refiner->prepare({gray, mask, frame->levels}, std::move(frame->refined), exec);
    return frame;
  }
  std::unique_ptr<PreparedFrame> prepare_color(
      const std::array<ImageView<const float>, 3>& channels, ImageView<const std::uint8_t> mask,
      std::unique_ptr<PreparedFrame> reuse, const Exec& exec) override {
    auto frame = begin({channels[0].width, channels[0].height}, std::move(reuse));
    const ImageView<const float> gray = parts_.refiner->mean(channels, exec);
    const auto prepared = [&](Matcher& matcher, bool colors, std::unique_ptr<PreparedFrame> old) {
      return colors ? matcher.prepare_color(channels, mask, std::move(old), exec)
                    : matcher.prepare(gray, mask, std::move(old), exec);
    };
    frame->primary =
        prepared(*parts_.primary, parts_.primary_has_colors, std::move(frame->primary));
    if (parts_.other)
      frame->other = prepared(*parts_.other, parts_.other_has_colors, std::move(frame->other));
    frame->refined =
        parts_.refiner->prepare({gray, mask, frame->levels}, std::move(frame->refined), exec);
    return frame;
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    const auto& first = dynamic_cast<const RefinedFrame&>(request.first);
    const auto& second = dynamic_cast<const RefinedFrame&>(request.second);
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
      run_level({first, second, start, level, size, last && !out.confidence.empty()}, field, exec);
      start = {{field.u, field.v, {}}, level};
    }
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

  // Blocks need a confidence on every level, the other method only where it is wanted.
  void run_level(const Level& at, FlowView field, const Exec& exec) {
    FlowView other{};
    if (parts_.other) {
      other = other_[at.level % 2].of(at.size, parts_.memory);
      FlowView to = other;
      if (parts_.primary_is_bm) to.confidence = {};
      match_level(*parts_.other, at, {*at.first.other, *at.second.other}, to, exec);
    }
    FlowView to = field;
    if (!parts_.primary_is_bm && !at.with_confidence) to.confidence = {};
    match_level(*parts_.primary, at, {*at.first.primary, *at.second.primary}, to, exec);
    if (!at.with_confidence) field.confidence = {};
    parts_.refiner->refine(
        {*at.first.refined, *at.second.refined, at.level, field, other, parts_.primary_is_bm},
        exec);
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
  void match_level(Matcher& matcher, const Level& at, MatchRequest request, FlowView out,
                   const Exec& exec) {
    request.start = at.start.field;
    if (!request.start.u.empty())
      request.start.confidence = steady({request.start.u.width, request.start.u.height}, exec);
    request.start_level = at.start.level;
    request.last_level = at.level;
    matcher.match(request, out, exec);
  }

  RefinedParts parts_;
  int base_ = 0;
  KeptField fields_[2], other_[2];  // a level reads those of the coarser one
  Image<float> steady_{};           // the same confidence everywhere
};

}  // namespace

std::unique_ptr<Matcher> make_refined(RefinedParts parts) {
  return std::make_unique<RefinedMatcher>(std::move(parts));
}

}  // namespace fovea::flow
