// The face of matching over a stream: checks its input and chooses the device.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "actions/stream/stream_chains.h"
#include "actions/stream/stream_health.h"
#include "core/dispatch.h"

namespace fovea::actions {
namespace {

// Returns the most frames from the first to the last of so many nodes: every two consecutive gaps
// fit into what a triple may have.
std::int64_t longest_path(int nodes, const detail::MatchTerms& terms) {
  const std::int64_t gaps = std::max(0, nodes - 1);
  return gaps / 2 * std::max(terms.triple, 0) + gaps % 2 * std::max(terms.pair, 0);
}

}  // namespace

struct StreamMatcher::Impl {
  std::unique_ptr<detail::StreamEngine> engine;  // none where there are no chains
  int chains = 0;
  int features = -1;
  std::int64_t last_frame = std::numeric_limits<std::int64_t>::min();
  detail::StreamHealth health{};
};

detail::StreamChains detail::stream_chains(std::span<const Chain> chains,
                                           const MatchOptions& options) {
  check_options(options);
  if (options.window == 0)
    throw InvalidArgument(
        "match: the window is 0, which sets no limit; a stream needs a window of 1 or more frames");
  StreamChains checked{chains, MatchTerms(options), 0};
  int longest = 0, features = -1;
  for (int i = 0; i < static_cast<int>(chains.size()); ++i) {
    const Chain& chain = chains[static_cast<std::size_t>(i)];
    check_chain(chain, i, features);
    features = chain.features.width();
    longest = std::max(longest, chain.size());
  }
  const std::int64_t history = longest_path(longest, checked.terms);
  if (history > kMostFrame)
    throw InvalidArgument(
        fmt::format("match: paths of {} nodes in a window of {} frames are up to {} frames long; "
                    "expected at most {}",
                    longest, options.window, history, kMostFrame));
  checked.history = static_cast<std::int32_t>(history);
  return checked;
}

StreamMatcher::StreamMatcher(std::span<const Chain> chains, const MatchOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const detail::StreamChains checked = detail::stream_chains(chains, options);
  const Exec exec = fovea::detail::resolve_exec("match", options.exec, {});
  impl_->chains = static_cast<int>(chains.size());
  if (chains.empty()) return;
  impl_->features = chains.front().features.width();
  impl_->engine = fovea::detail::on_cuda(exec) ? cuda::make_stream_engine(checked, exec)
                                               : cpu::make_stream_engine(checked, exec);
}

StreamMatcher StreamMatcher::another() const {
  auto impl = std::make_unique<Impl>();
  impl->chains = impl_->chains;
  impl->features = impl_->features;
  if (impl_->engine) impl->engine = impl_->engine->another();
  return StreamMatcher(std::move(impl));
}

StreamMatcher::StreamMatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StreamMatcher::~StreamMatcher() = default;
StreamMatcher::StreamMatcher(StreamMatcher&&) noexcept = default;
StreamMatcher& StreamMatcher::operator=(StreamMatcher&&) noexcept = default;

std::span<const MatchScore> StreamMatcher::push(std::int32_t frame, const Nodes& points) {
  Impl& impl = *impl_;
  detail::check_points("the frame", points, impl.features);
  if (frame <= impl.last_frame || frame < -detail::kMostFrame || frame > detail::kMostFrame)
    throw InvalidArgument(fmt::format("match: frame {} is pushed after {}; expected a later one",
                                      frame, impl.last_frame));
  for (const Node& node : points.nodes)
    if (node.frame != frame)
      throw InvalidArgument(
          fmt::format("match: a point lies in frame {}; expected {}, the frame "
                      "that is pushed",
                      node.frame, frame));
  return impl.health.change([&] {
    impl.last_frame = frame;
    return impl.engine ? impl.engine->push(frame, points) : std::span<const MatchScore>();
  });
}

std::vector<MatchedNode> StreamMatcher::path(int chain) const {
  if (chain < 0 || chain >= impl_->chains)
    throw InvalidArgument(
        fmt::format("match: chain {} does not exist; there are {}", chain, impl_->chains));
  impl_->health.require_whole();
  return impl_->engine->path(chain);
}

}  // namespace fovea::actions
