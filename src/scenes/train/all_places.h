// Words from every place of every image, which are never in memory all at once.
#pragma once
#include "scenes/train/train_images.h"
#include "scenes/words/learn.h"

namespace fovea::scenes {

// Learns words from samples and, where options.all_places asks for it, goes on with every place of
// the images of the loop (by mini-batches, images in random order, options.passes times). An image
// that cannot be read in these passes takes no part; without `failed` the error is thrown.
struct WordsRequest {
  DescriptorOptions descriptor{};
  DictionaryOptions dictionary{};
};
Dictionary learn_from_images(const ImageLoop& loop, ImageView<const float> samples,
                             const WordsRequest& request, const ImageFailure& failed);

}  // namespace fovea::scenes
