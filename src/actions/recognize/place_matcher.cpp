#include "actions/recognize/place_matcher.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace fovea::actions {
namespace {

class HostMatcher final : public PlaceMatcher {
 public:
  HostMatcher(const EventRules& rules, StreamMatcher matcher)
      : rules_(rules), digest_rules_(rules.digest_rules()), matcher_(std::move(matcher)) {}

  std::unique_ptr<PlaceMatcher> another() const override {
    return std::make_unique<HostMatcher>(rules_, matcher_.another());
  }
  const detail::FrameDigest& push(std::int64_t frame, const PlacePoints& points) override {
    const auto number = static_cast<std::int32_t>(frame);
    digest_ = detail::digest_of(
        number, matcher_.push(number, rules_.nodes_of(frame, points.points, points.descriptors)),
        digest_rules_);
    return digest_;
  }
  std::vector<MatchedNode> path(int prototype) const override { return matcher_.path(prototype); }
  void prepare(std::span<const PlaceFrame>) override {}
  std::int64_t copied_bytes() const override { return 0; }

 private:
  const EventRules& rules_;
  detail::DigestRules digest_rules_;
  StreamMatcher matcher_;
  detail::FrameDigest digest_;
};

class DeviceMatcher final : public PlaceMatcher {
 public:
  DeviceMatcher(std::shared_ptr<const detail::RowStream> prototypes,
                std::shared_ptr<detail::FeatureRows> rows, const Exec& exec)
      : prototypes_(std::move(prototypes)),
        rows_(std::move(rows)),
        exec_(exec),
        stream_(prototypes_->another(rows_, exec_)) {}

  std::unique_ptr<PlaceMatcher> another() const override {
    return std::make_unique<DeviceMatcher>(prototypes_, rows_, exec_);
  }
  const detail::FrameDigest& push(std::int64_t frame, const PlacePoints& points) override {
    if (prepared_.empty()) {
      const PlaceFrame one{frame, points};
      prepare({&one, 1});
    }
    digest_ = std::move(prepared_.front());
    prepared_.pop_front();
    return digest_;
  }
  std::vector<MatchedNode> path(int prototype) const override {
    return stream_->path(digest_.frame, prototype);
  }
  void prepare(std::span<const PlaceFrame> frames) override {
    std::vector<detail::RowFrame> rows;
    rows.reserve(frames.size());
    for (const PlaceFrame& frame : frames) {
      detail::RowFrame row{static_cast<std::int32_t>(frame.frame), {}};
      row.points.reserve(frame.points.points.size());
      for (std::size_t i = 0; i < frame.points.points.size(); ++i)
        row.points.push_back(
            {frame.points.points[i].x, frame.points.points[i].y, frame.points.rows[i]});
      rows.push_back(std::move(row));
    }
    std::vector<detail::FrameDigest> digests;
    stream_->push(rows, digests);
    std::ranges::move(digests, std::back_inserter(prepared_));
  }
  std::int64_t copied_bytes() const override { return stream_->copied_bytes(); }

 private:
  std::shared_ptr<const detail::RowStream> prototypes_;
  std::shared_ptr<detail::FeatureRows> rows_;
  Exec exec_;
  std::unique_ptr<detail::RowStream> stream_;
  std::deque<detail::FrameDigest> prepared_;
  detail::FrameDigest digest_;
};

}  // namespace

std::unique_ptr<PlaceMatcher> make_host_matcher(const EventRules& rules, StreamMatcher matcher) {
  return std::make_unique<HostMatcher>(rules, std::move(matcher));
}

std::unique_ptr<PlaceMatcher> make_device_matcher(
    std::shared_ptr<const detail::RowStream> prototypes, std::shared_ptr<detail::FeatureRows> rows,
    const Exec& exec) {
  return std::make_unique<DeviceMatcher>(std::move(prototypes), std::move(rows), exec);
}

}  // namespace fovea::actions
