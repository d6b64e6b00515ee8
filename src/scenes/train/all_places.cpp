// Mini-batch k-means (Sculley, WWW 2010) over all places: the words of the samples begin, and every
// batch of places moves them. It takes memory for one batch and for the descriptors of a part of an
// image. Batches follow from the order of the images alone, so that the number of threads does not
// matter.
#include "scenes/train/all_places.h"

#include <fovea/core/random.h>
#include <fovea/ops/kmeans_stream.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "scenes/describe/describe.h"
#include "scenes/words/standard.h"

namespace fovea::scenes {
namespace {

constexpr std::uint64_t kOrderSequence = std::uint64_t{0xA11} << 40;  // its own random numbers
constexpr int kStreamBatch = 65536;                          // places, where the options do not say
constexpr std::int64_t kPartBytes = std::int64_t{64} << 20;  // of descriptors at a time

// Collects descriptors until a batch is full.
class PlaceStream {
 public:
  PlaceStream(const LearnedWords& begin, const WordsRequest& request)
      : dictionary_(begin.dictionary),
        descriptor_(request.descriptor),
        stream_(begin.dictionary.words.view(), begin.counts, quiet(request.dictionary.exec)),
        batch_(dimensions(request.descriptor), request.dictionary.kmeans.batch > 0
                                                   ? request.dictionary.kmeans.batch
                                                   : kStreamBatch) {
    descriptor_.exec = quiet(request.dictionary.exec);
  }

  // All places of an image, of which a part is described at a time.
  void add(ImageView<const std::uint8_t> image) {
    std::int64_t count = 0;
    for (const PlaceGrid& grid : place_grids(descriptor_, image.width, image.height))
      count += grid.count();
    const std::int64_t most = std::max<std::int64_t>(
        1, kPartBytes / (std::int64_t{batch_.width()} * std::int64_t{sizeof(float)}));
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t some = std::min(most, count - first);
      Image<float> rows = describe_places("learning words", image, descriptor_, [&](std::int64_t) {
        std::vector<std::int64_t> places;
        if (some == count) return places;  // all of them
        places.resize(static_cast<std::size_t>(some));
        std::iota(places.begin(), places.end(), first);
        return places;
      });
      standardize(dictionary_, rows);
      add_rows(rows.view());
    }
  }
  void flush() {
    if (filled_ == 0) return;
    inertia_ += stream_.push(batch_.view().crop(0, 0, batch_.width(), filled_)).inertia;
    places_ += filled_;
    ++batches_;
    filled_ = 0;
  }
  void begin_pass(std::span<const std::int64_t> counts) {
    stream_.set_counts(counts);
    inertia_ = 0;
    places_ = 0;
  }

  ImageView<const float> words() const { return stream_.centers(); }
  double inertia() const { return inertia_; }  // of the pass
  std::int64_t places() const { return places_; }
  int batches() const { return batches_; }  // of all passes

 private:
  static Exec quiet(Exec exec) {
    exec.progress = {};
    return exec;
  }
  void add_rows(ImageView<const float> rows) {
    for (int y = 0; y < rows.height;) {
      const int some = std::min(rows.height - y, batch_.height() - filled_);
      copy(rows.crop(0, y, rows.width, some), batch_.view().crop(0, filled_, rows.width, some));
      y += some;
      filled_ += some;
      if (filled_ == batch_.height()) flush();
    }
  }

  const Dictionary& dictionary_;
  DescriptorOptions descriptor_;
  KmeansStream stream_;
  Image<float> batch_;
  int filled_ = 0;
  int batches_ = 0;
  double inertia_ = 0;
  std::int64_t places_ = 0;
};

// The words of Lab filters that stand beside others (DictionaryOptions::color_words).
Dictionary learn_colors(const ImageLoop& loop, const WordsRequest& request,
                        const ImageFailure& failed) {
  WordsRequest colors;
  colors.descriptor.color = Color::kLab;
  colors.descriptor.step = kColorStep;
  colors.descriptor.exec = request.descriptor.exec;
  colors.dictionary = request.dictionary;
  colors.dictionary.words = request.dictionary.color_words;
  colors.dictionary.color_words = 0;
  const int each = request.dictionary.samples;
  // An image that fails only now is reported by the next stage, which reads it again.
  const ImageFailure silent = [](int, const std::string&) {};
  SampleTable table = sample_images({loop.images, loop.which, "drawing samples of color"},
                                    {colors.descriptor, each}, failed ? silent : failed);
  std::vector<int> usable;
  usable.reserve(table.usable.size());
  for (std::size_t i = 0; i < table.usable.size(); ++i)
    if (table.usable[i]) usable.push_back(static_cast<int>(i));
  const bool all = usable.size() == table.usable.size();
  const Image<float> rows = all ? std::move(table.rows) : rows_of(table.rows, usable, each);
  return learn_from_images(loop, rows, colors, failed);
}

// Words from samples and, if asked for, from all places.
Dictionary learn_words_of(const ImageLoop& loop, ImageView<const float> samples,
                          const WordsRequest& request, const ImageFailure& failed);

}  // namespace

Dictionary learn_from_images(const ImageLoop& loop, ImageView<const float> samples,
                             const WordsRequest& request, const ImageFailure& failed) {
  Dictionary dictionary = learn_words_of(loop, samples, request, failed);
  learn_code(samples, request.dictionary, dictionary);
  if (request.dictionary.color_words > 0)
    dictionary.beside.push_back(learn_colors(loop, request, failed));
  return dictionary;
}

namespace {

Dictionary learn_words_of(const ImageLoop& loop, ImageView<const float> samples,
                          const WordsRequest& request, const ImageFailure& failed) {
  const DictionaryOptions& options = request.dictionary;
  DictionaryOptions of_samples = options;
  if (options.all_places) of_samples.kmeans.batch = 0;  // it is the size of a batch of places
  LearnedWords learned = learn_words(samples, request.descriptor, of_samples);
  Dictionary& dictionary = learned.dictionary;
  if (!options.all_places) return std::move(dictionary);
  PlaceStream stream(learned, request);
  // An image that fails now is reported by the next stage, which reads it again.
  const ImageFailure silent = [](int, const std::string&) {};
  for (int pass = 0; pass < options.passes; ++pass) {
    std::vector<int> order(loop.which.begin(), loop.which.end());
    Random random(options.exec.seed, kOrderSequence + static_cast<std::uint64_t>(pass));
    shuffle(order, random);
    stream.begin_pass(learned.counts);
    for_each_batch({loop.images, order, "learning from all places"}, options.exec,
                   failed ? silent : failed, [&](const ImageBatch& batch) {
                     for (const Image<std::uint8_t>& image : batch.images) stream.add(image);
                   });
    stream.flush();
  }
  copy(stream.words(), dictionary.words.view());
  WordLearning& learning = dictionary.learning;
  learning.options = options;
  learning.options.exec = learning.options.kmeans.exec = {};
  learning.passes = options.passes;
  learning.batches = stream.batches();
  learning.inertia = stream.inertia();
  learning.samples = stream.places();
  return std::move(dictionary);
}

}  // namespace

}  // namespace fovea::scenes
