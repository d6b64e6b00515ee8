#pragma once
#include <fovea/actions/train.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// Distances between clips, which take most of the time of a training: it grows with the square of
// the number of clips. They can be measured clip by clip, in any order and on several machines;
// train() then takes them instead of measuring them, and gives the same model.
namespace fovea::actions {

// The distances of one clip.
struct ClipDistances {
  // Of its prototypes, or of those that are candidates of floating selection, to the clips that
  // training matches them with: one row per such clip, one column per prototype.
  std::vector<float> matching{};
  // By class: distances to the single descriptors of other subjects, and how many descriptors vote
  // for it. Empty where training compares none.
  std::vector<double> singles{};
  std::vector<std::int32_t> votes{};
};
FOVEA_API void describe(FieldVisitor& visit, ClipDistances& distances);

struct FOVEA_API TrainDistances {
  std::string options{};               // that distances depend on, see distance_options()
  std::uint64_t clips_hash = 0;        // see hash_of_clips()
  std::vector<ClipDistances> clips{};  // in the order of the corpus

  // A safetensors file. read() throws IoError, FormatError and ModelError.
  void write(const std::string& path) const;
  static TrainDistances read(const std::string& path);
};

// The options of a training, its seed, the version of Fovea and the architecture as JSON, without
// options that have no influence on distances.
FOVEA_API std::string distance_options(const TrainOptions& options);
// Of the points, classes and subjects of all clips.
FOVEA_API std::uint64_t hash_of_clips(const Corpus& corpus, const PackedClips& points);

// Measures the distances of the clips at `which`, in rising order, and hands them on in that order,
// some clips at a time. Throws what train() throws.
using ClipMeasured = std::function<void(int clip, ClipDistances distances)>;
FOVEA_API void measure_distances(const Corpus& corpus, const PackedClips& points,
                                 std::span<const int> which, const TrainOptions& options,
                                 const ClipMeasured& measured);

// Trains with distances that were measured before. Symmetric distances of whole clips, where
// options ask for them, are still measured here. Throws InvalidArgument where the distances are
// those of other clips or options.
FOVEA_API Model train(const Corpus& corpus, const PackedClips& points,
                      const TrainDistances& distances, const TrainOptions& options = {});

}  // namespace fovea::actions
