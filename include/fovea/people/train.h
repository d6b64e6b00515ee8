#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/image_set.h>
#include <fovea/people/model.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::people {

using io::ImageFileSet;
using io::ImageSet;

// What a detector learns from.
struct TrainData {
  const ImageSet& positives;  // crops with the person's window in their middle
  const ImageSet& negatives;  // whole images without people
};

// Memory for samples, and where an unfinished training is kept.
struct TrainRun {
  std::string checkpoint{};                  // a file, continued where it exists; empty: none. It
                                             // stays, for who wrote the model to remove
  std::uint64_t sample_bytes = 2ULL << 30U;  // most memory for samples
  Exec exec{};
};

// Of the kinds with one linear classifier.
struct LinearTrainOptions {
  double cost = 0.02;        // C of the support vector machine
  double enlarge = 1.5;      // negatives are searched from so many times their size down
  double ratio = 1.1;        // of the levels in which negatives are searched
  int stride = 8;            // between windows searched, pixels
  int random_windows = 10;   // of a negative, for the first classifier
  int rounds = 1;            // of searching the negatives for windows that score above -1
  int hard_windows = 80000;  // most that are kept of a round, the hardest first
  bool mirror = true;        // learn every positive's mirror image too
};
FOVEA_API void describe(OptionVisitor& visit, LinearTrainOptions& options);

struct CascadeTrainOptions {
  int stages = 23;              // at most
  double pass_rate = 0.997;     // d_min: share of the positives that a stage lets pass
  double false_rate = 0.65;     // f_max: share of the negatives that it may let pass
  double target_rate = 5e-4;    // of windows that pass all stages; no more are added then
  int blocks_per_round = 125;   // random blocks of the pool that compete for a place
  int negatives = 4832;         // windows a stage learns from
  double cost = 1;              // C of the blocks' classifiers
  bool color = true;            // of each pixel the channel with the strongest gradient; else gray
  bool graded = true;           // classifiers vote by their margins; else by their signs
  bool chained = true;          // a stage adds to the votes of those before it; else it begins anew
  double enlarge = 1.5;         // negatives are searched from so many times their size down
  double ratio = 1.05;          // of the levels in which negatives are searched
  int stride = 4;               // between windows searched, pixels
  int ranking_windows = 40000;  // most negatives for the score of windows that pass; 0: no such
  double ranking_cost = 0.1;    // C of that score
  bool mirror = true;           // learn every positive's mirror image too
};
FOVEA_API void describe(OptionVisitor& visit, CascadeTrainOptions& options);

struct ChannelsTrainOptions {
  int trees = 2048;  // of the last of four rounds; those before have 1/4, 1/16, 1/64
  int negatives_per_round = 10000;
  int most_negatives = 20000;
  int negatives_per_image = 25;
  double feature_share = 0.0625;  // of the features that a node may choose from
  double rejection = -3;          // of the soft cascade: what scores less is dropped; -1 looks at a
                                  // third of the trees and misses some people more
  double enlarge = 1.5;           // negatives are searched from so many times their size down
  double ratio = 1.0905;          // of the levels in which negatives are searched
  int exact_per_octave = 2;       // sizes an octave for which channels are computed from pixels, in
                                  // training and in use; 0: all
  bool mirror = true;
};
FOVEA_API void describe(OptionVisitor& visit, ChannelsTrainOptions& options);

// The negatives are searched on run.exec.device; images are read and classifiers learned on the
// CPU. Training is deterministic: the same data, options and seed give the same model, whatever the
// device and the number of threads, also where it was interrupted and continued. Throws
// InvalidArgument where there are too few images or crops are smaller than the window, DeviceError
// where there is no such device.
FOVEA_API Model train_linear(Kind kind, const HogOptions& hog, const TrainData& data,
                             const LinearTrainOptions& options, const TrainRun& run = {});
FOVEA_API Model train_cascade(const TrainData& data, const CascadeTrainOptions& options,
                              const TrainRun& run = {});
FOVEA_API Model train_channels(const TrainData& data, const ChannelsTrainOptions& options,
                               const TrainRun& run = {});

}  // namespace fovea::people
