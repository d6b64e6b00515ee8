// The fields of both methods on one level, on CUDA: the stages of the CPU twin in the same order.
// What is launched depends on sizes and addresses alone and is recorded once per level.
#include <fovea/core/geometry.h>

#include <utility>
#include <vector>

#include "core/kept_buffer.cuh"
#include "core/recorded_graph.cuh"
#include "flow/refine/refine_cuda.cuh"
#include "flow/refine/refiner.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::KeptBuffer;
using fovea::cuda::RecordedGraphs;
using fovea::cuda::Session;

constexpr std::size_t kRefineGraphs = 32;  // graphs that are kept: two per level along a video

struct DeviceRefinerFrame final : PreparedFrame {
  std::vector<DeviceRefineLevel> levels;
  KeptBuffer<float> grays;
  KeptBuffer<std::uint8_t> bytes;
};

std::size_t stride_of(Extent size) { return static_cast<std::size_t>((size.width + 31) / 32 * 32); }
std::size_t area_of(Extent size) { return stride_of(size) * static_cast<std::size_t>(size.height); }
template <class T>
DevicePlane<T> take_plane(T*& next, Extent size) {
  T* data = std::exchange(next, next + area_of(size));
  return {data, size.width, size.height, static_cast<int>(stride_of(size))};
}

// What a recorded preparation depends on.
struct RefinerFrameKey {
  const void *gray, *mask, *grays, *bytes, *units;
  std::ptrdiff_t gray_stride, mask_stride;
  Extent size;
  int levels;
  bool operator==(const RefinerFrameKey&) const = default;
};
// What a recorded refinement depends on.
struct RefineKey {
  const void *first, *second, *first_mask, *second_mask, *planes, *derivatives;
  Extent size;
  int warps;
  bool operator==(const RefineKey&) const = default;
};

class CudaRefiner final : public Refiner {
 public:
  explicit CudaRefiner(const refine::Plan& plan) : plan_(plan) {}

  void set_base_level(int level) override { base_ = level; }

  std::unique_ptr<PreparedFrame> prepare(const Source& source, std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    Session session(exec);
    std::unique_ptr<DeviceRefinerFrame> frame(dynamic_cast<DeviceRefinerFrame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<DeviceRefinerFrame>();
    const bool masked = !source.mask.empty();
    lay_out(*frame, {source.gray.width, source.gray.height}, masked, source.levels);
    const RefinerFrameKey key{source.gray.data,    source.mask.data,
                              frame->grays.data(), frame->bytes.data(),
                              units_.data(),       source.gray.stride,
                              source.mask.stride,  {source.gray.width, source.gray.height},
                              source.levels};
    frames_.of(key, [&](cudaStream_t stream) { prepare_levels(source, *frame, stream); })
        .launch(session.stream());
    session.finish("flow");
    return frame;
  }

  ImageView<const float> mean(const std::array<ImageView<const float>, 3>& channels,
                              const Exec& exec) override {
    Session session(exec);
    const Extent size{channels[0].width, channels[0].height};
    float* next = mean_.reserve(area_of(size));
    const FloatPlane out = take_plane(next, size);
    mean_of_channels({plane_of(channels[0]), plane_of(channels[1]), plane_of(channels[2])}, out,
                     session.stream());
    session.finish("flow");
    return {out.data, out.width, out.height, 1, out.stride, Memory::kCuda};
  }

  void refine(const RefineStep& step, const Exec& exec) override {
    const auto& first = dynamic_cast<const DeviceRefinerFrame&>(step.first);
    const auto& second = dynamic_cast<const DeviceRefinerFrame&>(step.second);
    const auto level = static_cast<std::size_t>(step.level);
    if (level >= first.levels.size()) return;
    Session session(exec);
    const DeviceRefineLevel &from = first.levels[level], &to = second.levels[level];
    const Extent size{step.field.u.width, step.field.u.height};
    const refine::Work work = plan_.of(base_ + step.level);
    DeviceRefine job{from, to, {}, plan_.energy};
    lay_out_space(size, job);
    const DeviceField given{plane_of(step.field.u), plane_of(step.field.v)};
    if (step.other.u.empty()) settle(given, fields_[0], {}, session.stream());
    else
      fuse({from.features,
            to.features,
            given,
            {plane_of(step.other.u), plane_of(step.other.v)},
            fields_[0],
            step.other_beyond_mask},
           session.stream());
    int now = 0;
    if (work.warps > 0) {
      const RefineKey key{from.gray.data,
                          to.gray.data,
                          from.features.mask.data,
                          to.features.mask.data,
                          planes_.data(),
                          derivatives_.data(),
                          size,
                          work.warps};
      const auto& recorded =
          graphs_.of(key, [&](cudaStream_t stream) { return run(job, work, stream); });
      recorded.launch(session.stream());
      now = recorded.note;
    }
    settle(fields_[now], given,
           step.field.confidence.empty() ? FloatPlane{} : plane_of(step.field.confidence),
           session.stream());
    session.finish("flow");
  }

 private:
  void prepare_levels(const Source& source, const DeviceRefinerFrame& frame, cudaStream_t stream) {
    FeatureLevels features{};
    std::uint16_t* next = units_.data();
    DeviceGray before{};
    for (std::size_t level = 0; level < frame.levels.size(); ++level) {
      const DeviceRefineLevel& out = frame.levels[level];
      const DeviceGray units = take_plane(next, {out.gray.width, out.gray.height});
      if (level == 0) quantize(plane_of(source.gray), plane_of(source.mask), units, stream);
      else halve(before, !source.mask.empty(), units, stream);
      before = units;
      to_gray_levels(units, out.gray, stream);
      features.gray[features.count] = units;
      features.mask[features.count] = out.features.mask;
      features.out[features.count++] = out.features.features;
    }
    find_features(features, true, stream);
  }

  void lay_out(DeviceRefinerFrame& frame, Extent size, bool masked, int count) {
    std::size_t area = 0;
    Extent at = size;
    for (int level = 0; level < count; ++level, at = {(at.width + 1) / 2, (at.height + 1) / 2})
      area += area_of(at);
    units_.reserve(area);
    float* grays = frame.grays.reserve(area);
    std::uint8_t* bytes = frame.bytes.reserve(area * (masked ? 2 : 1));
    frame.levels.assign(static_cast<std::size_t>(count), {});
    for (DeviceRefineLevel& level : frame.levels) {
      level.gray = take_plane(grays, size);
      level.features.features = take_plane(bytes, size);
      if (masked) level.features.mask = take_plane(bytes, size);
      size = {(size.width + 1) / 2, (size.height + 1) / 2};
    }
  }

  void lay_out_space(Extent size, DeviceRefine& job) {
    constexpr std::size_t kPlanes = 2 * kFields + 1, kDerivatives = 2;
    float* next = planes_.reserve(kPlanes * area_of(size));
    for (DeviceField& field : fields_) field = {take_plane(next, size), take_plane(next, size)};
    job.warp.valid = take_plane(next, size);
    float4* derivatives = derivatives_.reserve(kDerivatives * area_of(size));
    job.warp.first = take_plane(derivatives, size);
    job.warp.second = take_plane(derivatives, size);
  }

  // Begins with the first field and returns which one has the result.
  int run(const DeviceRefine& job, const refine::Work& work, cudaStream_t stream) {
    int now = 0;
    for (int warp = 0; warp < work.warps; ++warp) {
      const int base = now;
      // A field that is neither the flow of the warp nor this one.
      const auto free = [&](int other) {
        return other == base ? (base + 1) % kFields : 3 - base - other;
      };
      refine_warp(job, fields_[base], stream);
      bool smoothed = work.median == 0;
      for (int k = 0; k < work.fixed; ++k) {
        const int next = free(now);
        const bool last = k == work.fixed - 1;
        const bool done = solve(job, {fields_[base], fields_[now], fields_[next], work.relaxations},
                                last ? work.median : 0, stream);
        smoothed = smoothed || done;
        now = next;
      }
      if (smoothed) continue;
      const int next = free(now);
      median(fields_[now], fields_[next], work.median, stream);
      now = next;
    }
    if (!work.mend) return now;
    const int next = (now + 1) % kFields;
    mend(job, fields_[now], fields_[next], stream);
    return next;
  }

  refine::Plan plan_;
  int base_ = 0;
  KeptBuffer<std::uint16_t> units_;
  KeptBuffer<float> mean_, planes_;
  KeptBuffer<float4> derivatives_;
  static constexpr int kFields = 3;
  DeviceField fields_[kFields]{};
  RecordedGraphs<RefinerFrameKey> frames_{kRefineGraphs};
  RecordedGraphs<RefineKey> graphs_{kRefineGraphs};
};

}  // namespace

std::unique_ptr<Refiner> make_refiner(const refine::Plan& plan) {
  return std::make_unique<CudaRefiner>(plan);
}

}  // namespace fovea::flow::cuda
