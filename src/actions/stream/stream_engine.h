// The interface that both twins of matching over a stream implement, and what the GPU offers beyond
// it to those who keep points on the device.
#pragma once
#include <fovea/actions/match.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// Points have been checked, and frames come in order.
class StreamEngine {
 public:
  virtual ~StreamEngine() = default;
  // An engine of the same chains, whose memory both share, for a stream of its own.
  virtual std::unique_ptr<StreamEngine> another() const = 0;
  virtual std::span<const MatchScore> push(std::int32_t frame, const Nodes& points) = 0;
  virtual std::vector<MatchedNode> path(int chain) const = 0;
};

// What an engine needs to know about its chains.
struct StreamChains {
  std::span<const Chain> chains;
  MatchTerms terms;
  std::int32_t history = 0;  // most frames from the first to the last node of a path
};

// How features are made of descriptors.
struct FeatureRule {
  int begin = 0, size = 0;  // part of the descriptor
  float scale = 1;
  bool square_root = false;
};

// Features in device memory, in rows that are numbered from 0.
class FeatureRows {
 public:
  virtual ~FeatureRows() = default;
  // Makes features of descriptors on the device, which are complete when `stream` has done what it
  // has got so far, and returns the number of the first row.
  virtual std::int64_t add(const float* descriptors, int count, void* stream) = 0;
  virtual void forget_before(std::int64_t row) = 0;
};

// What the recognizer wants to know about the matches that end in a frame.
struct DigestRules {
  std::vector<std::int32_t> labels;  // class of each chain
  std::vector<std::int32_t> nodes;   // number of nodes of each chain
  std::vector<double> limits;        // greatest distance of each chain that counts
  std::int32_t classes = 0;
  bool by_energy = true;  // the distance is energy or appearance, per node
};

// A match that counts.
struct DigestMatch {
  double distance = 0;
  std::int32_t chain = -1;
  std::int32_t first_frame = 0;
};

// Of the matches that count only those are kept that are nearer than all that begin later or in the
// same frame; of equal ones the first chain. They come in the order of their first frames, the
// latest first. Whatever frame an event may begin after, the best match is one of them.
struct FrameDigest {
  std::int32_t frame = 0;
  std::vector<double> nearest;  // one per class: the distance of its best match, or infinite
  std::vector<DigestMatch> matches;
};
FrameDigest digest_of(std::int32_t frame, std::span<const MatchScore> scores,
                      const DigestRules& rules);
// Orders matches and leaves out those that are not wanted.
void order_matches(std::vector<DigestMatch>& matches);

// A point of a frame on the device.
struct RowPoint {
  float x = 0, y = 0;
  std::int64_t row = 0;  // of its features
};
struct RowFrame {
  std::int32_t frame = 0;
  std::vector<RowPoint> points;
};

// Matching over a stream on a GPU whose points are there already.
class RowStream {
 public:
  virtual ~RowStream() = default;
  // A stream of the same chains, whose memory both share, with features of its own. The stream of
  // `exec`, where it has one, must outlive it.
  virtual std::unique_ptr<RowStream> another(std::shared_ptr<FeatureRows> rows,
                                             const Exec& exec) const = 0;
  // Takes the next frames without gaps and appends their digests.
  virtual void push(std::span<const RowFrame> frames, std::vector<FrameDigest>& digests) = 0;
  // The nodes of the match of a chain that ends in one of the frames of the last push.
  virtual std::vector<MatchedNode> path(std::int32_t frame, int chain) const = 0;
  // Bytes that were copied to the device since the start, for tests.
  virtual std::int64_t copied_bytes() const = 0;
};

}  // namespace fovea::actions::detail

namespace fovea::actions::cpu {
std::unique_ptr<detail::StreamEngine> make_stream_engine(const detail::StreamChains& chains,
                                                         const Exec& exec);
}
// The stream of `exec`, where it has one, must outlive the objects.
namespace fovea::actions::cuda {
std::unique_ptr<detail::StreamEngine> make_stream_engine(const detail::StreamChains& chains,
                                                         const Exec& exec);
std::shared_ptr<detail::FeatureRows> make_feature_rows(const detail::FeatureRule& rule,
                                                       const Exec& exec);
// It has no features: another() takes frames.
std::shared_ptr<const detail::RowStream> make_row_stream(const detail::StreamChains& chains,
                                                         const detail::DigestRules& rules,
                                                         const Exec& exec);
}  // namespace fovea::actions::cuda
