// The file that keeps an unfinished training of any kind. It is written whole or not at all, and
// only the same training can continue it.
#pragma once
#include <fovea/io/model_file.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "people/train/samples.h"

namespace fovea::people {

// What decides the result of a training, besides its images.
struct TrainSettings {
  Kind kind = Kind::kHog;
  Extent window{};
  std::string options{};  // a JSON object
  std::uint64_t seed = 0;
  std::uint64_t sample_bytes = 0;  // set where memory limits what is learned; 0 otherwise
};

// As text, for checkpoints and for the facts of models.
std::string settings_json(const TrainSettings& settings);
std::string data_text(
    const TrainSurvey& survey);  // number of images, and checksums of their pixels

class Checkpoint {
 public:
  // With an empty path nothing is kept.
  Checkpoint(std::string path, const TrainSettings& settings, const TrainSurvey& survey);

  // What the same training wrote, or nothing where there is no file. Throws FormatError or
  // ModelError where the file is no checkpoint, and InvalidArgument that names the difference where
  // it belongs to another training.
  std::optional<io::ModelFile> read() const;
  // Marks the file as that of this training and replaces the previous one.
  void write(io::ModelFile file) const;

  static void add_places(io::ModelFile& file, const std::vector<WindowPlace>& places);
  // The places that were added. Throws ModelError where one lies outside the images, whose plans
  // these are.
  std::vector<WindowPlace> places(const io::ModelFile& file,
                                  const std::function<ScanPlan(int)>& plan) const;
  // Throws ModelError: "<path>: <what>; remove the file".
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  std::string path_;
  std::string kind_, settings_, data_;
  int negatives_;
};

}  // namespace fovea::people
