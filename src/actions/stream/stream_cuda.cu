// CUDA twins of matching over a stream: one that takes points of the host, and one whose points are
// on the device already and which returns digests.
#include <algorithm>
#include <cstring>
#include <limits>

#include "actions/infinity.h"
#include "actions/stream/stream_core.cuh"
#include "core/backend.h"

namespace fovea::actions::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;
using fovea::cuda::ScopedDevice;

class CudaStreamEngine final : public detail::StreamEngine {
 public:
  CudaStreamEngine(std::shared_ptr<const StreamModels> models, const Exec& exec)
      : core_(std::move(models), exec), scores_(core_.models().lengths.size()) {}

  std::unique_ptr<detail::StreamEngine> another() const override {
    Exec exec = core_.exec();
    exec.stream = nullptr;
    return std::make_unique<CudaStreamEngine>(shared(), exec);
  }

  std::span<const MatchScore> push(std::int32_t frame, const Nodes& points) override {
    fovea::cuda::Session session(core_.exec());
    const StreamModels& models = core_.models();
    std::vector<StreamInput> inputs;
    if (models.terms.dummies && core_.frames() > 0) {
      // Frames farther back than any path reaches are skipped, unless their nodes are neighbors of
      // others.
      std::int64_t first = last_frame_ + 1;
      if (frame - models.history > first + models.terms.pair) first = frame - models.history;
      for (; first < frame; ++first) {
        inputs.push_back({static_cast<std::int32_t>(first), {}, {}});
        if (inputs.size() < StreamCore::kMostFrames) continue;
        core_.push(inputs, nullptr);
        check(cudaStreamSynchronize(core_.stream()), "matching");
        inputs.clear();
      }
      if (!inputs.empty()) {
        core_.push(inputs, nullptr);
        check(cudaStreamSynchronize(core_.stream()), "matching");
      }
    }
    last_frame_ = frame;
    bring(points);
    const StreamInput input{frame, points.nodes, {}};
    core_.push({&input, 1}, nullptr);
    std::fill(scores_.begin(), scores_.end(), MatchScore{.energy = kInfinity<float>});
    if (core_.step_of(0) >= 0) fetch();
    return scores_;
  }

  std::vector<MatchedNode> path(int chain) const override {
    if (last_frame_ == kNoFrame || core_.step_of(0) < 0 ||
        scores_[static_cast<std::size_t>(chain)].energy == kInfinity<float>)
      return {};
    return core_.path(0, chain);
  }

 private:
  static constexpr std::int64_t kNoFrame = std::numeric_limits<std::int64_t>::min();

  std::shared_ptr<const StreamModels> shared() const { return core_.shared(); }

  void bring(const Nodes& points) {
    if (points.size() == 0) return;
    const auto depth = static_cast<std::size_t>(core_.models().models.depth);
    const std::size_t bytes = static_cast<std::size_t>(points.size()) * depth * sizeof(float);
    auto* row = reinterpret_cast<float*>(staging_.reserve(bytes));
    const float* const first = row;
    const int width = points.features.width();
    for (int p = 0; p < points.size(); ++p, row += depth) {
      std::memcpy(row, points.features.row(p), static_cast<std::size_t>(width) * sizeof(float));
      std::fill(row + width, row + depth, 0.0F);
    }
    check(cudaMemcpyAsync(core_.features(static_cast<std::size_t>(points.size())), first, bytes,
                          cudaMemcpyHostToDevice, core_.stream()),
          "uploading points");
  }

  void fetch() {
    const std::size_t bytes = scores_.size() * sizeof(StreamResult);
    const auto* const results = reinterpret_cast<const StreamResult*>(told_.reserve(bytes));
    check(cudaMemcpyAsync(told_.reserve(0), core_.work().results, bytes, cudaMemcpyDeviceToHost,
                          core_.stream()),
          "fetching matches");
    check(cudaStreamSynchronize(core_.stream()), "matching");
    for (std::size_t m = 0; m < scores_.size(); ++m)
      if (results[m].pair >= 0)
        scores_[m] = {results[m].energy, results[m].appearance, results[m].first_frame,
                      results[m].last_frame};
  }

  StreamCore core_;
  std::vector<MatchScore> scores_;
  std::int64_t last_frame_ = kNoFrame;
  PinnedBuffer staging_, told_;
};

class CudaFeatureRows final : public detail::FeatureRows {
 public:
  CudaFeatureRows(const detail::FeatureRule& rule, const Exec& exec)
      : rule_(rule), exec_(exec), depth_(round_up(rule.size, kFeatureStep)) {}

  std::int64_t add(const float* descriptors, int count, void* stream) override {
    const std::int64_t first = end_;
    if (count == 0) return first;
    const ScopedDevice here(exec_.device);
    const auto own = static_cast<cudaStream_t>(exec_.stream);
    if (end_ + count - begin_ > rows_) grow(count, own);
    end_ += count;
    fovea::cuda::wait_for_stream(own, stream);
    make_features({descriptors, count, rule_, ring_.data(), first, rows_, depth_}, own);
    // The descriptors are not replaced before they were read.
    fovea::cuda::wait_for_stream(stream, own);
    return first;
  }
  void forget_before(std::int64_t row) override { begin_ = std::clamp(row, begin_, end_); }

  const float* data() { return ring_.data(); }
  std::int32_t slot(std::int64_t row) const { return static_cast<std::int32_t>(row % rows_); }

 private:
  // Rows that are known keep their numbers.
  void grow(int count, cudaStream_t stream) {
    const std::int64_t rows = std::max<std::int64_t>(2 * (end_ - begin_ + count), 256);
    Array<float> larger(static_cast<std::size_t>(rows * depth_), Memory::kCuda);
    for (std::int64_t row = begin_; row < end_; ++row)
      check(cudaMemcpyAsync(
                larger.data() + row % rows * depth_, ring_.data() + row % rows_ * depth_,
                static_cast<std::size_t>(depth_) * sizeof(float), cudaMemcpyDeviceToDevice, stream),
            "more memory for features");
    check(cudaStreamSynchronize(stream), "more memory for features");
    ring_ = std::move(larger);
    rows_ = rows;
  }

  detail::FeatureRule rule_;
  Exec exec_;
  int depth_;
  Array<float> ring_;
  std::int64_t rows_ = 0, begin_ = 0, end_ = 0;
};

// The rules of digests on the device.
struct DeviceRules {
  DeviceRules(const detail::DigestRules& from, const Exec& exec)
      : classes(from.classes), by_energy(from.by_energy) {
    fovea::cuda::Session session(exec);
    labels.fill(from.labels, session.stream());
    nodes.fill(from.nodes, session.stream());
    limits.fill(from.limits, session.stream());
    check(cudaStreamSynchronize(session.stream()), "preparing rules");
  }
  KeptBuffer<std::int32_t> labels, nodes;
  KeptBuffer<double> limits;
  std::int32_t classes;
  bool by_energy;
};

class CudaRowStream final : public detail::RowStream {
 public:
  CudaRowStream(std::shared_ptr<const StreamModels> models, std::shared_ptr<DeviceRules> rules,
                std::shared_ptr<CudaFeatureRows> rows, const Exec& exec)
      : core_(std::move(models), exec), rules_(std::move(rules)), rows_(std::move(rows)) {}

  std::unique_ptr<detail::RowStream> another(std::shared_ptr<detail::FeatureRows> rows,
                                             const Exec& exec) const override {
    return std::make_unique<CudaRowStream>(
        core_.shared(), rules_, std::static_pointer_cast<CudaFeatureRows>(std::move(rows)), exec);
  }

  void push(std::span<const detail::RowFrame> frames,
            std::vector<detail::FrameDigest>& digests) override {
    while (frames.size() > StreamCore::kMostFrames) {
      push_some(frames.first(StreamCore::kMostFrames), digests);
      frames = frames.subspan(StreamCore::kMostFrames);
    }
    if (!frames.empty()) push_some(frames, digests);
  }

  std::vector<MatchedNode> path(std::int32_t frame, int chain) const override {
    const auto at = std::find(pushed_.begin(), pushed_.end(), frame);
    if (at == pushed_.end()) return {};
    return core_.path(static_cast<std::size_t>(at - pushed_.begin()), chain);
  }

  std::int64_t copied_bytes() const override { return core_.copied_bytes(); }

 private:
  static constexpr std::size_t kFirstEntries = 256;  // that are fetched with everything else

  void push_some(std::span<const detail::RowFrame> frames,
                 std::vector<detail::FrameDigest>& digests) {
    fovea::cuda::Session session(core_.exec());
    std::vector<std::vector<Node>> nodes(frames.size());
    std::vector<std::vector<std::int32_t>> slots(frames.size());
    std::vector<StreamInput> inputs;
    inputs.reserve(frames.size());
    pushed_.clear();
    for (std::size_t f = 0; f < frames.size(); ++f) {
      for (const detail::RowPoint& point : frames[f].points) {
        nodes[f].push_back({point.x, point.y, frames[f].frame});
        slots[f].push_back(rows_->slot(point.row));
      }
      inputs.push_back({frames[f].frame, nodes[f], slots[f]});
      pushed_.push_back(frames[f].frame);
    }
    core_.push(inputs, rows_->data());
    const std::size_t first = digests.size();
    for (const detail::RowFrame& frame : frames)
      digests.push_back(
          {frame.frame,
           std::vector<double>(static_cast<std::size_t>(rules_->classes), kInfinity<double>),
           {}});
    if (core_.work().steps > 0) fetch({digests.data() + first, frames.size()});
  }

  void fetch(std::span<detail::FrameDigest> digests) {
    const StreamWork& work = core_.work();
    const auto cells =
        static_cast<std::size_t>(work.steps) * static_cast<std::size_t>(work.models.models);
    const auto classes = static_cast<std::size_t>(rules_->classes);
    Pieces pieces;
    pieces.take<unsigned>(1);
    const std::size_t nearest =
        pieces.take<double>(static_cast<std::int64_t>(work.steps) * rules_->classes);
    const std::size_t entries = pieces.take<DigestEntry>(static_cast<std::int64_t>(cells));
    unsigned char* const device = digest_.reserve(pieces.bytes());
    DigestWork digest{rules_->labels.data(), rules_->nodes.data(), rules_->limits.data(),
                      rules_->classes, rules_->by_energy};
    digest.counting = counting_.reserve(cells);
    digest.count = reinterpret_cast<unsigned*>(device);
    digest.nearest = reinterpret_cast<double*>(device + nearest);
    digest.entries = reinterpret_cast<DigestEntry*>(device + entries);
    check(cudaMemsetAsync(device, 0, sizeof(unsigned), core_.stream()), "matching");
    digest_stream(work, digest, core_.stream());
    const std::size_t some = entries + std::min(cells, kFirstEntries) * sizeof(DigestEntry);
    const unsigned char* here = fetch(0, some);
    const auto count = static_cast<std::size_t>(*reinterpret_cast<const unsigned*>(here));
    if (count > kFirstEntries) here = fetch(0, entries + count * sizeof(DigestEntry));
    for (std::size_t f = 0; f < digests.size(); ++f)
      if (const std::int32_t step = core_.step_of(f); step >= 0) {
        const auto* const row = reinterpret_cast<const double*>(here + nearest) +
                                static_cast<std::size_t>(step) * classes;
        digests[f].nearest.assign(row, row + classes);
      }
    const auto* const list = reinterpret_cast<const DigestEntry*>(here + entries);
    for (std::size_t f = 0; f < digests.size(); ++f) {
      for (std::size_t i = 0; i < count; ++i)
        if (list[i].step == core_.step_of(f))
          digests[f].matches.push_back({list[i].distance, list[i].chain, list[i].first_frame});
      detail::order_matches(digests[f].matches);
    }
  }
  const unsigned char* fetch(std::size_t from, std::size_t bytes) {
    unsigned char* const here = told_.reserve(bytes);
    check(
        cudaMemcpyAsync(here, digest_.data() + from, bytes, cudaMemcpyDeviceToHost, core_.stream()),
        "fetching matches");
    check(cudaStreamSynchronize(core_.stream()), "matching");
    return here;
  }

  StreamCore core_;
  std::shared_ptr<DeviceRules> rules_;
  std::shared_ptr<CudaFeatureRows> rows_;
  std::vector<std::int32_t> pushed_;  // frames of the last push
  KeptBuffer<unsigned char> digest_;
  KeptBuffer<std::int32_t> counting_;
  PinnedBuffer told_;
};

}  // namespace

std::unique_ptr<detail::StreamEngine> make_stream_engine(const detail::StreamChains& chains,
                                                         const Exec& exec) {
  Exec own = exec;
  own.stream = nullptr;  // a caller's stream may be gone when frames come
  return std::make_unique<CudaStreamEngine>(std::make_shared<const StreamModels>(chains, own), own);
}
std::shared_ptr<detail::FeatureRows> make_feature_rows(const detail::FeatureRule& rule,
                                                       const Exec& exec) {
  return std::make_shared<CudaFeatureRows>(rule, exec);
}
std::shared_ptr<const detail::RowStream> make_row_stream(const detail::StreamChains& chains,
                                                         const detail::DigestRules& rules,
                                                         const Exec& exec) {
  Exec own = exec;
  own.stream = nullptr;  // streams of cameras end before the chains that they share
  return std::make_shared<const CudaRowStream>(std::make_shared<const StreamModels>(chains, own),
                                               std::make_shared<DeviceRules>(rules, own), nullptr,
                                               own);
}

}  // namespace fovea::actions::cuda
