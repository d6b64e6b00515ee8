// Dense Lucas-Kanade on CUDA: the stages of the CPU's twin in its order. What is launched for a
// pair depends on sizes and places alone, and is recorded once as a graph: most levels are so small
// that launching takes longer than the work.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/kept_buffer.cuh"
#include "core/recorded_graph.cuh"
#include "flow/lk/kernels_cuda.cuh"
#include "flow/matcher.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::Graph;
using fovea::cuda::KeptBuffer;
using fovea::cuda::Session;

constexpr std::size_t kMostGraphs = 4;  // kept: a video alternates between two
constexpr int kAlign = 32;              // elements at which rows start

struct Extent {
  int width, height;
  bool operator==(const Extent&) const = default;
};
int padded(int width) { return (width + kAlign - 1) / kAlign * kAlign; }
std::size_t plane_size(Extent size) {
  return static_cast<std::size_t>(padded(size.width)) * static_cast<std::size_t>(size.height);
}
template <class T>
DevicePlane<T> plane_at(T* data, Extent size) {
  return {data, size.width, size.height, padded(size.width)};
}

struct Frame final : PreparedFrame {
  std::vector<Extent> sizes;             // of every level
  std::vector<DeviceFrameLevel> levels;  // without data where finer than the work goes
  KeptBuffer<std::uint8_t> memory;
};

// What a recorded match depends on.
struct MatchKey {
  const void* first;
  const void* second;
  const void* field;
  Extent size;
  int top, finest, base;
  bool masked_first, masked_second, started;
  bool operator==(const MatchKey&) const = default;
};

class LucasKanade final : public Matcher {
 public:
  explicit LucasKanade(const LucasKanadeOptions& options) : plan_(lk::make_plan(options)) {}

  void set_base_level(int level) override { base_ = level; }
  int reach(int level) const override { return lk::reach(plan_, level); }
  std::uint64_t bytes_per_pixel() const override { return 48; }

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> grey,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    Session session(exec);
    std::unique_ptr<Frame> frame(dynamic_cast<Frame*>(reuse.get()));
    if (frame) (void)reuse.release();
    else frame = std::make_unique<Frame>();
    const bool masked = !mask.empty();
    lay_out(*frame, {grey.width, grey.height}, masked);
    DeviceGrey from = plane_at(greys_[0].reserve(plane_size(frame->sizes[0])), frame->sizes[0]);
    quantise(plane_of(grey), plane_of(mask), from, session.stream());
    for (std::size_t level = 0; level < frame->sizes.size(); ++level) {
      if (level > 0) {
        const Extent size = frame->sizes[level];
        const DeviceGrey to = plane_at(greys_[level % 2].reserve(plane_size(size)), size);
        halve(from, masked, to, session.stream());
        from = to;
      }
      if (frame->levels[level].features.data != nullptr)
        find_features(from, plan_.rank, frame->levels[level], session.stream());
    }
    return frame;
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    Session session(exec);
    const auto& first = dynamic_cast<const Frame&>(request.first);
    const auto& second = dynamic_cast<const Frame&>(request.second);
    const int count = static_cast<int>(first.sizes.size());
    const bool started = !request.start.u.empty();
    const int top = started ? std::min(request.start_level, count) : count;
    const int finest = std::clamp(plan_.finest - base_, request.last_level, top - 1);
    reserve(first, finest, request);
    if (started) start_from(request.start, session.stream());
    const MatchKey key{first.levels[static_cast<std::size_t>(finest)].features.data,
                       second.levels[static_cast<std::size_t>(finest)].features.data,
                       fields_[0].data(),
                       first.sizes[0],
                       top,
                       finest,
                       base_,
                       first.levels[static_cast<std::size_t>(finest)].mask.data != nullptr,
                       second.levels[static_cast<std::size_t>(finest)].mask.data != nullptr,
                       started};
    recorded(key, [&](cudaStream_t stream) {
      for (int level = top - 1; level >= finest; --level) {
        const Extent size = first.sizes[static_cast<std::size_t>(level)];
        if (level == count - 1) start_at_rest(size, stream);
        else enlarge_field(first.sizes[static_cast<std::size_t>(level + 1)], size, stream);
        refine(first, second, level, stream);
      }
    }).launch(session.stream());
    deliver(first, finest, request.last_level, out, session.stream());
    session.finish("flow");
  }

 private:
  void lay_out(Frame& frame, Extent size, bool masked) const {
    const int most = plan_.levels > 0 ? std::max(plan_.levels - base_, 1) : 0;
    const int count = lk::level_count(size.width, size.height, most);
    const int finest = std::min(plan_.finest, base_ + count - 1);
    frame.sizes.clear();
    std::size_t bytes = 0;
    for (int level = 0; level < count; ++level) {
      frame.sizes.push_back(size);
      if (base_ + level >= finest) bytes += (masked ? 2 : 1) * plane_size(size);
      size = {(size.width + 1) / 2, (size.height + 1) / 2};
    }
    std::uint8_t* next = frame.memory.reserve(bytes);
    frame.levels.assign(frame.sizes.size(), {});
    for (int level = std::max(finest - base_, 0); level < count; ++level) {
      const Extent at = frame.sizes[static_cast<std::size_t>(level)];
      DeviceFrameLevel& planes = frame.levels[static_cast<std::size_t>(level)];
      planes.features = plane_at(std::exchange(next, next + plane_size(at)), at);
      if (masked) planes.mask = plane_at(std::exchange(next, next + plane_size(at)), at);
    }
  }

  // Two planes of the largest size that a field comes to, twice.
  void reserve(const Frame& first, int finest, const MatchRequest& request) {
    std::size_t most = 2 * plane_size(first.sizes[static_cast<std::size_t>(
                               std::min(finest, std::max(request.last_level + 1, 0)))]);
    if (!request.start.u.empty())
      most = std::max(most, 2 * plane_size({request.start.u.width, request.start.u.height}));
    for (KeptBuffer<float>& field : fields_) field.reserve(most);
    if (taps_.size() > 0) return;
    std::vector<float> taps;
    for (int radius = 0; radius <= lk::kMostRadius; ++radius) {
      const std::vector<float> of_radius = lk::window_taps(plan_.window, radius);
      taps.insert(taps.end(), of_radius.begin(), of_radius.end());
    }
    taps_.fill(taps, nullptr);
  }
  const float* taps_of(int radius) { return taps_.data() + radius * radius; }

  DeviceField field(Extent size) { return field_in(fields_[now_], size); }
  DeviceField other(Extent size) { return field_in(fields_[1 - now_], size); }
  static DeviceField field_in(KeptBuffer<float>& memory, Extent size) {
    return {plane_at(memory.data(), size), plane_at(memory.data() + plane_size(size), size)};
  }
  void swap() { now_ = 1 - now_; }

  template <class Enqueue>
  const Graph& recorded(const MatchKey& key, Enqueue enqueue) {
    for (const Recorded& one : graphs_)
      if (one.key == key) {
        now_ = one.ends_in;
        return one.graph;
      }
    if (graphs_.size() == kMostGraphs) graphs_.erase(graphs_.begin());
    now_ = 0;
    Graph graph = Graph::record(enqueue);
    graphs_.push_back({key, std::move(graph), now_});
    return graphs_.back().graph;
  }

  void start_from(const FlowView& start, cudaStream_t stream) {
    now_ = 0;
    const DeviceField to = field({start.u.width, start.u.height});
    copy_plane(plane_of(start.u), to.u, stream);
    copy_plane(plane_of(start.v), to.v, stream);
  }
  void start_at_rest(Extent size, cudaStream_t stream) {
    check(cudaMemsetAsync(field(size).u.data, 0, 2 * plane_size(size) * sizeof(float), stream),
          "a field at rest");
  }
  void enlarge_field(Extent from, Extent to, cudaStream_t stream) {
    const DeviceField in = field(from), out = other(to);
    enlarge(in.u, out.u, kFlowScale, stream);
    enlarge(in.v, out.v, kFlowScale, stream);
    swap();
  }

  // Leaves the level's flow in field().
  void refine(const Frame& first, const Frame& second, int level, cudaStream_t stream) {
    const auto at = static_cast<std::size_t>(level);
    const lk::LevelPlan& work = plan_.of(base_ + level);
    const Extent size = first.sizes[at];
    for (int k = 0; k < work.steps(); ++k) {
      if (k < work.propagation) {
        propagate(
            {first.levels[at], second.levels[at], field(size), other(size), std::max(4 >> k, 1)},
            stream);
        swap();
      }
      const lk::Round& round = work.round_of(k);
      step({first.levels[at], second.levels[at], field(size), other(size), taps_of(round.radius),
            round.radius, plan_.robust, plan_.solve},
           stream);
      if (plan_.median == 0 || !work.median_after(k)) swap();
      else median(other(size), field(size), plan_.median, stream);
    }
  }

  void deliver(const Frame& first, int level, int last, const FlowView& out, cudaStream_t stream) {
    const auto size = [&](int k) { return first.sizes[static_cast<std::size_t>(k)]; };
    for (; level > last + 1; --level) enlarge_field(size(level), size(level - 1), stream);
    const DeviceField from = field(size(level));
    if (level == last) {
      copy_plane(from.u, plane_of(out.u), stream);
      copy_plane(from.v, plane_of(out.v), stream);
    } else {
      enlarge(from.u, plane_of(out.u), kFlowScale, stream);
      enlarge(from.v, plane_of(out.v), kFlowScale, stream);
    }
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

  static constexpr float kFlowScale = 0.5F;

  struct Recorded {
    MatchKey key;
    Graph graph;
    int ends_in;  // of the two fields
  };

  lk::Plan plan_;
  int base_ = 0;
  KeptBuffer<std::uint16_t> greys_[2];
  KeptBuffer<float> fields_[2];
  KeptBuffer<float> taps_;  // of all radii, one after another
  int now_ = 0;
  std::vector<Recorded> graphs_;
};

}  // namespace

std::unique_ptr<Matcher> make_lucas_kanade(const LucasKanadeOptions& options) {
  return std::make_unique<LucasKanade>(options);
}

}  // namespace fovea::flow::cuda
