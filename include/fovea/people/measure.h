#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/io/image_set.h>
#include <fovea/people/detector.h>
#include <fovea/people/evaluate.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Runs a model over images whose people are known and measures how well it finds them. Several
// images are searched at a time; results depend on neither device nor threads.
namespace fovea::people {

// An image of any depth as detectors take it: bytes, gray or RGB, without opacity. Throws
// InvalidArgument where it has another number of channels.
FOVEA_API Image<std::uint8_t> detector_pixels(io::AnyImage image);

// The images of a list of files as detectors take them. They are not turned as EXIF says, because
// annotations refer to images as they are stored.
class FOVEA_API StoredImages final : public io::ImageSet {
 public:
  explicit StoredImages(std::vector<std::string> paths,
                        std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels)
      : paths_(std::move(paths)), max_pixels_(max_pixels) {}
  int count() const override { return static_cast<int>(paths_.size()); }
  Image<std::uint8_t> read(int index) const override;
  std::string name(int index) const override { return paths_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::string> paths_;
  std::uint64_t max_pixels_;
};

struct MeasureOptions {
  std::optional<double> threshold{};  // least score of a detection, where the curve ends; absent:
                                      // chosen so that the curve reaches 1 false positive per image
  int lower = 0;  // without a threshold: the first search goes down to 0.5 times 2 to the power of
                  // this below the model's own, 0 to 3; what is known to be needed saves searches
  ScanOptions scan{};
  FuseOptions fuse{};
  EvaluateOptions evaluate{};  // without its exec
  Exec exec{};
};
// Lists every field but `lower` and exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, MeasureOptions& options);

// How many windows of some images reached a stage of a cascade, and how many passed it.
struct StageCount {
  int blocks = 0;
  std::int64_t reached = 0;
  std::int64_t passed = 0;
};
FOVEA_API void describe(FieldVisitor& visit, StageCount& stage);
// Blocks or trees that were evaluated for a window; 0 where there is none.
FOVEA_API double evaluations_per_window(const ScanCounts& counts);

struct ImageMeasurement {
  ImageReport report;
  std::vector<EvaluatedImage> found;  // one per image
  double lowest_score = 0;            // the threshold that was used
  ScanCounts counts;
  std::vector<StageCount> stages;  // of a cascade, counted in 16 of the images; else none
  double seconds = 0;              // that the search took
};
FOVEA_API void describe(FieldVisitor& visit, ImageMeasurement& measured);
// Searches whole images for people. `truth` has one element per image; its sizes are those of the
// images, or 0. Scores down to 0.5 below the model's threshold are used, and lower ones where those
// do not reach 1 false positive per image. Throws InvalidArgument where there are no people, and
// FormatError where an image has another size than its annotation.
FOVEA_API ImageMeasurement measure_on_images(std::shared_ptr<const Model> model,
                                             const io::ImageSet& images,
                                             std::span<const AnnotatedImage> truth,
                                             const MeasureOptions& options = {});

// The same in two steps, of which the first can be divided: parts of the images are searched apart,
// on any number of machines, and what was found in all of them is measured.
struct ImageFindings {
  std::vector<Detection> people;
  ScanCounts counts;
  std::vector<StageCount> stages;  // of a cascade, where the image is one of the 16; else none
};
FOVEA_API void describe(FieldVisitor& visit, ImageFindings& findings);
// Searches the images with these numbers once, down to the threshold or to what `lower` says, and
// returns one element for each.
FOVEA_API std::vector<ImageFindings> find_in_images(std::shared_ptr<const Model> model,
                                                    const io::ImageSet& images,
                                                    std::span<const AnnotatedImage> truth,
                                                    std::span<const int> which,
                                                    const MeasureOptions& options = {});
// Measures what was found in all images, in their order.
FOVEA_API ImageMeasurement measure_findings(const Model& model,
                                            std::span<const AnnotatedImage> truth,
                                            std::vector<ImageFindings> findings,
                                            const MeasureOptions& options = {});
// Whether measure_on_images() would search once more, with `lower` one higher.
FOVEA_API bool needs_lower_scores(const ImageMeasurement& measured, const MeasureOptions& options);

// The model with a calibration that is fitted to what it found in these images, and with the fact
// "calibration" that says to what. The model must not have learned from these images. Throws
// InvalidArgument unless some detections are people and some are not.
FOVEA_API Model calibrated(Model model, std::span<const EvaluatedImage> images,
                           std::span<const ImageMatch> matches);

struct WindowMeasurement {
  WindowReport report;
  ScanCounts counts;               // of the negatives
  std::vector<StageCount> stages;  // of a cascade, counted in the negatives; else none
  double seconds = 0;              // that the search took
};
FOVEA_API void describe(FieldVisitor& visit, WindowMeasurement& measured);
// Classifies single windows: those in the middle of crops with a person, and all windows of images
// without people. Of the options only scan and exec are used. Throws FormatError where a crop is
// smaller than the window.
FOVEA_API WindowMeasurement measure_on_windows(std::shared_ptr<const Model> model,
                                               const io::ImageSet& crops,
                                               const io::ImageSet& negatives,
                                               const MeasureOptions& options = {});

}  // namespace fovea::people
