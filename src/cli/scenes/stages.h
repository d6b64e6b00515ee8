// What the verbs that run one stage of a training share: tables of numbers in .npy files, and how
// the learning of words is told.
#pragma once
#include <fovea/scenes/train.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The line about a table: "f.npy: 12 histograms", or for a shard, which does not write the file,
// that they are recorded.
std::string written_or_recorded(const Context& context, const std::string& output,
                                const std::string& what);

// Checks that a stage has an output that ends in .npy.
void require_table_output(const Context& context, const std::string& output);

// The classes that a model is trained on, for scenes::read_classes().
void describe_classes(OptionVisitor& visit, std::vector<std::string>& classes);

// A table of numbers, one row per sample or image. Throws FormatError where the file holds no array
// of rows and columns of floating-point numbers.
Image<float> read_table(const std::string& path);

// The file beside a table of samples that says how they were drawn.
inline std::string note_beside(const std::string& table) { return table + ".json"; }
// How many places of each image were drawn, as the options of fovea scenes sample say, which are a
// JSON object; nothing where they do not.
std::optional<int> samples_per_image(const std::string& options);
// The same for the samples in a table, of which the file beside it tells.
std::optional<int> samples_of_table(const std::string& table);

// The rows of an image, as manifests record them.
struct ImageRows {
  int width = 0;
  std::vector<float> numbers{};
};
void describe(FieldVisitor& visit, ImageRows& rows);

// Rows of numbers, image after image.
class RowTable {
 public:
  void add(const ImageRows& rows);
  Image<float> rows() const;  // none where nothing was added

 private:
  std::vector<float> numbers_{};
  int width_ = 0;
};

// The rows of numbers that some images give.
struct UnitRows {
  Image<float> rows{};         // of images that can be read, as many for each
  std::vector<bool> usable{};  // whether an image can be read
  int failed = 0;              // images that cannot
};
// Makes the rows of the images at `which`, zeros for those that cannot be read, which are reported
// by their index among all.
using MakeRows =
    std::function<UnitRows(std::span<const int> which, const scenes::ImageFailure& failed)>;
// The rows of all images of a corpus, or of a shard of it; those that a manifest has are not made
// again. Images that cannot be read are named. Throws FormatError where none of the corpus can.
UnitRows rows_of_units(Context& context, const std::vector<std::string>& paths,
                       const MakeRows& make);

// "k-means ended after 143 iterations, inertia 1.234e+06"
std::string learning_text(const scenes::WordLearning& learning);

// What the JSON of a verb that writes a model has.
struct ModelReport {
  ModelReport() = default;
  ModelReport(std::string file, const scenes::Model& made, int labeled);

  std::string model{};
  int images = 0;
  std::optional<int> failed{};
  std::vector<std::string> classes{};
  int words = 0;
  std::optional<int> dimensions{};
  std::optional<scenes::WordLearning> kmeans{};
  std::vector<std::pair<std::string, std::string>> facts{};
};
void describe(FieldVisitor& visit, ModelReport& report);

}  // namespace fovea::cli
