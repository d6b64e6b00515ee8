#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/image_set.h>
#include <fovea/people/mine.h>
#include <fovea/people/model.h>

#include <cstdint>
#include <span>
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

// The last four fields are the same in the options of all kinds. describe() does not list them:
// programs name them once, and models and checkpoints do not depend on them except for the seed and
// the memory.

// For the kinds with one linear classifier: hog, hog-cells and hog-integral.
struct LinearTrainOptions {
  double cost = 0.02;       // C of the support vector machine
  double enlarge = 1.5;     // negatives are searched from this many times their size downwards
  double ratio = 1.1;       // size of a level divided by the size of the next, in that search
  int stride = 8;           // step between windows in that search, in pixels
  int random_windows = 10;  // windows per negative that the first classifier learns from
  int rounds = 1;  // how often the negatives are searched for windows with a score above -1
  int hard_windows = 80000;  // the most windows that a round adds, the highest scores first
  bool mirror = true;        // also learn the mirror image of every positive
  std::string checkpoint{};  // file that keeps an unfinished training and continues it; empty:
                             // none. It is not removed at the end: do so when the model is written
  std::uint64_t sample_bytes = 2ULL << 30U;  // the most memory for samples
  NegativeSearch search{};  // searches the negatives elsewhere; empty: they are searched here
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, LinearTrainOptions& options);

struct CascadeTrainOptions {
  int stages = 23;              // the most stages
  double pass_rate = 0.997;     // d_min: least share of the positives that a stage lets pass
  double false_rate = 0.65;     // f_max: greatest share of the negatives that a stage lets pass
  double target_rate = 5e-4;    // training ends when no more than this share of windows passes all
                                // stages
  bool measured_rate = true;    // that share is measured in the negatives; if not, every stage
                                // counts as false_rate
  int blocks_per_round = 125;   // random blocks of the pool that compete for each place in a stage
  int negatives = 4832;         // windows without a person that a stage learns from
  double cost = 1;              // C of the blocks' support vector machines
  bool color = true;            // as CascadeModel::color
  bool graded = true;           // as CascadeModel::graded
  bool chained = true;          // as CascadeModel::chained
  double enlarge = 1.5;         // negatives are searched from this many times their size downwards
  double ratio = 1.05;          // size of a level divided by the size of the next, in that search
  int stride = 4;               // step between windows in that search, in pixels
  int ranking_windows = 40000;  // the most negatives that the ranking learns from; 0: no ranking
  double ranking_cost = 0.1;    // C of the ranking's support vector machine
  bool mirror = true;           // also learn the mirror image of every positive
  std::string checkpoint{};     // as LinearTrainOptions::checkpoint
  std::uint64_t sample_bytes = 2ULL << 30U;  // the most memory for samples
  NegativeSearch search{};                   // as LinearTrainOptions::search
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, CascadeTrainOptions& options);

// Cascades of papers: the options that their authors used.
enum class CascadePreset : unsigned char {
  kNone,    // CascadeTrainOptions as they are
  kThesis,  // Bilgic, 2010: 23 stages, f_max 0.65, d_min 0.99, F_target 5e-5
  kZhu      // Zhu, Avidan, Yeh and Cheng, 2006: 30 stages, f_max 0.7, d_min 0.9975, F_target 1e-5
};
FOVEA_API std::span<const Choice> choices(CascadePreset);
// Both papers: gray, votes by sign, stages that start from 0, 2416 negatives per stage from images
// of their own size in steps of 4 pixels and 1.05, no ranking. Stages count as f_max, so
// that there are 23 and 30 of them.
FOVEA_API CascadeTrainOptions cascade_options(CascadePreset preset);

struct ChannelsTrainOptions {
  int trees = 2048;  // trees of the full rounds; the three before them have 1/64, 1/16
                     // and 1/4 as many
  int negatives_per_round = 10000;  // the most new windows without a person in a round
  int most_negatives = 20000;       // the most windows without a person that a round learns from
  int negatives_per_image = 25;     // the most new windows from one negative
  double feature_share = 0.0625;    // share of the features that each node may choose from
  double kept_weight = 1;  // a tree learns from the samples with the greatest weights, which have
                           // this share of all weight together: less is faster
  double rejection = -3;   // soft cascade: a window whose score falls below this is rejected. With
                           // -1 a third of the trees is evaluated, and some more people are missed
  double enlarge = 1.5;    // negatives are searched from this many times their size downwards
  double ratio = 1.0905;   // size of a level divided by the size of the next, in that search
  int exact_per_octave = 2;  // as ChannelsModel::exact_per_octave, in training and in use
  bool mirror = true;        // also learn the mirror image of every positive
  int jitter = 0;         // also learn so many copies of every positive, moved and resized a little
  int jitter_pixels = 1;  // the most pixels by which a copy is moved in each direction
  double jitter_ratio = 1.05;    // the most by which a copy is resized, a factor
  bool jitter_resample = false;  // channels of copies are resampled from another size, as those of
                                 // most levels of a search are
  int final_rounds = 1;          // how many rounds have the full number of trees
  double shrinkage = 1;          // factor of what trees add, of rejection scores and threshold
  std::string checkpoint{};      // as LinearTrainOptions::checkpoint
  std::uint64_t sample_bytes = 2ULL << 30U;  // the most memory for samples
  NegativeSearch search{};                   // as LinearTrainOptions::search
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ChannelsTrainOptions& options);

struct FilteredTrainOptions {
  int trees = 4096;                 // as ChannelsTrainOptions::trees
  int depth = 3;                    // decisions from the root of a tree to its leaves, 2 to 5
  int filters = 4;                  // filters per channel, 1 to 8
  int negatives_per_round = 20000;  // as ChannelsTrainOptions, as are the next two
  int most_negatives = 40000;
  int negatives_per_image = 25;
  double feature_share = 0.0625;  // share of the features that each node may choose from
  double kept_weight = 0.99;      // as ChannelsTrainOptions::kept_weight
  double rejection = -7;          // soft cascade: a window whose score falls below this is rejected
  double mining_rejection = -3;   // the same while negatives are searched
  double enlarge = 1.5;      // negatives are searched from this many times their size downwards
  double ratio = 1.0905;     // size of a level divided by the size of the next, in that search
  int exact_per_octave = 2;  // as ChannelsModel::exact_per_octave, in training and in use
  bool mirror = true;        // also learn the mirror image of every positive
  int jitter = 0;            // as ChannelsTrainOptions, as are the next five
  int jitter_pixels = 1;
  double jitter_ratio = 1.05;
  bool jitter_resample = false;
  int final_rounds = 1;
  double shrinkage = 1;
  std::string checkpoint{};                  // as LinearTrainOptions::checkpoint
  std::uint64_t sample_bytes = 2ULL << 30U;  // the most memory for samples
  NegativeSearch search{};                   // as LinearTrainOptions::search
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, FilteredTrainOptions& options);

// Negatives are searched on options.exec.device; images are read and classifiers learned on the
// CPU. Training is deterministic: the same data, options and seed give the same model on any device
// with any number of threads, even where it was interrupted and continued. Throws InvalidArgument
// where there are too few images or a crop is smaller than the window, DeviceError where the device
// does not exist.
FOVEA_API Model train_linear(Kind kind, const HogOptions& hog, const TrainData& data,
                             const LinearTrainOptions& options = {});
FOVEA_API Model train_cascade(const TrainData& data, const CascadeTrainOptions& options = {});
FOVEA_API Model train_channels(const TrainData& data, const ChannelsTrainOptions& options = {});
FOVEA_API Model train_filtered(const TrainData& data, const FilteredTrainOptions& options = {});

// The options of all kinds together, of which a training uses those of its kind.
struct TrainOptions {
  // What `cascade` began with. Change it by use_preset(), which sets `cascade`; what is changed in
  // `cascade` afterwards counts. The facts of a model name the preset and the changes.
  CascadePreset preset = CascadePreset::kNone;
  HogOptions hog{};  // for hog, hog-cells and hog-integral, as are those of the next line
  LinearTrainOptions linear{};
  CascadeTrainOptions cascade{};
  ChannelsTrainOptions channels{};
  FilteredTrainOptions filtered{};
  // These take the place of the parts' own.
  std::string checkpoint{};
  std::uint64_t sample_bytes = 2ULL << 30U;
  NegativeSearch search{};
  Exec exec{};
};
FOVEA_API void use_preset(TrainOptions& options, CascadePreset preset);
// Lists the memory and the fields of each part as hog-..., linear-..., cascade-..., channels-...
// and filtered-...; programs add the preset, the checkpoint and exec.
FOVEA_API void describe(OptionVisitor& visit, TrainOptions& options);
// Trains a model of any kind. Throws InvalidArgument also where a preset is given for another kind
// than its own.
FOVEA_API Model train(Kind kind, const TrainData& data, const TrainOptions& options = {});

}  // namespace fovea::people
