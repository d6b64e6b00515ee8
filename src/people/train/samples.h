// What the trainings of all kinds share: the images, the places of windows in them, and the search
// of the negatives.
#pragma once
#include <fovea/core/stream.h>
#include <fovea/people/train.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "people/scanner.h"

namespace fovea::people {

// By image, level, row and column.
bool before(const WindowPlace& a, const WindowPlace& b);

// The image with left and right exchanged.
Image<std::uint8_t> mirrored(ImageView<const std::uint8_t> image);

// A loop over images. Progress comes from the calling thread, between batches.
struct ImageLoop {
  const char* stage;
  int count;
  int batch = 64;
};
// Calls task(0) to task(count - 1) on exec's threads; ends after a batch where enough() says so.
void for_each_image(const ImageLoop& loop, const Exec& exec, const std::function<void(int)>& task,
                    const std::function<bool()>& enough = {});

std::uint32_t checksum_of(const Image<std::uint8_t>& image);

// What is known about images after they were read once.
struct ImageSurvey {
  std::vector<Extent> sizes;
  std::uint32_t checksum = 0;              // checksum of all pixels
  std::vector<std::uint32_t> checksums{};  // of the pixels of each image
};
struct TrainSurvey {
  ImageSurvey positives;
  ImageSurvey negatives;
};
// Throws InvalidArgument where there are no images of either sort, or a crop is smaller than the
// window.
TrainSurvey survey_images(const TrainData& data, Extent window, const Exec& exec);

// Searches for windows that reach a score, on the device of exec. What is found in an image depends
// on neither device nor threads. On the CPU each thread scans by itself; on a GPU a few scanners
// with streams of their own serve all threads, which read the images meanwhile.
class NegativeScanner {
 public:
  struct Setup {
    const ImageSet& images;
    std::function<ScanPlan(Extent)> plan;                 // for an image of this size
    std::function<std::unique_ptr<Scanner>(bool)> maker;  // for CUDA, or for the CPU
  };
  struct Found {
    ScanPlan plan;
    ScanResult result;
  };
  NegativeScanner(Setup setup, const Exec& exec);

  // Searches one image; several threads may call it.
  Found scan(int image, float threshold);

 private:
  struct Worker {
    Stream stream;
    std::unique_ptr<Scanner> scanner;
  };
  Worker take();
  void give(Worker worker);

  Setup setup_;
  Exec exec_;
  int left_;  // scanners that may still be made
  std::mutex mutex_;
  std::condition_variable given_;
  std::vector<Worker> idle_;
};

}  // namespace fovea::people
