#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/people/calibration.h>
#include <fovea/people/cascade.h>
#include <fovea/people/channels.h>
#include <fovea/people/filtered.h>
#include <fovea/people/hog.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::people {

// The kinds of detectors.
enum class Kind : unsigned char {
  kHog,          // one linear classifier over the whole descriptor of Dalal and Triggs
  kHogCells,     // the same over cell histograms that are computed once and shared by all windows
  kHogIntegral,  // the same from integral histograms, which allow any stride
  kCascade,      // a cascade of rejectors over blocks of many sizes
  kChannels,     // boosted trees over ten channels
  kFiltered      // the same over channels that learned filters have decorrelated
};
FOVEA_API std::span<const Choice> choices(Kind);
FOVEA_API const char* to_string(Kind kind);

// A linear classifier over a descriptor, for the kinds hog, hog-cells and hog-integral. The score
// of a window is weights . descriptor + bias. The blocks of a descriptor run down first, then
// across, as OpenCV orders them; so do the cells of a block; the bins of a cell follow each other.
struct LinearModel {
  HogOptions hog{};
  std::vector<float> weights;
  float bias = 0;
};

// A trained detector.
struct Model {
  Kind kind = Kind::kHog;
  std::variant<LinearModel, CascadeModel, ChannelsModel, FilteredModel> classifier;
  float threshold = 0;                // windows with this score or more are people, by default
  float person_height = 104.F / 128;  // a person's height divided by the window's
  float person_aspect = 0.41F;        // a person's width divided by the height
  int stride = 8;                     // default step between windows, in pixels
  std::optional<Calibration> calibration{};  // how sure a score is, where that was measured
  std::map<std::string, std::string> facts;  // how it was made: data, command, counts

  FOVEA_API Extent window() const;

  // A model is a safetensors file, which stores options by name. Reading trusts nothing: a file of
  // another kind or version, numbers that are not finite, and an impossible geometry are a
  // ModelError; a damaged file is a FormatError.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};
FOVEA_API void describe(FieldVisitor& visit, Model& model);

// Reads a model by the name of a shipped one ("people/channels", or "channels" alone) or by its
// file. A file without the ending .safetensors is imported as import_model() does. Throws IoError
// that lists the shipped models where there is neither.
FOVEA_API std::shared_ptr<const Model> load_model(std::string_view name);

// Makes a model of kind hog from a file of another program: OpenCV's HOGDescriptor as YAML or XML,
// a bare list of numbers (3781 for OpenCV's defaults), or a model of liblinear that has one weight
// per number of the descriptor that `hog` describes.
FOVEA_API Model import_model(const std::string& path, const HogOptions& hog = {});

}  // namespace fovea::people
