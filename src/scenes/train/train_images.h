// Loops over many images: the next ones are decoded on all threads while earlier ones are
// processed.
#pragma once
#include <fovea/io/image_set.h>
#include <fovea/scenes/train.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace fovea::scenes {

// An image that could not be read.
struct FailedImage {
  int place = 0;  // index into ImageLoop::which
  std::string why;
  std::exception_ptr error;
};

// Some images in their order.
struct ImageBatch {
  std::vector<int> places;  // indices into ImageLoop::which of the images that could be read
  std::vector<Image<std::uint8_t>> images;  // the images at these places
  std::vector<FailedImage> failures;        // the images that could not be read
  Image<float> scores;                      // scores of the images, if the work computes them
};

struct ImageLoop {
  const io::ImageSet& images;
  std::span<const int> which;  // indices of images
  const char* stage;           // name of the stage in reports of progress
  // Images in the first batch; each batch has twice as many as the one before, up to 64. A small
  // number gives the first results early.
  int first_batch = 64;
};

struct LoopTimes {
  double decode_seconds = 0;  // summed over threads
  double work_seconds = 0;
};

// Calls work(batch) in a separate thread, in the order of the images. Images that cannot be read
// are reported to `failed` by the calling thread; if `failed` is empty, the first of them ends the
// loop. Holds at most three batches of 64 images, or of as many as fill 64 MB, and four more per
// thread.
LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const ImageFailure& failed,
                         const std::function<void(const ImageBatch&)>& work);

// Does the same if results are wanted as they come: after work(batch), write(batch) is called by
// the calling thread, in the order of the images.
struct BatchSteps {
  std::function<void(ImageBatch&)> work;
  std::function<void(ImageBatch&)> write;
};
LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const BatchSteps& steps);

// Descriptors of chosen images for a dictionary: `samples` rows for each of them. `usable` counts
// by index into `which`; rows of images that could not be read are zero.
struct SampleRequest {
  DescriptorOptions descriptor{};
  int samples = 0;
};
SampleTable sample_images(const ImageLoop& loop, const SampleRequest& request,
                          const ImageFailure& failed);
// Copies the rows of some places.
Image<float> rows_of(ImageView<const float> rows, std::span<const int> places, int each);

// Returns the options with this exec in all of their parts.
TrainOptions with_exec(TrainOptions options, const Exec& exec);
// Throws where the classifier cannot learn from the features of a coding.
void check_classifier(Coding coding, const TrainClassifierOptions& options);
// The options of features that a training with these options has.
FeatureOptions feature_options(const TrainOptions& options);

FeatureTable make_features(const ImageLoop& loop, const Dictionary& dictionary,
                           const FeatureOptions& options, const ImageFailure& failed);

// Keeps images after they have been read, up to a limit of memory.
class KeptImages final : public io::ImageSet {
 public:
  KeptImages(const io::ImageSet& images, std::int64_t most_bytes)
      : images_(images), left_(most_bytes), kept_(static_cast<std::size_t>(images.count())) {}
  int count() const override { return images_.count(); }
  Image<std::uint8_t> read(int index) const override;

 private:
  const io::ImageSet& images_;
  mutable std::mutex mutex_;
  mutable std::int64_t left_;
  mutable std::vector<Image<std::uint8_t>> kept_;  // an image never changes once it is there
};

}  // namespace fovea::scenes
