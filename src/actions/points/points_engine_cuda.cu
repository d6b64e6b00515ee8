// The interest points on a GPU: frames come in blocks and are uploaded once, and only maxima and
// descriptors are downloaded. Flow, by far the longest part, is estimated for several stretches of
// a block at the same time, because a small pair by itself leaves most of the GPU idle.
#include <fovea/core/stream.h>
#include <fovea/flow/flow.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "actions/argument_upload.cuh"
#include "actions/points/points_cuda.cuh"
#include "actions/points/points_math.h"
#include "core/backend.h"
#include "core/event.cuh"
#include "core/kept_buffer.cuh"

namespace fovea::actions::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::Event;
using fovea::cuda::KeptBuffer;
using fovea::cuda::ScopedDevice;
using fovea::cuda::upload;

constexpr struct {
  int most_frames = 64;  // frames per block
  std::int64_t block_pixels =
      1 << 21;      // pixels of all its frames: larger frames fill a GPU by themselves
  int streams = 4;  // streams that estimate flow
  int stretch = 4;  // least number of frames per stream
  unsigned first_room = 1U << 14;  // for the maxima of a block
  unsigned first_fetch = 256;      // maxima that are fetched together with their number
} kTuning;
constexpr int kPitch = 32;  // floats
constexpr int kBytePitch = 64;

int rounded(int value, int step) { return (value + step - 1) / step * step; }
cudaStream_t cuda_stream(const Stream& stream) { return static_cast<cudaStream_t>(stream.get()); }

int block_of(Extent size) {
  const std::int64_t pixels = static_cast<std::int64_t>(size.width) * size.height;
  return static_cast<int>(
      std::clamp<std::int64_t>(kTuning.block_pixels / pixels, 1, kTuning.most_frames));
}

// One estimator with its stream and field.
struct FlowWorker {
  explicit FlowWorker(const Exec& from) : stream(from.device) {
    flow::FlowOptions options;
    options.quality = kFlowQuality;
    options.exec = from;
    options.exec.stream = stream.get();
    estimator = std::make_unique<flow::Estimator>(options);
  }
  Stream stream;
  std::unique_ptr<flow::Estimator> estimator;
  flow::Flow field;
  Event done;
};

class CudaPointEngine final : public PointEngine {
 public:
  CudaPointEngine(const PointPlan& plan, Extent size, const Exec& exec)
      : plan_(plan),
        exec_(exec),
        block_(block_of(size)),
        main_(exec.device),
        stream_(cuda_stream(main_)) {
    exec_.stream = main_.get();
    for (const Extent& level : level_sizes(size.width, size.height, plan_.levels)) {
      shapes_.push_back({level.width, level.height, rounded(level.width, kPitch)});
      levels_.push_back(planes(shapes_.back(), block_));
    }
    frame_stride_ = rounded(size.width, kBytePitch);
    frame_bytes_ = static_cast<std::ptrdiff_t>(frame_stride_) * size.height;
    frames_ =
        Array<std::uint8_t>(static_cast<std::size_t>(frame_bytes_ * (block_ + 1)), Memory::kCuda);
    staging_ =
        Array<std::uint8_t>(static_cast<std::size_t>(frame_bytes_ * block_), Memory::kPinned);
    for (const Smooth& smooth : plan_.smooths) add_smooth(smooth);
    if (plan_.descriptors) make_flow();
    for (const Channel& channel : plan_.channels) add_channel(channel);
    if (!plan_.periodic.even.empty()) make_periodic();
    smooth_tables_.fill(smooths_, stream_);
    if (!channels_.empty()) channel_tables_.fill(channels_, stream_);
    if (!maxima_.empty()) maxima_tables_.fill(maxima_, stream_);
    count_ = Array<unsigned>(1, Memory::kCuda);
    found_count_ = Array<unsigned>(1, Memory::kPinned);
    check(cudaStreamSynchronize(stream_), "points: tables");
  }
  ~CudaPointEngine() override {
    const ScopedDevice here(exec_.device);
    cudaStreamSynchronize(stream_);
    for (const auto& worker : workers_) cudaStreamSynchronize(cuda_stream(worker->stream));
  }

  int block() const override { return block_; }

  void push(std::int64_t time, std::span<const ImageView<const std::uint8_t>> frames,
            std::vector<Candidate>& found) override {
    const ScopedDevice here(exec_.device);
    const int count = static_cast<int>(frames.size());
    take(frames);
    if (plan_.descriptors) find_flow(time, count);
    const FrameRun run{time, count};
    make_gray(frame(0), frame_bytes_, frame_stride_, levels_[0], shapes_[0], count, stream_);
    for (std::size_t level = 1; level < shapes_.size(); ++level)
      halve_level(levels_[level - 1], shapes_[level - 1], levels_[level], shapes_[level], count,
                  stream_);
    smooth_frames(smooth_tables_.data(), run, grid(smooths_.size()));
    follow(run, found);
    for (; busy_workers_ > 0; --busy_workers_)
      workers_[static_cast<std::size_t>(busy_workers_) - 1]->done.hold(stream_);
    // The flow of the next block begins with the last frame of this one.
    check(cudaMemcpyAsync(frames_.data(), frame(count - 1), static_cast<std::size_t>(frame_bytes_),
                          cudaMemcpyDeviceToDevice, stream_),
          "points: the last frame");
  }

  void repeat(std::int64_t time, int count, std::vector<Candidate>& found) override {
    const ScopedDevice here(exec_.device);
    const FrameRun run{time, count};
    repeat_smooth(smooth_tables_.data(), run, grid(smooths_.size()));
    if (plan_.descriptors)
      for (int i = 0; i < count; ++i) keep_flow(nullptr, time + i, stream_);
    follow(run, found);
  }

  void describe(std::span<const Site> sites, std::int64_t last,
                ImageView<float> descriptors) override {
    if (sites.empty()) return;
    const ScopedDevice here(exec_.device);
    const std::size_t values = sites.size() * kDescriptorSize;
    const float* const rows = describe_there(sites, last);
    if (rows_here_.size() < values) rows_here_ = Array<float>(2 * values, Memory::kPinned);
    check(cudaMemcpyAsync(rows_here_.data(), rows, values * sizeof(float), cudaMemcpyDeviceToHost,
                          stream_),
          "points: descriptors");
    check(cudaStreamSynchronize(stream_), "points: descriptors");
    for (std::size_t i = 0; i < sites.size(); ++i)
      std::copy_n(rows_here_.data() + i * kDescriptorSize, kDescriptorSize,
                  descriptors.row(static_cast<int>(i)));
  }

  const float* describe_there(std::span<const Site> sites, std::int64_t last) override {
    const ScopedDevice here(exec_.device);
    float* const rows = rows_.reserve(std::max<std::size_t>(1, sites.size()) * kDescriptorSize);
    if (sites.empty()) return rows;
    arguments_.send(sites_.reserve(sites.size()), sites.data(), sites.size_bytes(), stream_);
    describe_sites(channel_tables_.data(), sites_.data(), static_cast<int>(sites.size()),
                   {last, plan_.votes, plan_.still}, rows, stream_);
    return rows;
  }
  void* stream() const override { return main_.get(); }
  std::int64_t copied_bytes() const override { return arguments_.copied(); }

 private:
  // Slot 0 is the frame before the block.
  std::uint8_t* frame(int index) { return frames_.data() + (index + 1) * frame_bytes_; }
  ImageView<const std::uint8_t> frame_view(int index) {
    return {frame(index), shapes_[0].width, shapes_[0].height, 1, frame_stride_, Memory::kCuda};
  }
  Grid grid(std::size_t tables) const { return {shapes_[0], static_cast<int>(tables), stream_}; }

  float* planes(const PlaneShape& shape, int count) {
    const auto values = static_cast<std::size_t>(shape.size()) * static_cast<std::size_t>(count);
    memory_.emplace_back(values, Memory::kCuda);
    check(cudaMemsetAsync(memory_.back().data(), 0, values * sizeof(float), stream_),
          "points: clearing memory");
    return memory_.back().data();
  }
  // Memory for as long as one frame needs, and for the other frames of a block.
  DeviceRing ring(const PlaneShape& shape, int length) {
    length += block_ - 1;
    return {planes(shape, length), length};
  }
  DeviceTaps taps(const std::vector<float>& kernel) {
    memory_.emplace_back(std::max<std::size_t>(1, kernel.size()), Memory::kCuda);
    upload(memory_.back().data(), kernel.data(), kernel.size() * sizeof(float), stream_);
    return {memory_.back().data(), static_cast<int>(kernel.size() / 2)};
  }
  const PlaneShape& shape_of(int level) const { return shapes_[static_cast<std::size_t>(level)]; }

  void add_smooth(const Smooth& smooth) {
    const PlaneShape& shape = shape_of(smooth.level);
    smooths_.push_back({shape, levels_[static_cast<std::size_t>(smooth.level)],
                        planes(shape, block_), ring(shape, 2 * plan_.smooth_radius() + 1),
                        taps(smooth.kernel)});
  }

  void add_channel(const Channel& channel) {
    ChannelTable table;
    table.shape = shape_of(channel.level);
    table.smooth = smooths_[static_cast<std::size_t>(channel.smooth)].ring;
    table.time = taps(channel.time);
    table.blurred = ring(table.shape, 3);
    const int back = static_cast<int>(std::ceil(channel.half_time));
    const int length =
        std::max(2 * channel.sum_radius() + 1,
                 plan_.descriptors ? plan_.latency - channel.derivative_lag() + back + 1 : 1);
    table.dx = ring(table.shape, length);
    table.dy = ring(table.shape, length);
    table.dt = ring(table.shape, length);
    table.along = channel.along;
    table.over_time = channel.over_time;
    table.derivative_lag = channel.derivative_lag();
    table.response_lag = channel.response_lag();
    for (int i = 0; i < kCellsSpace; ++i) {
      const CellSpan span = cell_span(channel.half_space, kCellsSpace, i);
      table.spans.space[i][0] = span.first;
      table.spans.space[i][1] = span.last;
    }
    for (int i = 0; i < kCellsTime; ++i) {
      const CellSpan span = cell_span(channel.half_time, kCellsTime, i);
      table.spans.time[i][0] = span.first;
      table.spans.time[i][1] = span.last;
    }
    if (plan_.descriptors) {
      table.u = flow_u_[static_cast<std::size_t>(channel.level)];
      table.v = flow_v_[static_cast<std::size_t>(channel.level)];
    }
    if (!channel.sum_time.empty()) {
      table.sum_space = taps(channel.sum_space);
      table.sum_time = taps(channel.sum_time);
      table.over_frames = planes(table.shape, kMoments * block_);
      table.across = planes(table.shape, kMoments * block_);
      table.response = ring(table.shape, 3);
      maxima_.push_back({table.shape, table.response, table.response_lag + 1,
                         static_cast<int>(channels_.size())});
    }
    channels_.push_back(table);
  }

  void make_periodic() {
    const PeriodicPlan& plan = plan_.periodic;
    periodic_ = {shapes_[0], smooths_[static_cast<std::size_t>(plan.smooth)].ring, taps(plan.even),
                 taps(plan.odd), ring(shapes_[0], 2 * plan.radius_time + 1)};
    maxima_.push_back(
        {shapes_[0], periodic_.response, periodic_.even.radius + plan.radius_time, 0});
  }

  void make_flow() {
    double longest = 0;
    for (const Channel& channel : plan_.channels) longest = std::max(longest, channel.half_time);
    const int length = plan_.latency + static_cast<int>(std::ceil(longest)) + 1;
    for (const PlaneShape& shape : shapes_) {
      flow_u_.push_back(ring(shape, length));
      flow_v_.push_back(ring(shape, length));
    }
    const int workers = std::clamp(block_ / kTuning.stretch, 1, kTuning.streams);
    for (int i = 0; i < workers; ++i) workers_.push_back(std::make_unique<FlowWorker>(exec_));
  }

  // Frames of the host are gathered in pinned memory and go to the device in runs; those that lie
  // on the device are converted where they are.
  void take(std::span<const ImageView<const std::uint8_t>> frames) {
    // What the previous copy read from here is complete: every push ends with its maxima on the
    // host.
    for (std::size_t i = 0; i < frames.size();) {
      if (frames[i].memory == Memory::kCuda) {
        take_gray(frames[i], frame(static_cast<int>(i)), frame_stride_, stream_);
        ++i;
        continue;
      }
      const std::size_t first = i;
      for (; i < frames.size() && frames[i].memory != Memory::kCuda; ++i) stage(frames[i], i);
      check(cudaMemcpyAsync(frame(static_cast<int>(first)), staged(first),
                            (i - first) * frame_bytes_, cudaMemcpyHostToDevice, stream_),
            "points: frames");
    }
  }
  std::uint8_t* staged(std::size_t index) {
    return staging_.data() + static_cast<std::ptrdiff_t>(index) * frame_bytes_;
  }
  void stage(const ImageView<const std::uint8_t>& frame, std::size_t index) {
    for (int y = 0; y < frame.height; ++y)
      std::memcpy(staged(index) + static_cast<std::ptrdiff_t>(y) * frame_stride_, frame.row(y),
                  static_cast<std::size_t>(frame.width));
  }

  // Each worker has a stretch of the block, beginning with the frame before it. The flow of that
  // pair is not used, but the memory of the worker is then as it should be.
  void find_flow(std::int64_t time, int count) {
    taken_.record(stream_);
    const int workers = std::clamp(count / kTuning.stretch, 1, static_cast<int>(workers_.size()));
    for (int i = 0; i < workers; ++i) {
      FlowWorker& worker = *workers_[static_cast<std::size_t>(i)];
      const cudaStream_t stream = cuda_stream(worker.stream);
      taken_.hold(stream);
      const int first = count * i / workers, end = count * (i + 1) / workers;
      if (begun_) worker.estimator->push(frame_view(first - 1), worker.field);
      for (int f = first; f < end; ++f) {
        // Before the video nothing moves, and there is no frame before the first one.
        const bool moves = worker.estimator->push(frame_view(f), worker.field) && time + f > 0 &&
                           (begun_ || f > 0);
        keep_flow(moves ? &worker.field : nullptr, time + f, stream);
      }
      worker.done.record(stream);
    }
    busy_workers_ = workers;
    begun_ = true;
  }
  void keep_flow(const flow::Flow* field, std::int64_t time, cudaStream_t stream) {
    for (std::size_t level = 0; level < shapes_.size(); ++level) {
      const PlaneShape& shape = shapes_[level];
      const auto plane = [&](const DeviceRing& ring) {
        return ring.planes + ring_slot(time, ring.length) * shape.size();
      };
      sample_flow(field ? field->u.view().data : nullptr, field ? field->v.view().data : nullptr,
                  field ? static_cast<int>(field->u.stride()) : 0, static_cast<int>(level), shape,
                  plane(flow_u_[level]), plane(flow_v_[level]), stream);
    }
  }
  void follow(const FrameRun& run, std::vector<Candidate>& found) {
    if (!channels_.empty()) differentiate(channel_tables_.data(), run, grid(channels_.size()));
    const bool harris = plan_.detector == PointDetector::kHarris;
    if (maxima_.empty() || run.time + run.frames <= 0) {
      // Before the video there is nothing to find, but the periodic responses are neighbors of
      // those inside.
      if (!maxima_.empty() && !harris) respond_periodic(periodic_, run, stream_);
      check(cudaStreamSynchronize(stream_), "points");
      return;
    }
    MaximaRules rules{1, 1, plan_.border, plan_.threshold};
    if (harris) {
      respond(channel_tables_.data(), plan_.k, run, grid(channels_.size()));
    } else {
      respond_periodic(periodic_, run, stream_);
      rules.space = plan_.periodic.radius_space;
      rules.time = plan_.periodic.radius_time;
    }
    fetch_maxima(rules, run, found);
  }

  // Runs again with more memory where there was too little.
  void fetch_maxima(const MaximaRules& rules, const FrameRun& run, std::vector<Candidate>& found) {
    if (candidates_.size() == 0) make_room(kTuning.first_room);
    for (;;) {
      check(cudaMemsetAsync(count_.data(), 0, sizeof(unsigned), stream_), "points: maxima");
      const auto room = static_cast<unsigned>(candidates_.size());
      find_maxima(maxima_tables_.data(), rules, run, {candidates_.data(), count_.data(), room},
                  grid(maxima_.size()));
      check(cudaMemcpyAsync(found_count_.data(), count_.data(), sizeof(unsigned),
                            cudaMemcpyDeviceToHost, stream_),
            "points: maxima");
      const unsigned some = std::min(room, kTuning.first_fetch);
      fetch_candidates(0, some);
      check(cudaStreamSynchronize(stream_), "points: maxima");
      const unsigned count = found_count_[0];
      if (count <= room) {
        if (count > some) {
          fetch_candidates(some, count);
          check(cudaStreamSynchronize(stream_), "points: maxima");
        }
        found.insert(found.end(), candidates_here_.data(), candidates_here_.data() + count);
        return;
      }
      make_room(2 * count);
    }
  }
  void fetch_candidates(unsigned first, unsigned end) {
    check(cudaMemcpyAsync(candidates_here_.data() + first, candidates_.data() + first,
                          (end - first) * sizeof(Candidate), cudaMemcpyDeviceToHost, stream_),
          "points: maxima");
  }
  void make_room(std::size_t size) {
    candidates_ = Array<Candidate>(size, Memory::kCuda);
    candidates_here_ = Array<Candidate>(size, Memory::kPinned);
  }

  PointPlan plan_;
  Exec exec_;
  int block_;
  Stream main_;
  cudaStream_t stream_;
  std::vector<Array<float>> memory_;
  std::vector<PlaneShape> shapes_;
  std::vector<float*> levels_;
  int frame_stride_ = 0;
  std::ptrdiff_t frame_bytes_ = 0;
  Array<std::uint8_t> frames_, staging_;
  std::vector<SmoothTable> smooths_;
  std::vector<ChannelTable> channels_;
  std::vector<MaximaTable> maxima_;
  PeriodicTable periodic_;
  KeptBuffer<SmoothTable> smooth_tables_;
  KeptBuffer<ChannelTable> channel_tables_;
  KeptBuffer<MaximaTable> maxima_tables_;
  std::vector<DeviceRing> flow_u_, flow_v_;
  std::vector<std::unique_ptr<FlowWorker>> workers_;
  Event taken_;
  int busy_workers_ = 0;
  bool begun_ = false;
  Array<Candidate> candidates_, candidates_here_;
  Array<unsigned> count_, found_count_;
  KeptBuffer<Site> sites_;
  ArgumentUpload arguments_;
  KeptBuffer<float> rows_;
  Array<float> rows_here_;
};

}  // namespace

std::unique_ptr<PointEngine> make_point_engine(const PointPlan& plan, Extent size,
                                               const Exec& exec) {
  const ScopedDevice here(exec.device);
  return std::make_unique<CudaPointEngine>(plan, size, exec);
}

}  // namespace fovea::actions::cuda
