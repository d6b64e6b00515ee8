#include "actions/recognize/device_places.h"

#include "actions/match/features.h"
#include "actions/stream/stream_chains.h"
#include "core/backend.h"
#include "core/dispatch.h"

namespace fovea::actions {
namespace {

detail::FeatureRule feature_rule(const FeatureOptions& options) {
  return {options.appearance == Appearance::kHof ? kHogSize : 0, feature_size(options.appearance),
          static_cast<float>(options.scale > 0 ? options.scale : 1), options.square_root};
}

Exec without_stream(const Exec& from) {
  Exec exec = fovea::detail::resolve_exec("recognize", from, {});
  exec.stream = nullptr;
  exec.progress = {};
  return exec;
}

}  // namespace

DevicePrototypes::DevicePrototypes(const EventRules& rules, std::span<const Chain> chains,
                                   const Exec& from)
    : exec(without_stream(from)),
      features(feature_rule(rules.model().features)),
      stream(cuda::make_row_stream(detail::stream_chains(chains, rules.model().match),
                                   rules.digest_rules(), exec)) {}

DevicePlaces::DevicePlaces(std::shared_ptr<const DevicePrototypes> prototypes)
    : prototypes_(std::move(prototypes)),
      stream_(prototypes_->exec.device),
      exec_(prototypes_->exec) {
  exec_.stream = stream_.get();
  rows_ = cuda::make_feature_rows(prototypes_->features, exec_);
}

std::unique_ptr<PlaceMatcher> DevicePlaces::first_matcher() const {
  return make_device_matcher(prototypes_->stream, rows_, exec_);
}

std::int64_t DevicePlaces::add(const DescriptorRows& descriptors, int count) {
  added_ += count;
  return rows_->add(descriptors.rows, count, descriptors.stream);
}

}  // namespace fovea::actions
