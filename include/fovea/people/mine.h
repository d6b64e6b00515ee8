#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/record_fwd.h>
#include <fovea/io/image_set.h>
#include <fovea/people/model.h>
#include <fovea/people/scan.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// The search of images without people for windows that look like people. It is the long part of a
// training, which asks for one search per round, and it can be divided: parts of the images are
// searched apart, on any number of machines, and what was found is merged. The training learns the
// same model from it as if it had searched all images by itself.
namespace fovea::people {

// A window of a set of images, by the plan under which its image is searched.
struct WindowPlace {
  int image = 0;
  int level = 0;
  int column = 0;
  int row = 0;
  bool operator==(const WindowPlace&) const = default;
};

// Which of the windows that reach the least score a search keeps.
enum class WindowChoice : unsigned char {
  kHighest,       // the highest scores of all images; the earlier place among equals
  kApart,         // the highest scores of each image, without those that overlap a higher one much
  kRandom,        // random ones of each image, in a random order
  kRandomHighest  // the highest scores of each image and of all images, and all equals of the last
};
FOVEA_API std::span<const Choice> choices(WindowChoice);

// What a training asks for.
struct SearchRequest {
  std::string what{};  // what the search is for, in words
  Model model{};       // what the training has learned so far
  ScanOptions scan{};
  float least_score = 0;
  WindowChoice choice = WindowChoice::kHighest;
  int per_image = 1;                     // the most windows of one image
  int most = 0;                          // the most windows of all images together; 0: no limit
  std::uint64_t seed = 0, sequence = 0;  // of the random numbers
  std::vector<int> images{};             // numbers of the images to search; results keep the order
  std::vector<WindowPlace> known{};      // windows that are left out, sorted by place
  std::vector<std::uint32_t> checksums{};  // of the pixels of all images of the training
};

struct MinedWindow {
  WindowPlace place{};
  float score = 0;
  bool operator==(const MinedWindow&) const = default;
};

// What was found in one image.
struct MinedImage {
  int image = 0;
  std::int64_t windows = 0;      // that were evaluated
  std::int64_t passed = 0;       // that reached the least score; not counted for kHighest
  std::int64_t evaluations = 0;  // as ScanCounts::evaluations
  std::vector<MinedWindow> found{};
  bool operator==(const MinedImage&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, WindowPlace& place);
FOVEA_API void describe(FieldVisitor& visit, MinedWindow& window);
FOVEA_API void describe(FieldVisitor& visit, MinedImage& image);

// Searches some of the images that are asked for, on the device of exec, and returns one element
// for each, in their order. What is found depends on neither device nor threads. Throws
// InvalidArgument where an image is not asked for, and FormatError where it is not the one that the
// training has.
FOVEA_API std::vector<MinedImage> mine(const SearchRequest& request, const io::ImageSet& negatives,
                                       std::span<const int> images, const Exec& exec = {});
// Merges what was found in parts of the images, in any order: the result is that of one search of
// all of them. Throws InvalidArgument where an image is missing or was searched twice.
FOVEA_API std::vector<MinedImage> merge_mined(const SearchRequest& request,
                                              std::vector<MinedImage> parts);

// A training that is given such a function calls it for every search. Where the result is not yet
// there, the function throws an exception of its own, which ends the training; the same training
// goes on from its checkpoint later.
using NegativeSearch = std::function<std::vector<MinedImage>(const SearchRequest&)>;

// Requests and results as safetensors files. They name the version and the architecture that wrote
// them, and are refused by others, because the last bits of sums of floats may differ.
FOVEA_API void write_request(const std::string& path, const SearchRequest& request);
FOVEA_API SearchRequest read_request(const std::string& path);
// A hash of all that a request has; requests with different results have different ones.
FOVEA_API std::uint64_t identity_of(const SearchRequest& request);
FOVEA_API void write_mined(const std::string& path, const SearchRequest& request,
                           std::span<const MinedImage> mined);
// Throws InvalidArgument where the file has the results of another request.
FOVEA_API std::vector<MinedImage> read_mined(const std::string& path, const SearchRequest& request);

}  // namespace fovea::people
