// Loops over many images: the next ones are decoded on all threads while earlier ones are worked
// on.
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
  int place = 0;  // in ImageLoop::which
  std::string why;
  std::exception_ptr error;
};

// Some images in their order.
struct ImageBatch {
  std::vector<int> places;                  // in ImageLoop::which, of those that could be read
  std::vector<Image<std::uint8_t>> images;  // those
  std::vector<FailedImage> failures;        // the others
  Image<float> scores;                      // of the images, where the work makes some
};

struct ImageLoop {
  const io::ImageSet& images;
  std::span<const int> which;  // numbers of images
  const char* stage;           // what progress is reported as
  // Images in the first batch; each batch has twice as many as the one before, up to 64. A small
  // number gives the first results early.
  int first_batch = 64;
};

struct LoopTimes {
  double decode_seconds = 0;  // summed over threads
  double work_seconds = 0;
};

// Calls work(batch) in a thread of its own, in the order of the images. Images that cannot be read
// are reported to `failed` by the calling thread, or end the loop where it is empty. Holds at most
// three batches of 64 images, or of as many as fill 64 MB, and four more per thread.
LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const ImageFailure& failed,
                         const std::function<void(const ImageBatch&)>& work);

// The same where results are wanted as they come: after work(batch), write(batch) is called by the
// calling thread, in the order of the images.
struct BatchSteps {
  std::function<void(ImageBatch&)> work;
  std::function<void(ImageBatch&)> write;
};
LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const BatchSteps& steps);

// Descriptors of chosen images for a dictionary: `samples` rows for each that could be read.
struct SampleTable {
  Image<float> rows;
  std::vector<bool> usable;  // by place in `which`; rows of the others are zero
};
struct SampleRequest {
  DescriptorOptions descriptor{};
  int samples = 0;
};
SampleTable sample_images(const ImageLoop& loop, const SampleRequest& request,
                          const ImageFailure& failed);
// The rows of some places.
Image<float> rows_of(ImageView<const float> rows, std::span<const int> places, int each);

// The options with this exec in all their parts.
TrainOptions with_exec(TrainOptions options, const Exec& exec);
// The options of features that a training with these options has.
FeatureOptions feature_options(const TrainOptions& options);

FeatureTable make_features(const ImageLoop& loop, const Dictionary& dictionary,
                           const FeatureOptions& options, const ImageFailure& failed);

// Keeps what was read once, up to a bound.
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
