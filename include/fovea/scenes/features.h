#pragma once
#include <fovea/scenes/dictionary.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::scenes {

struct FeatureOptions {
  int pyramid = 0;  // levels of the spatial pyramid below the whole image, 0 to 2
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, FeatureOptions& options);

// The length of the features that a dictionary makes: 1, 5 or 21 cells times the words with hard
// and soft coding, times words * components with vlad, and twice that with fisher, for the words
// and for those beside them.
FOVEA_API int feature_length(const Dictionary& dictionary, int pyramid);

// Counts how often each word occurs in an image: a histogram whose bins add up to 1. A spatial
// pyramid (Lazebnik, Schmid and Ponce, CVPR 2006) counts them in the quarters (level 1) and
// sixteenths (level 2) of the image as well: cells line after line, level after level. The bins of
// level 0 then add up to 1 / 2^levels, those of level l to 1 / 2^(levels - l + 1).
//
// A dictionary with another coding makes other features (fovea/scenes/coding.h). Soft gives
// histograms as well. With vlad and fisher the numbers of a cell follow word by word (all numbers
// of the means, then with fisher those of the variances); the signed root of each is taken, and a
// cell has the length 1 / 2^level, or 0 where it has no place. The features of words beside others
// come after all theirs.
//
// Keeps the dictionary and its working memory prepared on the device of options.exec. One object
// serves one thread at a time.
class FOVEA_API FeatureMaker {
 public:
  explicit FeatureMaker(const Dictionary& dictionary, const FeatureOptions& options = {});
  FeatureMaker(FeatureMaker&&) noexcept;
  FeatureMaker& operator=(FeatureMaker&&) noexcept;
  ~FeatureMaker();

  const FeatureOptions& options() const;
  int length() const;  // feature_length()

  // Images have 1 or 3 channels of bytes and lie in host or device memory. One row of `features`,
  // which lies in host memory or on the GPU that computes them, is filled per image. On the GPU one
  // kernel does filters, words and histograms: descriptors never go to memory (except with other
  // codings than hard), and many images of any sizes take a few launches. CPU and CUDA agree to
  // the bit.
  void make(std::span<const ImageView<const std::uint8_t>> images, ImageView<float> features);
  std::vector<float> make(ImageView<const std::uint8_t> image);

  // The word of every place of the first grid (of every pixel, unless a step was chosen).
  Image<std::uint16_t> words(ImageView<const std::uint8_t> image);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The words of descriptors (one per row, in host memory), as FeatureMaker finds them. CPU and CUDA
// agree to the bit.
FOVEA_API std::vector<std::uint16_t> find_words(ImageView<const float> descriptors,
                                                const Dictionary& dictionary,
                                                const Exec& exec = {});

// The features of an image whose every pixel has a word, as FeatureMaker makes them: `words` is the
// number of words of the dictionary. Throws InvalidArgument where the map holds greater ones.
FOVEA_API std::vector<float> word_histogram(ImageView<const std::uint16_t> map, int words,
                                            int pyramid = 0);

}  // namespace fovea::scenes
