#pragma once
#include <fovea/actions/train.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::actions {

struct ClassifyOptions {
  double reject = 1;       // factor of the limit of the model's reject rule, or of the prototypes'
                           // reject levels where it has none: a greater one accepts more.
                           // With 0 nothing is rejected: the nearest class is the answer
  bool cut_first = false;  // cut parts out of their videos before points are found
  // Refuse videos whose frames have more pixels; 0: no such limit
  std::uint64_t max_pixels = io::VideoReadOptions{}.max_pixels;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ClassifyOptions& options);

// The class of a whole clip. Distances are those of ScoreOptions, and infinite for a class none of
// whose prototypes fits into the clip. With fusion they are sums of z-scores over the classes, and
// with late fusion minus the logarithms of the probabilities of the classes. Late fusion then gives
// nearest, runner_up, margin, probability and distances, while distance and prototype are those of
// matching for the class that it chose: of a clip that words and single descriptors classified,
// none of whose prototypes fits, they are infinite and -1.
struct ClipClass {
  std::string name = "none";    // of the class; "none" where nothing fits or the clip is rejected
  std::int32_t label = -1;      // -1: none
  std::int32_t nearest = -1;    // the nearest class, whatever the reject levels; -1: none fits
  std::int32_t runner_up = -1;  // the second nearest class; -1: no other fits
  double score = 0;             // how far the clip lies below the limit: 1 for a match without any
                     // difference, 0 for one at the limit, negative for one that is rejected
  double distance = 0;  // distance of the nearest prototype of the nearest class
  double margin = 0;    // by which share of its distance the second class is farther away; infinite
                        // where the nearest class has distance 0, as clips of the training have.
                        // With late fusion the logarithm of the nearest class's odds against the
                        // second, which is finite
  std::optional<double> probability{};  // of the nearest class; only late fusion has one
  int prototype = -1;  // the nearest prototype of that class, an index in Model::prototypes
  std::vector<double> distances;       // by class
  std::vector<std::string> classes{};  // the names of all classes
  std::int32_t first_frame = 0;        // of the clip in its video
  std::optional<std::string> truth{};  // what the clip shows, where the caller knows it and says so

  // The name of a class of the model, or "none".
  FOVEA_API std::string name_of(std::int32_t of_label) const;
};
FOVEA_API void describe(FieldVisitor& visit, ClipClass& clip);

struct ClipExplanation;  // fovea/actions/explain.h

// Finds the class of whole clips by a trained model, with the very distances by which evaluate()
// classifies the test clips of a fold:
//   actions::Classifier classifier("actions/weizmann");
//   const auto action = classifier.classify("walk.avi");
// Keeps the model's prototypes prepared for matching, on the device of `exec`. One object serves
// one thread at a time. Results are equal to the bit for any number of threads and on any device.
class FOVEA_API Classifier {
 public:
  // The name of a shipped model, such as "actions/weizmann", or a file: see load_model().
  explicit Classifier(std::string_view model, const ClassifyOptions& options = {});
  // A model that the classifier shares and keeps alive.
  explicit Classifier(std::shared_ptr<const Model> model, const ClassifyOptions& options = {});
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  const Model& model() const;
  const ClassifyOptions& options() const;
  const std::vector<std::string>& classes() const;  // the names, by label

  // Points with descriptors, found with the options of the model.
  ClipClass classify(const PointSet& points);
  // Many clips, which are matched together. One result per clip.
  std::vector<ClipClass> classify(std::span<const PointSet> clips);
  // Frames are gray or RGB and have one size.
  ClipClass classify(std::span<const ImageView<const std::uint8_t>> frames);
  // A video file, a folder of images or a file of points, or a part of one: label and subject of
  // the clip are not used. Throws FormatError where it cannot be read.
  ClipClass classify(const std::string& path);
  ClipClass classify(const Clip& clip);

  // Why classify() gives the class that it gives.
  ClipExplanation explain(const PointSet& points);
  ClipExplanation explain(std::span<const ImageView<const std::uint8_t>> frames);
  ClipExplanation explain(const std::string& path);
  ClipExplanation explain(const Clip& clip);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The classifier used once, on all clips.
FOVEA_API std::vector<ClipClass> classify_clips(const Model& model, std::span<const PointSet> clips,
                                                const Exec& exec = {});

}  // namespace fovea::actions
