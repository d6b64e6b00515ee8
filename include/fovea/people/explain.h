#pragma once
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/people/detector.h>
#include <fovea/report/explanation.h>

#include <cstdint>
#include <span>
#include <vector>

// Why a window counts as a person, or why it does not. Explanations are computed on the host,
// whatever the device: the CPU and a GPU give a window the same score to the bit.
namespace fovea::people {

// What one block of cells adds to a score: of a linear classifier weights . block and an equal
// share of the bias, of a cascade the vote of a classifier or, in the ranking, its margin.
struct BlockShare {
  Rect<double> place{};  // pixels of the image
  int stage = -1;        // of a cascade, from 0; -1 in the ranking and for linear classifiers
  double value = 0;
};

// One question of a tree: whether a cell of a channel has a value of at least `threshold`.
struct CellTest {
  int channel = 0;       // 0 to 9: L, u, v, gradient magnitude, and six orientations
  int filter = -1;       // of a filtered channel; -1: the channel itself
  Rect<double> place{};  // the cell, in pixels of the image
  int value = 0;         // 0 to 255
  int threshold = 0;
  bool reached() const { return value >= threshold; }
};

// What one tree adds to a score.
struct TreeShare {
  int tree = 0;
  double value = 0;
  double sum = 0;                 // the score after this tree
  double rejection = 0;           // a lower sum ends the search of this window here
  std::vector<CellTest> tests{};  // from the root down
};

// One stage of a cascade that the window reached.
struct StageShare {
  double value = 0;      // votes of its classifiers
  double sum = 0;        // votes that are compared with the threshold
  double threshold = 0;  // a lower sum rejects the window
  int classifiers = 0;
  bool passed() const { return sum >= threshold; }
};

// The best window of one level around a place.
struct LevelScore {
  double person_height = 0;  // in pixels of the image
  float score = 0;           // as Detector::scores() gives it
  Rect<float> window{};
};

// What became of a window.
enum class Outcome : unsigned char {
  kPerson,          // it counts, and it is one of the people that detect() returns
  kFused,           // it counts, but fusing joined it with a better window near it
  kBelowThreshold,  // it was evaluated to the end, and its score is too low
  kRejected,        // a stage of a cascade or a tree rejected it
};

struct WindowExplanation {
  Kind kind = Kind::kHog;
  Detection window{};  // with its score, as Detector::scores() gives it
  int level = 0;       // its place in the search
  int column = 0;
  int row = 0;
  Outcome outcome = Outcome::kPerson;
  double threshold = 0;  // the least score of a person
  Detection joined{};    // where the outcome is kFused: the person that it became part of
  // What the shares of blocks or trees add up to. Where the window was evaluated to the end this is
  // its score (and of a cascade without ranking, its score plus `base`); otherwise it is the sum
  // that was too low.
  double sum = 0;
  double base = 0;     // threshold of the last stage, for a cascade without ranking that was passed
  double missing = 0;  // by how much the sum or the score fell short; 0 for a person
  int passed = 0;      // stages or trees that did not reject the window
  int steps = 0;       // stages or trees of the model; 0 for linear classifiers
  std::vector<BlockShare> blocks{};  // in the order of the model
  std::vector<TreeShare> trees{};    // those that were evaluated, in their order
  std::vector<StageShare> stages{};  // those that were reached
  // The shares of the window's parts, 4x4 pixels of the level each, over window.window. They add up
  // to `sum`. A block counts where its cells lie, and a tree in equal parts where its tests look.
  Image<float> heat{};
  std::vector<LevelScore> levels{};  // of the windows around the explained place, the smallest
                                     // first; empty where one window is explained
  Extent image{};                    // size of the image
};

// Explains the best window, over all sizes, of those whose person covers the place (x, y) of the
// image. A place without any window is an InvalidArgument that names it, and so is one outside of
// the image. The search takes about as long as Detector::detect().
FOVEA_API WindowExplanation explain(const Detector& detector, ImageView<const std::uint8_t> image,
                                    double x, double y);
// Explains the window of the search that overlaps most with this one, such as that of a Detection,
// and of equal ones the one with the highest score.
FOVEA_API WindowExplanation explain(const Detector& detector, ImageView<const std::uint8_t> image,
                                    const Rect<float>& window);

// The name of a channel: "L", "u", "v", "magnitude", "orientation 0" to "orientation 5".
FOVEA_API const char* channel_name(int channel);

// As they are named: "below_threshold".
FOVEA_API std::span<const Choice> choices(Outcome);
FOVEA_API void describe(FieldVisitor& visit, WindowExplanation& why);

FOVEA_API report::Explanation present(const WindowExplanation& explanation);

}  // namespace fovea::people
