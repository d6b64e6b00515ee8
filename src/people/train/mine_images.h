// Searches of negatives as trainings make them: here, or elsewhere.
#pragma once
#include <fovea/people/mine.h>

#include <functional>
#include <span>
#include <vector>

#include "people/train/samples.h"

namespace fovea::people {

// A search of some images of a request.
struct MineRun {
  const SearchRequest& request;
  const ImageSet& negatives;
  std::span<const int> images;
  const Exec& exec;
  int batch = 64;  // images between two calls of enough()
  // Ends the search where it returns true for the images that were searched so far.
  std::function<bool(std::span<const MinedImage>)> enough{};
};
// One element per image that was searched.
std::vector<MinedImage> mine_images(const MineRun& run);

// The negatives of a training, and who searches them.
struct SearchedSet {
  const ImageSet& negatives;
  const ImageSurvey& survey;
  const NegativeSearch& elsewhere;  // may be empty
  const Exec& exec;
};
// Searches all images of the request, here or elsewhere. Throws FormatError where a result from
// elsewhere lies outside of the images.
std::vector<MinedImage> search_negatives(const SearchRequest& request, const SearchedSet& set);

// A search for the windows of all negatives that one linear classifier finds hardest.
struct HardSearch {
  Kind kind;
  const LinearModel& model;
  const ScanOptions& scan;
  std::vector<WindowPlace> known;  // not to be found; sorted
  int most;                        // at least 1
  float above;                     // all scores are higher
};
SearchRequest request_of(const HardSearch& search, const ImageSet& negatives, std::string what);
// The places of the windows that are found, in order; there are none where `most` is 0.
std::vector<WindowPlace> hard_places(const HardSearch& search, const ImageSet& negatives,
                                     const Exec& exec);

// The numbers from 0 to count - 1.
std::vector<int> all_images(int count);

}  // namespace fovea::people
