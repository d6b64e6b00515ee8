#pragma once
#include <fovea/io/image_io.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Draws an evaluation as a page and as files: one form for all systems, as fovea view shows it.
namespace fovea::report {

// Pictures that only the page shows.
struct EvaluationPictures {
  std::string title{};  // of their section; without figures there is none
  std::vector<Figure> figures{};
  std::vector<std::string> files{};  // names for the first of them, which are charts: "methods"
};

// What a page needs besides its evaluation.
struct EvaluationPageSetup {
  int sheet = 24;  // how many of the worst mistakes of each kind and curve are shown; 0: none
  std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels;  // of images with mistakes
  std::vector<EvaluationPictures> pictures{};
  std::vector<std::pair<std::string, std::string>> links{};  // text and file beside the page
  Provenance provenance{};
};

// All curves, the figures that are drawn as lines, and the lines for comparison.
FOVEA_API std::string to_svg(const EvaluationChart& chart);

// The confusion of classes, by shares of each true class.
FOVEA_API std::string confusion_svg(const Evaluation& evaluation);

// The whole page: facts, charts, tables, confusion, and the mistakes at the threshold that each
// curve has chosen. Images are cut out around the mistake; other inputs are named. Throws IoError
// or FormatError where an image cannot be read.
FOVEA_API Page evaluation_page(const Evaluation& evaluation, const EvaluationPageSetup& setup = {});

// Writes the page as index.html into a folder, which must be there, a picture of each chart that
// has a file, and confusion.svg and confusion.csv where there are classes.
FOVEA_API void write_evaluation_page(const std::string& folder, const Evaluation& evaluation,
                                     const EvaluationPageSetup& setup = {});

}  // namespace fovea::report
