// Dense Lucas-Kanade on CUDA: the stages of the CPU twin in the same order. What is launched for a
// pair depends on sizes and addresses alone and is recorded once as a graph, because most levels
// are so small that launching takes longer than the work.
#include <fovea/core/geometry.h>
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/kept_buffer.cuh"
#include "core/recorded_graph.cuh"
#include "flow/lk/lucas_kanade_cuda.cuh"
#include "flow/matcher.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::Graph;
using fovea::cuda::KeptBuffer;
using fovea::cuda::RecordedGraphs;
using fovea::cuda::Session;

constexpr std::size_t kMostGraphs = 32;  // graphs that are kept: two per level along a video
constexpr int kAlign = 32;               // rows begin at a multiple of so many elements

int padded(int width) { return (width + kAlign - 1) / kAlign * kAlign; }
std::size_t plane_size(Extent size) {
  return static_cast<std::size_t>(padded(size.width)) * static_cast<std::size_t>(size.height);
}
template <class T>
DevicePlane<T> plane_at(T* data, Extent size) {
  return {data, size.width, size.height, padded(size.width)};
}

struct Frame final : PreparedFrame {
  std::vector<Extent> sizes;  // size of every level
  std::vector<DeviceFrameLevel>
      levels;  // no data for levels that are finer than the estimation goes
  KeptBuffer<std::uint8_t> memory;
};

// What a recorded preparation depends on: every address that it reads or writes, and their layout.
struct PrepareKey {
  std::array<const void*, 3> planes;
  std::array<std::ptrdiff_t, 3> strides;
  const void *mask, *frame, *grays;
  std::ptrdiff_t mask_stride;
  Extent size;
  int levels, base;
  bool operator==(const PrepareKey&) const = default;
};
// What a recorded match depends on.
struct MatchKey {
  const void *first, *second, *first_mask, *second_mask;
  std::array<const void*, 6> memory;  // fields and planes, each of which may have moved
  Extent size, start;
  int top, finest, base;
  bool with_confidence;
  bool operator==(const MatchKey&) const = default;
};

class LucasKanade final : public Matcher {
 public:
  explicit LucasKanade(const lk::Plan& plan) : plan_(plan) {}

  void set_base_level(int level) override { base_ = level; }
  int most_levels() const override { return plan_.levels; }
  int reach(int level) const override { return lk::reach(plan_, level); }
  // Two pyramids of bytes, one image of floats and units of all levels, two fields, two planes, the
  // result of a tile, and the images as they came; one more field with a backward flow. Each
  // further channel takes bytes and an image of floats.
  std::uint64_t bytes_per_pixel() const override {
    constexpr std::uint64_t kChannel = 8;
    return (plan_.forward_backward ? 64 : 56) +
           kChannel * static_cast<std::uint64_t>(plan_.channels - 1);
  }

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
    Session session(exec);
    const auto& first = dynamic_cast<const Frame&>(request.first);
    const auto& second = dynamic_cast<const Frame&>(request.second);
    const int count = static_cast<int>(first.sizes.size());
    const bool wanted = !out.confidence.empty();
    const bool started = !request.start.u.empty();
    const int least = std::clamp(plan_.finest - base_, request.last_level, count - 1);
    const int top = started ? std::min(request.start_level, count) : count;
    const int finest = std::min(least, top);
    const bool works = finest < top;  // otherwise the field that tiles start from is the result
    reserve(first, least, request, session.stream());
    // The backward flow, which comes first, uses the fields too.
    const bool back = wanted && works && plan_.forward_backward;
    if (started)
      copy_field({plane_of(request.start.u), plane_of(request.start.v)},
                 field_in(fields_[back ? kStart : 0], start_size(request)), session.stream());
    const DeviceFrameLevel &from = first.levels[static_cast<std::size_t>(least)],
                           &to = second.levels[static_cast<std::size_t>(least)];
    const MatchKey key{from.features.data,
                       to.features.data,
                       from.mask.data,
                       to.mask.data,
                       {fields_[0].data(), fields_[1].data(), fields_[kBackward].data(),
                        fields_[kStart].data(), planes_[0].data(), planes_[1].data()},
                       first.sizes[0],
                       start_size(request),
                       top,
                       finest,
                       base_,
                       wanted};
    const auto enqueue = [&](cudaStream_t stream) {
      if (back) go_back(first, second, finest, stream);
      now_ = 0;
      if (started && back)
        copy_field(field_in(fields_[kStart], start_size(request)), field(start_size(request)),
                   stream);
      run({first, second, top, finest, wanted}, stream);
      if (wanted && works) find_confidence(first, second, finest, stream);
      return now_;
    };
    const auto& recorded = matches_.of(key, enqueue);
    recorded.launch(session.stream());
    now_ = recorded.note;
    if (wanted && !works)
      copy_plane(plane_of(request.start.confidence),
                 plane_at(planes_[kConfidence].data(), start_size(request)), session.stream());
    deliver(first, finest, request.last_level, out, session.stream());
    session.finish("flow");
  }

 private:
  std::unique_ptr<PreparedFrame> prepare_planes(std::span<const ImageView<const float>> planes,
                                                ImageView<const std::uint8_t> mask,
                                                std::unique_ptr<PreparedFrame> reuse,
                                                const Exec& exec) {
    Session session(exec);
    std::unique_ptr<Frame> frame(dynamic_cast<Frame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<Frame>();
    lay_out(*frame, {planes[0].width, planes[0].height}, !mask.empty(),
            static_cast<int>(planes.size()));
    PrepareKey key{{},
                   {},
                   mask.data,
                   frame->memory.data(),
                   grays_.data(),
                   mask.stride,
                   frame->sizes[0],
                   static_cast<int>(frame->sizes.size()),
                   base_};
    for (std::size_t c = 0; c < planes.size(); ++c) {
      key.planes[c] = planes[c].data;
      key.strides[c] = planes[c].stride;
    }
    prepares_
        .of(key,
            [&](cudaStream_t stream) {
              for (std::size_t c = 0; c < planes.size(); ++c)
                prepare_channel(planes[c], mask, static_cast<int>(c), *frame, stream);
            })
        .launch(session.stream());
    return frame;
  }
  // Gray units take the place of those of the channel before.
  void prepare_channel(ImageView<const float> gray, ImageView<const std::uint8_t> mask, int channel,
                       const Frame& frame, cudaStream_t stream) {
    FeatureLevels levels{};
    std::uint16_t* next = grays_.data();
    DeviceGray from{};
    for (std::size_t level = 0; level < frame.sizes.size(); ++level) {
      const Extent size = frame.sizes[level];
      const DeviceGray to = plane_at(std::exchange(next, next + plane_size(size)), size);
      if (level == 0) quantize(plane_of(gray), plane_of(mask), to, stream);
      else halve(from, !mask.empty(), to, stream);
      from = to;
      const DeviceFrameLevel& out = frame.levels[level];
      if (out.features.data == nullptr) continue;
      levels.gray[levels.count] = to;
      levels.mask[levels.count] = out.mask;
      levels.out[levels.count++] = out.channel(channel);
    }
    find_features(levels, plan_.rank, stream);
  }

  void lay_out(Frame& frame, Extent size, bool masked, int channels) {
    const int most = plan_.levels > 0 ? std::max(plan_.levels - base_, 1) : 0;
    const int count = lk::level_count(size.width, size.height, most);
    const int finest = std::min(plan_.finest, base_ + count - 1);
    frame.sizes.clear();
    std::size_t bytes = 0, grays = 0;
    for (int level = 0; level < count; ++level) {
      frame.sizes.push_back(size);
      grays += plane_size(size);
      if (base_ + level >= finest)
        bytes += static_cast<std::size_t>(channels + (masked ? 1 : 0)) * plane_size(size);
      size = {(size.width + 1) / 2, (size.height + 1) / 2};
    }
    grays_.reserve(grays);
    std::uint8_t* next = frame.memory.reserve(bytes);
    frame.levels.assign(frame.sizes.size(), {});
    for (int level = std::max(finest - base_, 0); level < count; ++level) {
      const Extent at = frame.sizes[static_cast<std::size_t>(level)];
      DeviceFrameLevel& planes = frame.levels[static_cast<std::size_t>(level)];
      planes.features = plane_at(std::exchange(next, next + plane_size(at)), at);
      for (int c = 1; c < channels; ++c)
        planes.colors[c - 1] = plane_at(std::exchange(next, next + plane_size(at)), at);
      if (masked) planes.mask = plane_at(std::exchange(next, next + plane_size(at)), at);
    }
  }

  struct Descent {
    const Frame& first;
    const Frame& second;
    int top;     // only levels below this one are worked on
    int finest;  // the finest level that is worked on
    bool with_confidence;
  };

  static Extent start_size(const MatchRequest& request) {
    return {request.start.u.width, request.start.u.height};
  }
  static Extent size_of(const Frame& frame, int level) {
    return frame.sizes[static_cast<std::size_t>(level)];
  }

  // Fields and planes of the largest size that is needed.
  void reserve(const Frame& first, int finest, const MatchRequest& request, cudaStream_t stream) {
    std::size_t most = plane_size(size_of(first, std::min(finest, request.last_level + 1)));
    const bool started = !request.start.u.empty();
    if (started) most = std::max(most, plane_size(start_size(request)));
    fields_[0].reserve(2 * most);
    fields_[1].reserve(2 * most);
    if (started) fields_[kStart].reserve(2 * plane_size(start_size(request)));
    if (plan_.forward_backward) fields_[kBackward].reserve(2 * most);
    for (KeptBuffer<float>& plane : planes_) plane.reserve(most);
    if (taps_.size() > 0) return;
    std::vector<float> taps;
    for (int radius = 0; radius <= lk::kMostRadius; ++radius) {
      const std::vector<float> of_radius = lk::window_taps(plan_.window, radius);
      taps.insert(taps.end(), of_radius.begin(), of_radius.end());
    }
    taps_.fill(taps, stream);
  }
  const float* taps_of(int radius) { return taps_.data() + radius * radius; }

  DeviceField field(Extent size) { return field_in(fields_[now_], size); }
  DeviceField other(Extent size) { return field_in(fields_[1 - now_], size); }
  static DeviceField field_in(KeptBuffer<float>& memory, Extent size) {
    return {plane_at(memory.data(), size), plane_at(memory.data() + plane_size(size), size)};
  }
  void swap() { now_ = 1 - now_; }

  void start_at_rest(Extent size, cudaStream_t stream) {
    check(cudaMemsetAsync(field(size).u.data, 0, 2 * plane_size(size) * sizeof(float), stream),
          "a field at rest");
  }
  void enlarge_field(Extent from, Extent to, cudaStream_t stream) {
    enlarge(field(from), other(to), stream);
    swap();
  }

  // Leaves the flow of the finest level in field(). Starts from it unless `top` is the number of
  // levels.
  void run(const Descent& descent, cudaStream_t stream) {
    const int count = static_cast<int>(descent.first.sizes.size());
    for (int level = descent.top - 1; level >= descent.finest; --level) {
      const Extent size = size_of(descent.first, level);
      if (level == count - 1) start_at_rest(size, stream);
      else enlarge_field(size_of(descent.first, level + 1), size, stream);
      refine(descent, level, stream);
    }
  }

  void refine(const Descent& descent, int level, cudaStream_t stream) {
    const DeviceFrameLevel& first = descent.first.levels[static_cast<std::size_t>(level)];
    const DeviceFrameLevel& second = descent.second.levels[static_cast<std::size_t>(level)];
    const lk::LevelPlan& work = plan_.of(base_ + level);
    const Extent size = size_of(descent.first, level);
    for (int k = 0; k < work.steps(); ++k) {
      if (k < work.propagation) {
        propagate({first, second, field(size), other(size), lk::trial_distance(k),
                   work.first_trial(k), work.last_trial(k)},
                  stream);
        swap();
      }
      const bool with_confidence =
          k == work.steps() - 1 && descent.with_confidence && level == descent.finest;
      const lk::Round& round = work.round_of(k);
      step({first, second, field(size), other(size),
            with_confidence ? plane_at(planes_[kEigenvalues].data(), size) : DevicePlane<float>{},
            taps_of(round.radius), round.radius, plan_.robust, plan_.solve},
           stream);
      if (plan_.median == 0 || !work.median_after(k)) swap();
      else median(other(size), field(size), plan_.median, stream);
    }
  }

  // The flow from the second image to the first, which ends one level earlier.
  void go_back(const Frame& first, const Frame& second, int finest, cudaStream_t stream) {
    const int count = static_cast<int>(first.sizes.size());
    const int stop = std::min(finest + 1, count - 1);
    now_ = 0;
    run({second, first, count, stop, false}, stream);
    const DeviceField backward = field_in(fields_[kBackward], size_of(first, finest));
    if (stop > finest) enlarge(field(size_of(first, stop)), backward, stream);
    else copy_field(field(size_of(first, finest)), backward, stream);
  }

  void find_confidence(const Frame& first, const Frame& second, int level, cudaStream_t stream) {
    const Extent size = size_of(first, level);
    const auto confidence = plane_at(planes_[kConfidence].data(), size);
    const auto at = static_cast<std::size_t>(level);
    assess({first.levels[at], second.levels[at], field(size),
            plane_at(planes_[kEigenvalues].data(), size),
            plan_.forward_backward ? field_in(fields_[kBackward], size) : DeviceField{},
            plan_.solve.min_eigenvalue, static_cast<float>(1 << (base_ + level)), confidence},
           stream);
  }

  // Enlarges the result of the finest level that was worked on to the level that is wanted.
  void deliver(const Frame& first, int level, int last, const FlowView& out, cudaStream_t stream) {
    const bool with_confidence = !out.confidence.empty();
    int confidence = kConfidence, spare = kEigenvalues;
    const auto plane = [&](int which, int at) {
      return plane_at(planes_[which].data(), size_of(first, at));
    };
    for (; level > last + 1; --level) {
      enlarge_field(size_of(first, level), size_of(first, level - 1), stream);
      if (!with_confidence) continue;
      enlarge(plane(confidence, level), plane(spare, level - 1), stream);
      std::swap(confidence, spare);
    }
    const DeviceField from = field(size_of(first, level));
    const DeviceField to{plane_of(out.u), plane_of(out.v)};
    if (level == last) copy_field(from, to, stream);
    else enlarge(from, to, stream);
    if (!with_confidence) return;
    if (level == last) copy_plane(plane(confidence, level), plane_of(out.confidence), stream);
    else enlarge(plane(confidence, level), plane_of(out.confidence), stream);
  }
  static void copy_field(const DeviceField& from, const DeviceField& to, cudaStream_t stream) {
    copy_plane(from.u, to.u, stream);
    copy_plane(from.v, to.v, stream);
  }
  static void copy_plane(DevicePlane<const float> from, DevicePlane<float> to,
                         cudaStream_t stream) {
    check(
        cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride) * sizeof(float), from.data,
                          static_cast<std::size_t>(from.stride) * sizeof(float),
                          static_cast<std::size_t>(from.width) * sizeof(float),
                          static_cast<std::size_t>(from.height), cudaMemcpyDeviceToDevice, stream),
        "copying a field");
  }

  lk::Plan plan_;
  int base_ = 0;
  KeptBuffer<std::uint16_t> grays_;  // of all levels of the frame that is being prepared
  static constexpr int kBackward = 2, kStart = 3;  // indices in fields_; the first two take turns
  KeptBuffer<float> fields_[4];
  static constexpr int kEigenvalues = 0, kConfidence = 1;
  KeptBuffer<float> planes_[2];
  KeptBuffer<float> taps_;  // taps of all radii, one after another
  int now_ = 0;
  RecordedGraphs<PrepareKey> prepares_{kMostGraphs};
  RecordedGraphs<MatchKey> matches_{kMostGraphs};
};

}  // namespace

std::unique_ptr<Matcher> make_lucas_kanade(const lk::Plan& plan) {
  return std::make_unique<LucasKanade>(plan);
}

}  // namespace fovea::flow::cuda
