#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/train.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// How much each option of the descriptor matters (the study of Dalal and Triggs, CVPR 2005, which
// chapter 3 of Bilgic's thesis summarizes): every option is varied from a default, one at a time,
// and a linear classifier is trained and measured for each value.
namespace fovea::people {

struct StudyData {
  const ImageSet& positives;  // crops with the person's window in their middle
  const ImageSet& negatives;  // whole images without people
  // What the classifiers are measured on: others than those they learn from.
  const ImageSet& test_positives;
  const ImageSet& test_negatives;
};

// A descriptor that differs from the default in one respect.
struct StudyValue {
  std::string label;  // what is changed: "mask sobel"
  HogOptions hog{};
};
struct StudyParameter {
  std::string name;  // "mask"
  std::string text;  // what is varied: "mask of the gradients"
  std::vector<StudyValue> values{};
};
// Everything that can be varied, each with its values other than the default. Values for which a
// window is too small are left out.
FOVEA_API std::vector<StudyParameter> study_parameters(const HogOptions& hog = {});

// One classifier and how well it does.
struct StudyVariant {
  std::string parameter{};  // empty for the default
  std::string label{};
  HogOptions hog{};
  int numbers = 0;        // of the descriptor
  int hard_windows = 0;   // that rounds have added
  WindowReport report{};  // on the windows for testing
  double miss_rate = 1;   // at StudyReport::false_rate
  double deviation = 0;   // standard deviation of the miss rate
  double seconds = 0;     // that training and measuring took
};

struct StudyReport {
  double false_rate = 0;  // false positives per window at which variants are compared
  StudyVariant base{};    // the default
  std::vector<StudyVariant> variants{};
  std::vector<StudyParameter> parameters{};  // those that were varied
  std::int64_t positives = 0;                // samples, with mirror images
  std::int64_t random_windows = 0;           // samples without a person before rounds
};
FOVEA_API void describe(FieldVisitor& visit, StudyVariant& variant);
FOVEA_API void describe(FieldVisitor& visit, StudyReport& report);

struct StudyOptions {
  std::vector<std::string> vary{};  // names of parameters; empty: all
  double false_rate = 1e-4;  // false positives per window at which variants are compared; where
                             // there are too few windows for it, one of all windows is taken
  HogOptions hog{};          // the default
  // How all classifiers are trained; windows for testing have the same ratio and stride. Its
  // checkpoint and exec are not used.
  LinearTrainOptions train{.enlarge = 1, .ratio = 1.2, .random_windows = 5, .hard_windows = 5000};
  std::uint64_t image_bytes = 1ULL << 30U;  // the most memory for images that are kept from variant
                                            // to variant; others are read again
  std::function<void(const StudyReport&)> finished{};  // called after each variant, with all so far
  Exec exec{};
};
// Lists vary, false_rate, the memory, and the fields of hog and train as hog-... and linear-...;
// programs add exec.
FOVEA_API void describe(OptionVisitor& visit, StudyOptions& options);

// All variants learn from the same windows: the positives, and random windows of the negatives that
// are cut out once. In every round each searches the negatives for its own false positives. The
// same data, options and seed give the same report for any number of threads, but for the seconds.
// The CPU computes. Throws InvalidArgument for an unknown parameter, with the known ones, and
// FormatError for a crop that is smaller than the window or has unequal margins.
FOVEA_API StudyReport study(const StudyData& data, const StudyOptions& options = {});

}  // namespace fovea::people
