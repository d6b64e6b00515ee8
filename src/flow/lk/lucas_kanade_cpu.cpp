// Dense Lucas-Kanade on the CPU: from the coarsest level down, each starting from the one before.
#include <algorithm>
#include <utility>

#include "flow/lk/kernels.h"
#include "flow/matcher.h"

namespace fovea::flow::cpu {
namespace {

struct Extent {
  int width, height;
};

struct Frame final : PreparedFrame {
  std::vector<Extent> sizes;       // of every level
  std::vector<FrameLevel> levels;  // empty where finer than the work goes
};

class LucasKanade final : public Matcher {
 public:
  explicit LucasKanade(const LucasKanadeOptions& options) : plan_(lk::make_plan(options)) {
    for (int radius = 0; radius <= lk::kMostRadius; ++radius)
      taps_.push_back(lk::window_taps(plan_.window, radius));
  }

  void set_base_level(int level) override { base_ = level; }

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> grey,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    std::unique_ptr<Frame> frame(dynamic_cast<Frame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<Frame>();
    const int most = plan_.levels > 0 ? std::max(plan_.levels - base_, 1) : 0;
    const int count = lk::level_count(grey.width, grey.height, most);
    frame->sizes.clear();
    frame->levels.resize(static_cast<std::size_t>(count));
    const bool masked = !mask.empty();
    const int finest = std::min(plan_.finest, base_ + count - 1);
    quantise(grey, mask, grey_, exec);
    for (int level = 0; level < count; ++level) {
      if (level > 0) {
        halve(grey_, masked, halved_, exec);
        std::swap(grey_, halved_);
      }
      frame->sizes.push_back({grey_.width(), grey_.height()});
      FrameLevel& features = frame->levels[static_cast<std::size_t>(level)];
      if (base_ + level >= finest) find_features(grey_, masked, plan_.rank, features, exec);
    }
    return frame;
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    const auto& first = dynamic_cast<const Frame&>(request.first);
    const auto& second = dynamic_cast<const Frame&>(request.second);
    const int count = static_cast<int>(first.sizes.size());
    const bool started = !request.start.u.empty();
    const int top = started ? std::min(request.start_level, count) : count;
    const int finest = std::clamp(plan_.finest - base_, request.last_level, top - 1);
    if (started) start_from(request.start);
    for (int level = top - 1; level >= finest; --level) {
      throw_if_stopped(exec);
      const Extent size = first.sizes[static_cast<std::size_t>(level)];
      if (level == count - 1) start_at_rest(size);
      else enlarge_field(size, exec);
      refine(first.levels[static_cast<std::size_t>(level)],
             second.levels[static_cast<std::size_t>(level)], level, exec);
    }
    deliver(first, finest, request.last_level, out, exec);
  }

 private:
  void start_from(const FlowView& start) {
    field_.resize(start.u.width, start.u.height);
    copy(ImageView<const float>(start.u), field_.u.view());
    copy(ImageView<const float>(start.v), field_.v.view());
  }
  void start_at_rest(Extent size) {
    field_.resize(size.width, size.height);
    for (Plane<float>* plane : {&field_.u, &field_.v})
      for (int y = 0; y < size.height; ++y) std::fill_n(plane->row(y), size.width, 0.0F);
  }
  void enlarge_field(Extent size, const Exec& exec) {
    other_.resize(size.width, size.height);
    enlarge(std::as_const(field_.u).view(), other_.u.view(), Enlarge::kFlow, exec);
    enlarge(std::as_const(field_.v).view(), other_.v.view(), Enlarge::kFlow, exec);
    std::swap(field_, other_);
  }

  // Leaves the level's flow in field_.
  void refine(const FrameLevel& first, const FrameLevel& second, int level, const Exec& exec) {
    const lk::LevelPlan& work = plan_.of(base_ + level);
    other_.resize(field_.u.width(), field_.u.height());
    for (int k = 0; k < work.steps(); ++k) {
      if (k < work.propagation) {
        propagate({first, second, field_, other_, std::max(4 >> k, 1)}, exec);
        std::swap(field_, other_);
      }
      const lk::Round& round = k < work.wide.steps ? work.wide : work.narrow;
      step({first, second, field_, other_, nullptr, taps_[static_cast<std::size_t>(round.radius)],
            plan_.robust, plan_.solve},
           exec);
      if (plan_.median == 0) {
        std::swap(field_, other_);
        continue;
      }
      median(other_.u, field_.u, plan_.median, exec);
      median(other_.v, field_.v, plan_.median, exec);
    }
  }

  void deliver(const Frame& first, int level, int last, const FlowView& out, const Exec& exec) {
    for (; level > last + 1; --level)
      enlarge_field(first.sizes[static_cast<std::size_t>(level - 1)], exec);
    if (level == last) {
      copy(std::as_const(field_.u).view(), out.u);
      copy(std::as_const(field_.v).view(), out.v);
    } else {
      enlarge(std::as_const(field_.u).view(), out.u, Enlarge::kFlow, exec);
      enlarge(std::as_const(field_.v).view(), out.v, Enlarge::kFlow, exec);
    }
    for (int y = 0; y < out.confidence.height; ++y)
      std::fill_n(out.confidence.row(y), out.confidence.width, 1.0F);
  }

  lk::Plan plan_;
  std::vector<std::vector<float>> taps_;  // by radius
  int base_ = 0;
  Grey grey_, halved_;
  Field field_, other_;
};

}  // namespace

std::unique_ptr<Matcher> make_lucas_kanade(const LucasKanadeOptions& options) {
  return std::make_unique<LucasKanade>(options);
}

}  // namespace fovea::flow::cpu
