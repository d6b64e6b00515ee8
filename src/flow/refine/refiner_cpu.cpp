// The fields of both methods on one level, on the CPU: fused by what remains between the ranks of
// gray levels around each pixel, then refined.
#include <algorithm>
#include <utility>
#include <vector>

#include "flow/refine/refine_cpu.h"
#include "flow/refine/refine_math.h"
#include "flow/refine/refiner.h"

namespace fovea::flow::cpu {
namespace {

struct RefinerFrame final : PreparedFrame {
  std::vector<FrameLevel> features;
  std::vector<RefineLevel> levels;
};

class CpuRefiner final : public Refiner {
 public:
  explicit CpuRefiner(const refine::Plan& plan) : plan_(plan) {}

  void set_base_level(int level) override { base_ = level; }

  std::unique_ptr<PreparedFrame> prepare(const Source& source, std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    std::unique_ptr<RefinerFrame> frame(dynamic_cast<RefinerFrame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<RefinerFrame>();
    const bool masked = !source.mask.empty();
    frame->levels.resize(static_cast<std::size_t>(source.levels));
    frame->features.resize(plan_.fuse ? frame->levels.size() : 0);
    quantize(source.gray, source.mask, gray_, exec);
    for (std::size_t level = 0; level < frame->levels.size(); ++level) {
      if (level > 0) {
        halve(gray_, masked, halved_, exec);
        std::swap(gray_, halved_);
      }
      to_refine_level(gray_, masked, frame->levels[level], exec);
      if (plan_.fuse) find_features(gray_, masked, true, frame->features[level], exec);
    }
    return frame;
  }

  ImageView<const float> mean(const std::array<ImageView<const float>, 3>& channels,
                              const Exec& exec) override {
    const int width = channels[0].width, height = channels[0].height;
    mean_.resize(width, height);
    for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
      for (int y = static_cast<int>(first); y < last; ++y)
        for (int x = 0; x < width; ++x)
          mean_.row(y)[x] =
              refine::mean_of(channels[0].at(x, y), channels[1].at(x, y), channels[2].at(x, y));
    });
    return std::as_const(mean_).view();
  }

  void refine(const RefineStep& step, const Exec& exec) override {
    const auto& first = dynamic_cast<const RefinerFrame&>(step.first);
    const auto& second = dynamic_cast<const RefinerFrame&>(step.second);
    const auto level = static_cast<std::size_t>(step.level);
    if (level >= first.levels.size()) return;
    take(step.field, field_);
    if (!step.other.u.empty()) {
      take(step.other, other_);
      fuse(first.features[level], second.features[level], step.other_beyond_mask, exec);
    }
    refine_level(
        {first.levels[level], second.levels[level], plan_.of(base_ + step.level), plan_.energy},
        field_, space_, exec);
    give(step.field, exec);
  }

 private:
  static void take(const FlowView& from, Field& to) {
    to.resize(from.u.width, from.u.height);
    copy(ImageView<const float>(from.u), to.u.view());
    copy(ImageView<const float>(from.v), to.v.view());
  }
  // Takes the other field's vectors where they fit better.
  void fuse(const FrameLevel& first, const FrameLevel& second, bool beyond_mask, const Exec& exec) {
    const int width = field_.u.width(), height = field_.u.height();
    own_.resize(width, height);
    others_.resize(width, height);
    find_residuals({first, second, field_, own_}, exec);
    find_residuals({first, second, other_, others_}, exec);
    for_rows(exec, height, [&](std::int64_t begin, std::int64_t end) {
      for (int y = static_cast<int>(begin); y < end; ++y) {
        const std::uint16_t *own = own_.row(y), *others = others_.row(y);
        float *u = field_.u.row(y), *v = field_.v.row(y);
        const float *other_u = other_.u.row(y), *other_v = other_.v.row(y);
        const std::uint8_t* counts = first.masked() ? first.mask.row(y) : nullptr;
        for (int x = 0; x < width; ++x) {
          const bool better = counts != nullptr && counts[x] == 0
                                  ? beyond_mask
                                  : others[x] + refine::kFuseMargin < own[x];
          u[x] = better ? other_u[x] : u[x];
          v[x] = better ? other_v[x] : v[x];
        }
      }
    });
  }
  // Writes the result, and lowers the confidence where it is not what the method had found.
  void give(const FlowView& to, const Exec& exec) const {
    for_rows(exec, to.u.height, [&](std::int64_t first, std::int64_t last) {
      for (int y = static_cast<int>(first); y < last; ++y) {
        const float *u = field_.u.row(y), *v = field_.v.row(y);
        if (!to.confidence.empty()) {
          float* confidence = to.confidence.row(y);
          for (int x = 0; x < to.u.width; ++x)
            confidence[x] =
                refine::doubted(confidence[x], u[x] - to.u.row(y)[x], v[x] - to.v.row(y)[x]);
        }
        std::copy_n(u, to.u.width, to.u.row(y));
        std::copy_n(v, to.u.width, to.v.row(y));
      }
    });
  }

  refine::Plan plan_;
  int base_ = 0;
  Gray gray_, halved_;
  Plane<float> mean_;
  Field field_, other_;
  Plane<std::uint16_t> own_, others_;
  RefineSpace space_;
};

}  // namespace

std::unique_ptr<Refiner> make_refiner(const refine::Plan& plan) {
  return std::make_unique<CpuRefiner>(plan);
}

}  // namespace fovea::flow::cpu
