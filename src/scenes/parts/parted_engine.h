// An engine of k-means whose points lie in parts elsewhere. It keeps the centers and the sums of
// all parts, and asks the parts for everything that needs points.
#pragma once
#include <fovea/scenes/parts.h>

#include "ops/kmeans/backend.h"

namespace fovea::scenes {

// Numbers requests, and adds what all of them have.
class PartsAsker {
 public:
  PartsAsker(const SampleParts& parts, const AskParts& ask) : parts_(parts), ask_(ask) {}

  // What later requests have.
  void set_standard(const Dictionary& dictionary) {
    mean_ = dictionary.mean;
    scale_ = dictionary.scale;
  }
  // Throws InvalidArgument where the samples are not those of the first request, or of another job
  // than that of the parts.
  RoundAnswer ask(RoundRequest& request);
  // And where the answer does not have so many whole numbers.
  RoundAnswer ask(RoundRequest& request, std::size_t wholes);
  RoundAnswer ask(RoundRequest&& request, std::size_t wholes) { return ask(request, wholes); }
  // Samples by their numbers, in any order.
  Image<float> rows(std::span<const std::int64_t> points);

  int parts() const { return parts_.count; }
  std::int64_t samples() const { return firsts_.back(); }
  void set_counts(std::span<const std::int64_t> counts);

 private:
  const SampleParts& parts_;
  const AskParts& ask_;
  std::int64_t next_ = 0;
  std::uint64_t hash_ = 0;  // of the samples
  std::vector<std::int64_t> firsts_{};
  std::vector<float> mean_{}, scale_{};
};

class PartedEngine final : public detail::KmeansEngine {
 public:
  PartedEngine(PartsAsker& asker, const detail::KmeansSurvey& survey, const Exec& exec)
      : asker_(asker), survey_(survey), exec_(exec) {}

  detail::KmeansSurvey survey() override { return survey_; }
  void set_scales(const detail::KmeansScales& scales) override { scales_ = scales; }
  void start_at(std::span<const std::int32_t> points) override;
  void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) override;
  detail::KmeansStep step(bool move) override;
  // Throws InvalidArgument: learn_dictionary() refuses batches before.
  detail::KmeansStep step_batch(std::span<const std::int32_t> points) override;
  std::span<const std::int32_t> labels() override { return {}; }  // they stay with the parts
  std::span<const float> distances() override { return {}; }
  std::span<const std::int64_t> counts() override { return counts_; }
  std::vector<detail::KmeansCandidate> farthest(int most, double scale) override;
  double transfer(std::span<const detail::KmeansTransfer> transfers) override;
  void read_centers(ImageView<float> centers) override;

 private:
  int dimensions() const { return static_cast<int>(survey_.largest.size()); }
  void start_with(Image<float> centers);
  Image<float> find(const RoundName& after, std::span<const std::int64_t> sums, std::int64_t drawn);
  RoundRequest assignment(RoundKind kind) const;

  PartsAsker& asker_;
  detail::KmeansSurvey survey_;
  Exec exec_;
  detail::KmeansScales scales_{};
  Image<float> centers_{}, before_{};  // now, and at the last assignment, which has none at a start
  std::vector<std::int64_t> moved_{};  // as RoundRequest::points of the next assignment
  std::vector<std::int64_t> sums_{}, counts_{};
};

}  // namespace fovea::scenes
