// Dense Lucas-Kanade on the CPU: from the coarsest level to the finest, each starting from the one
// before.
#include <fovea/core/geometry.h>
#include <algorithm>
#include <utility>

#include "flow/lk/lucas_kanade_cpu.h"
#include "flow/matcher.h"
#include "flow/witness.h"

namespace fovea::flow::cpu {
namespace {

constexpr std::int64_t kFewPixels = 8192;

struct Frame final : PreparedFrame {
  std::vector<Extent> sizes;       // of every level
  std::vector<FrameLevel> levels;  // empty for levels finer than the finest one that is estimated
};

class LucasKanade final : public Matcher {
 public:
  explicit LucasKanade(const lk::Plan& plan) : plan_(plan) {
    for (int radius = 0; radius <= lk::kMostRadius; ++radius)
      taps_.push_back(lk::window_taps(plan_.window, radius));
  }

  void set_base_level(int level) override { base_ = level; }

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    return prepare_planes({&gray, 1}, mask, std::move(reuse), exec);
  }
  std::unique_ptr<PreparedFrame> prepare_color(
      const std::array<ImageView<const float>, 3>& channels, ImageView<const std::uint8_t> mask,
      std::unique_ptr<PreparedFrame> reuse, const Exec& exec) override {
    return prepare_planes(channels, mask, std::move(reuse), exec);
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    const auto& first = dynamic_cast<const Frame&>(request.first);
    const auto& second = dynamic_cast<const Frame&>(request.second);
    const int count = static_cast<int>(first.sizes.size());
    const bool wanted = !out.confidence.empty();
    const int least = std::clamp(plan_.finest - base_, request.last_level, count - 1);
    const bool started = !request.start.u.empty();
    const int top = started ? std::min(request.start_level, count) : count;
    const int finest = std::min(least, top);
    const bool works = finest < top;  // otherwise the field that tiles start from is the result
    if (wanted && works && plan_.forward_backward) go_back(first, second, finest, exec);
    if (started) start_from(request.start);
    run({first, second, top, finest, wanted, !plan_.everywhere}, exec);
    if (wanted && works) {
      find_confidence(first, second, finest, exec);
      if (request.witness != nullptr && request.last_level == 0) witness(finest, *request.witness);
    } else if (wanted) keep_confidence(request.start);
    deliver(first, finest, request.last_level, out, exec);
  }

  int most_levels() const override { return plan_.levels; }
  int reach(int level) const override { return lk::reach(plan_, level); }
  // Two pyramids of bytes, an image of floats and one of gray units, two fields, the confidence and
  // its inputs, and a tile's result.
  std::uint64_t bytes_per_pixel() const override {
    constexpr std::uint64_t kChannel = 16;  // bytes, an image of floats and one of gray units
    return (plan_.forward_backward ? 58 : 50) +
           kChannel * static_cast<std::uint64_t>(plan_.channels - 1);
  }

 private:
  struct Descent {
    const Frame& first;
    const Frame& second;
    int top;     // levels below this one are estimated
    int finest;  // the last level that is estimated
    bool with_confidence;
    bool only_near;  // whether flow that reaches no pixel that counts may stay as it is
  };

  std::unique_ptr<PreparedFrame> prepare_planes(std::span<const ImageView<const float>> planes,
                                                ImageView<const std::uint8_t> mask,
                                                std::unique_ptr<PreparedFrame> reuse,
                                                const Exec& exec) {
    std::unique_ptr<Frame> frame(dynamic_cast<Frame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<Frame>();
    const int most = plan_.levels > 0 ? std::max(plan_.levels - base_, 1) : 0;
    const int count = lk::level_count(planes[0].width, planes[0].height, most);
    frame->sizes.assign(static_cast<std::size_t>(count), {});
    frame->levels.resize(static_cast<std::size_t>(count));
    for (FrameLevel& level : frame->levels) level.colors.resize(planes.size() - 1);
    for (std::size_t c = 0; c < planes.size(); ++c)
      prepare_channel(planes[c], mask, c, *frame, exec);
    return frame;
  }
  void prepare_channel(ImageView<const float> gray, ImageView<const std::uint8_t> mask,
                       std::size_t channel, Frame& frame, const Exec& exec) {
    const int count = static_cast<int>(frame.levels.size());
    const bool masked = !mask.empty();
    const int finest = std::min(plan_.finest, base_ + count - 1);
    quantize(gray, mask, gray_, exec);
    for (int level = 0; level < count; ++level) {
      if (level > 0) {
        halve(gray_, masked, halved_, exec);
        std::swap(gray_, halved_);
      }
      frame.sizes[static_cast<std::size_t>(level)] = {gray_.width(), gray_.height()};
      if (base_ + level < finest) continue;
      FrameLevel& features = frame.levels[static_cast<std::size_t>(level)];
      if (channel == 0) find_features(gray_, masked, plan_.rank, features, exec);
      else find_features(gray_, masked, plan_.rank, features.colors[channel - 1], exec);
    }
  }

  // Leaves the flow of the finest level in field_; starts from field_ unless `top` is the number of
  // levels.
  void run(const Descent& descent, const Exec& exec) {
    const int count = static_cast<int>(descent.first.sizes.size());
    for (int level = descent.top - 1; level >= descent.finest; --level) {
      throw_if_stopped(exec);
      const Extent size = descent.first.sizes[static_cast<std::size_t>(level)];
      // For small levels, threads cost more than they save.
      Exec here = exec;
      if (size.width * static_cast<std::int64_t>(size.height) < kFewPixels) here.threads = 1;
      if (level == count - 1) start_at_rest(size);
      else enlarge_field(size, here);
      refine(descent, level, here);
    }
  }

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

  void refine(const Descent& descent, int level, const Exec& exec) {
    const FrameLevel& first = descent.first.levels[static_cast<std::size_t>(level)];
    const FrameLevel& second = descent.second.levels[static_cast<std::size_t>(level)];
    const lk::LevelPlan& work = plan_.of(base_ + level);
    other_.resize(field_.u.width(), field_.u.height());
    const NearPixels near = descent.only_near
                                ? NearPixels(first, lk::far_reach(plan_, base_ + level), exec)
                                : NearPixels();
    for (int k = 0; k < work.steps(); ++k) {
      if (k < work.propagation) {
        propagate({first, second, field_, other_, lk::trial_distance(k), work.first_trial(k),
                   work.last_trial(k)},
                  exec);
        std::swap(field_, other_);
      }
      const bool last = k == work.steps() - 1;
      const bool with_confidence = last && descent.with_confidence && level == descent.finest;
      if (with_confidence) eigenvalues_.resize(field_.u.width(), field_.u.height());
      const lk::Round& round = work.round_of(k);
      step({first, second, field_, other_, with_confidence ? &eigenvalues_ : nullptr,
            taps_[static_cast<std::size_t>(round.radius)], plan_.robust, plan_.solve},
           exec);
      if (plan_.median == 0 || !work.median_after(k)) {
        std::swap(field_, other_);
        continue;
      }
      median(other_.u, field_.u, plan_.median, near, exec);
      median(other_.v, field_.v, plan_.median, near, exec);
    }
  }

  // Computes the flow from the second image to the first, which stops one level earlier.
  void go_back(const Frame& first, const Frame& second, int finest, const Exec& exec) {
    const int count = static_cast<int>(first.sizes.size());
    const int stop = std::min(finest + 1, count - 1);
    // Its flow is read wherever the pixels of the first image land.
    run({second, first, count, stop, false, false}, exec);
    if (stop > finest) enlarge_field(first.sizes[static_cast<std::size_t>(finest)], exec);
    std::swap(field_, backward_);
  }
  void find_confidence(const Frame& first, const Frame& second, int level, const Exec& exec) {
    const FrameLevel& from = first.levels[static_cast<std::size_t>(level)];
    const FrameLevel& to = second.levels[static_cast<std::size_t>(level)];
    residuals_.resize(field_.u.width(), field_.u.height());
    find_residuals({from, to, field_, residuals_}, exec);
    assess(
        {from, to, field_, residuals_, eigenvalues_, plan_.forward_backward ? &backward_ : nullptr,
         plan_.solve.min_eigenvalue, static_cast<float>(1 << (base_ + level))},
        confidence_, exec);
  }
  // Writes down what find_confidence() saw at the pixel of this level that is nearest.
  void witness(int level, Witness& to) const {
    const int width = field_.u.width(), height = field_.u.height(), half = (1 << level) / 2;
    const int x = lk::clamped((to.x + half) >> level, width),
              y = lk::clamped((to.y + half) >> level, height);
    const auto range = [&](const Plane<float>& plane) {
      float least = plane.row(y)[x], most = least;
      for (int dy = -lk::kSpacing; dy <= lk::kSpacing; dy += lk::kSpacing)
        for (int dx = -lk::kSpacing; dx <= lk::kSpacing; dx += lk::kSpacing) {
          const float value = plane.row(lk::clamped(y + dy, height))[lk::clamped(x + dx, width)];
          least = std::min(least, value);
          most = std::max(most, value);
        }
      return most - least;
    };
    Witness::Windows& seen = to.windows;
    seen.known = true;
    seen.level = base_ + level;
    seen.evidence = {static_cast<float>(residuals_.row(y)[x]), eigenvalues_.row(y)[x],
                     range(field_.u) + range(field_.v), static_cast<float>(1 << (base_ + level))};
    seen.doubt = lk::doubt(seen.evidence);
    if (plan_.forward_backward) {
      seen.there_and_back = there_and_back(field_, backward_, x, y);
      seen.doubt = lk::doubt_both_ways(seen.doubt, seen.there_and_back, seen.evidence.pixel);
    }
    seen.posed = seen.evidence.eigenvalue > plan_.solve.min_eigenvalue;
    seen.inside = lk::landing(x, field_.u.row(y)[x], width).inside &&
                  lk::landing(y, field_.v.row(y)[x], height).inside;
    seen.confidence = confidence_.row(y)[x];
  }
  void keep_confidence(const FlowView& start) {
    confidence_.resize(start.u.width, start.u.height);
    copy(ImageView<const float>(start.confidence), confidence_.view());
  }

  // Enlarges the result of the finest estimated level to the requested level.
  void deliver(const Frame& first, int level, int last, const FlowView& out, const Exec& exec) {
    const bool with_confidence = !out.confidence.empty();
    for (; level > last + 1; --level) {
      const Extent size = first.sizes[static_cast<std::size_t>(level - 1)];
      enlarge_field(size, exec);
      if (!with_confidence) continue;
      eigenvalues_.resize(size.width, size.height);
      enlarge(std::as_const(confidence_).view(), eigenvalues_.view(), Enlarge::kConfidence, exec);
      std::swap(confidence_, eigenvalues_);
    }
    const auto hand_over = [&](const Plane<float>& from, ImageView<float> to, Enlarge what) {
      if (level == last) copy(from.view(), to);
      else enlarge(from.view(), to, what, exec);
    };
    hand_over(field_.u, out.u, Enlarge::kFlow);
    hand_over(field_.v, out.v, Enlarge::kFlow);
    if (with_confidence) hand_over(confidence_, out.confidence, Enlarge::kConfidence);
  }

  lk::Plan plan_;
  std::vector<std::vector<float>> taps_;  // by radius
  int base_ = 0;
  Gray gray_, halved_;
  Field field_, other_, backward_;
  Plane<float> eigenvalues_, confidence_;
  Plane<std::uint16_t> residuals_;
};

}  // namespace

std::unique_ptr<Matcher> make_lucas_kanade(const lk::Plan& plan) {
  return std::make_unique<LucasKanade>(plan);
}

}  // namespace fovea::flow::cpu
