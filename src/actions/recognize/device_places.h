// What the places of a stream share on a GPU.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/core/stream.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actions/points/points_blocks.h"
#include "actions/recognize/event_rules.h"
#include "actions/recognize/place_matcher.h"

namespace fovea::actions {

// The prototypes of a model on a GPU, for all recognizers that share them.
struct DevicePrototypes {
  DevicePrototypes(const EventRules& rules, std::span<const Chain> chains, const Exec& exec);

  Exec exec;  // resolved, without a stream
  detail::FeatureRule features;
  std::shared_ptr<const detail::RowStream> stream;
};

class DevicePlaces {
 public:
  explicit DevicePlaces(std::shared_ptr<const DevicePrototypes> prototypes);

  std::unique_ptr<PlaceMatcher> first_matcher() const;
  // Makes features of descriptors and returns the number of the first row.
  std::int64_t add(const DescriptorRows& descriptors, int count);
  void forget_before(std::int64_t row) { rows_->forget_before(row); }
  std::int64_t rows() const { return added_; }
  const std::shared_ptr<const DevicePrototypes>& prototypes() const { return prototypes_; }

 private:
  std::shared_ptr<const DevicePrototypes> prototypes_;
  Stream stream_;
  Exec exec_;
  std::shared_ptr<detail::FeatureRows> rows_;
  std::int64_t added_ = 0;
};

}  // namespace fovea::actions
