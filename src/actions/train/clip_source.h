// The points of clips, whichever way they are held.
#pragma once
#include <fovea/actions/train.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Gives the points of one clip at a time, so that whoever uses them need not hold all of them.
class ClipSource {
 public:
  ClipSource(std::span<const PointSet> sets) : sets_(sets) {}  // NOLINT: converts
  ClipSource(const PackedClips& packed) : packed_(&packed) {}  // NOLINT: converts
  int size() const { return packed_ != nullptr ? packed_->size() : static_cast<int>(sets_.size()); }
  // Returns the clip itself, or what it is unpacked to, which lies in `room`.
  const PointSet& get(int clip, PointSet& room) const {
    if (packed_ == nullptr) return sets_[static_cast<std::size_t>(clip)];
    room = packed_->unpacked(clip);
    return room;
  }
  // Returns how many points of a clip count if only the `most` most confident of a frame do.
  int points(int clip, int most) const;

 private:
  std::span<const SpaceTimePoint> places(int clip) const {
    return packed_ != nullptr ? packed_->points(clip)
                              : std::span(sets_[static_cast<std::size_t>(clip)].points);
  }

  std::span<const PointSet> sets_{};
  const PackedClips* packed_ = nullptr;
};

// Returns learn_scale() for some of the clips, without holding the features of all of them.
double choose_scale(const ClipSource& clips, std::span<const int> which, int most,
                    const FeatureOptions& options, std::uint64_t seed);

// Returns the points from which the prototypes of a clip are made: the `most` most confident ones
// of each frame, rounded as in files.
PointSet salient_of(const ClipSource& clips, int clip, int most = 1);

}  // namespace fovea::actions
