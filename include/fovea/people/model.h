#pragma once
#include <fovea/people/cascade.h>
#include <fovea/people/channels.h>
#include <fovea/people/hog.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace fovea::people {

// hog: the whole descriptor of Dalal and Triggs. hog-cells: cell histograms computed once and
// shared by all windows. hog-integral: the same out of integral histograms, at any stride. cascade:
// a cascade of rejectors over blocks of many sizes. channels: boosted trees over ten channels.
enum class Kind : unsigned char { kHog, kHogCells, kHogIntegral, kCascade, kChannels };
FOVEA_API std::span<const Choice> choices(Kind);
FOVEA_API const char* to_string(Kind kind);

// One linear classifier over a descriptor (kinds hog, hog-cells and hog-integral): a window scores
// weights . descriptor + bias. The descriptor's blocks run down first, then across, as OpenCV's do;
// in a block cells run likewise, then bins.
struct LinearModel {
  HogOptions hog{};
  std::vector<float> weights;
  float bias = 0;
};

// A trained detector.
struct Model {
  Kind kind = Kind::kHog;
  std::variant<LinearModel, CascadeModel, ChannelsModel> classifier;
  float threshold = 0;  // a window that scores this counts as a person unless the user says else
  float person_height = 104.F / 128;         // share of the window's height that a person fills
  float person_aspect = 0.41F;               // width of a person over the height
  int stride = 8;                            // between windows unless the user says else, pixels
  std::map<std::string, std::string> facts;  // where it comes from: data, command, counts

  FOVEA_API Extent window() const;

  // A safetensors file. Reading trusts nothing: a file of another kind or version, numbers that are
  // not finite and impossible geometry are a ModelError, damage is a FormatError.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

// A linear model of kind hog out of a file that holds OpenCV's HOGDescriptor (YAML or XML, or a
// bare list of numbers, 3781 for its defaults), or a model of liblinear with as many weights as the
// descriptor of `hog` has numbers.
FOVEA_API Model import_model(const std::string& path, const HogOptions& hog = {});

}  // namespace fovea::people
