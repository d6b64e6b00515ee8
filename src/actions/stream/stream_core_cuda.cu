// The steps of a stream on a GPU. The host counts steps and nodes and knows where they lie; states
// and paths stay on the device. What a push tells the device about its steps and points are a few
// hundred bytes in the arguments of kernels.
#include <algorithm>
#include <limits>

#include "actions/stream/stream_core.cuh"

namespace fovea::actions::cuda {

using fovea::cuda::check;

StreamModels::StreamModels(const detail::StreamChains& chains, const Exec& exec)
    : terms(chains.terms), history(chains.history) {
  fovea::cuda::Session session(exec);
  std::vector<const Nodes*> nodes;
  nodes.reserve(chains.chains.size());
  lengths.reserve(chains.chains.size());
  for (const Chain& chain : chains.chains) {
    nodes.push_back(&chain);
    lengths.push_back(chain.size());
  }
  features = chains.chains.front().features.width();
  models = tables.fill(nodes, session.stream());
  units = device_limits().units;
  no_layout.fill({detail::CellLayout{}}, session.stream());
  check(cudaStreamSynchronize(session.stream()), "preparing models");
}

StreamCore::StreamCore(std::shared_ptr<const StreamModels> models, const Exec& exec)
    : models_(std::move(models)), exec_(exec), steps_(models_->terms) {
  if (exec_.stream == nullptr) {
    own_ = Stream(exec_.device);
    exec_.stream = own_.get();
  }
  const std::int64_t reach = std::max({models_->history, models_->terms.triple, 0});
  ring_.resize(static_cast<std::size_t>(reach) + kMostFrames + 2);
  work_.models = models_->models;
  work_.terms = models_->terms;
  work_.ring_size = static_cast<std::int32_t>(ring_.size());
}

float* StreamCore::features(std::size_t points) {
  return features_.reserve(std::max<std::size_t>(1, points) *
                           static_cast<std::size_t>(models_->models.depth));
}

void StreamCore::add_step(std::int64_t number, std::int32_t column) {
  const detail::Step& from = steps_[number];
  StreamStep step;
  step.frame = from.frame;
  step.points = from.points;
  step.nodes = from.nodes;
  step.before = from.before();
  step.neighbors = static_cast<std::int32_t>(number - from.oldest);
  step.seen = from.seen();
  std::int64_t oldest = number;
  while (oldest > steps_.begin() && steps_[oldest - 1].frame >= from.frame - models_->terms.triple)
    --oldest;
  step.seen_steps = static_cast<std::int32_t>(number - oldest);
  step.column = column;
  step.first = from.first;
  step.oldest_node = from.oldest_node;
  step.first_point = from.first_point;
  step.oldest_seen = from.oldest_seen;
  const std::int64_t cells = step.pairs() * models_->models.total;
  const std::int64_t begins = static_cast<std::int64_t>(models_->models.models) * step.points;
  const auto at = [&](std::int64_t of) -> StreamStep& {
    return ring_[static_cast<std::size_t>(of % std::ssize(ring_))];
  };
  step.states = window_.take(number,
                             3 * cells + begins + 2 * static_cast<std::int64_t>(step.points) +
                                 static_cast<std::int64_t>(step.points) * step.seen,
                             stream(), [&](std::int64_t of, std::int64_t distance) {
                               at(of).states += distance;
                               at(of).begin += distance;
                               at(of).places += distance;
                               at(of).directions += distance;
                               moved_ = true;
                             });
  step.begin = step.states + 3 * cells;
  step.places = step.begin + begins;
  step.directions = step.places + 2 * static_cast<std::int64_t>(step.points);
  step.back = history_.take(number, cells, stream(), [&](std::int64_t of, std::int64_t distance) {
    at(of).back += distance;
    moved_ = true;
  });
  at(number) = step;
}

// The ring's end may lie between the first and the last of them.
void StreamCore::send_steps(std::int64_t first, std::int64_t end) {
  StreamStep* const device = device_ring_.reserve(ring_.size());
  while (first < end) {
    const std::int64_t at = first % std::ssize(ring_);
    const std::int64_t count = std::min(end - first, std::ssize(ring_) - at);
    arguments_.send(device + at, ring_.data() + at,
                    static_cast<std::size_t>(count) * sizeof(StreamStep), stream());
    first += count;
  }
  work_.ring = device;
}

void StreamCore::push(std::span<const StreamInput> inputs, const float* store) {
  health_.change([&] { push_whole(inputs, store); });
}

void StreamCore::push_whole(std::span<const StreamInput> inputs, const float* store) {
  const std::int64_t first = steps_.end();
  const detail::MatchTerms& terms = models_->terms;
  step_of_.clear();
  points_.clear();
  moved_ = false;
  bool from_store = false;
  if (!inputs.empty()) {
    // A path may end in the first of these frames, and its first node lies `history` before.
    const std::int64_t oldest = static_cast<std::int64_t>(inputs.front().frame) - models_->history;
    std::int64_t number = steps_.begin();
    while (number < first && steps_[number].frame < oldest) ++number;
    history_.forget_before(number);
    while (number < first &&
           steps_[number].frame < static_cast<std::int64_t>(inputs.front().frame) - terms.triple)
      ++number;
    window_.forget_before(number);
    steps_.drop_before(static_cast<std::int32_t>(
        std::max<std::int64_t>(oldest, std::numeric_limits<std::int32_t>::min())));
  }
  for (const StreamInput& input : inputs) {
    const std::int64_t number = steps_.end();
    steps_.push(input.frame, input.nodes);
    if (steps_.end() == number) {
      step_of_.push_back(-1);
      continue;
    }
    const auto step = static_cast<std::int32_t>(number - first);
    step_of_.push_back(step);
    add_step(number, static_cast<std::int32_t>(points_.size()));
    for (std::size_t p = 0; p < input.nodes.size(); ++p)
      points_.push_back(
          {input.nodes[p].x, input.nodes[p].y, input.rows.empty() ? -1 : input.rows[p], step});
    from_store = from_store || !input.rows.empty();
  }
  work_.first_step = first;
  work_.steps = static_cast<std::int32_t>(steps_.end() - first);
  work_.points = static_cast<std::int32_t>(points_.size());
  if (work_.steps == 0) return;
  send_steps(moved_ ? std::max(steps_.begin(), steps_.end() - std::ssize(ring_)) : first,
             steps_.end());
  work_.window = window_.data();
  work_.history = history_.data();
  work_.unary_pitch = (work_.points + 31) / 32 * 32;
  work_.unary = unary_.reserve(static_cast<std::size_t>(work_.unary_pitch) *
                               static_cast<std::size_t>(work_.models.total));
  work_.results = results_.reserve(static_cast<std::size_t>(work_.steps) *
                                   static_cast<std::size_t>(work_.models.models));
  if (work_.points > 0) {
    StreamPoint* const points = device_points_.reserve(points_.size());
    arguments_.send(points, points_.data(), points_.size() * sizeof(StreamPoint), stream());
    DeviceScenes scene;
    float* const rows = features(points_.size());
    gather_stream(work_, {points, store, rows}, stream());
    scene.layouts = models_->no_layout.data();
    scene.features = rows;
    scene.points = work_.points;
    scene.unary = unary_.data();
    scene.unary_pitch = work_.unary_pitch;
    prepare_scenes(work_.models, scene, 1, {terms.appearance, models_->units}, stream());
  }
  match_stream(work_, stream());
}

std::vector<MatchedNode> StreamCore::path(std::size_t input, int chain) const {
  health_.require_whole();
  const fovea::cuda::Session session(exec_);
  const auto nodes = static_cast<std::size_t>(models_->lengths[static_cast<std::size_t>(chain)]);
  std::int32_t* const device = path_.reserve(2 * nodes);
  const auto* const here =
      reinterpret_cast<const std::int32_t*>(path_here_.reserve(2 * nodes * sizeof(std::int32_t)));
  trace_stream(work_, step_of_[input], chain, device, stream());
  check(cudaMemcpyAsync(path_here_.reserve(0), device, 2 * nodes * sizeof(std::int32_t),
                        cudaMemcpyDeviceToHost, stream()),
        "fetching a path");
  check(cudaStreamSynchronize(stream()), "fetching a path");
  std::vector<MatchedNode> path;
  path.reserve(nodes);
  for (std::size_t i = 0; i < nodes; ++i) path.push_back({here[2 * i], here[2 * i + 1]});
  return path;
}

}  // namespace fovea::actions::cuda
