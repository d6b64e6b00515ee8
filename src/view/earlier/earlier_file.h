// A file of results that was written before: what it says about which inputs. The files are not
// trusted: a damaged one is a FormatError whose message names it.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::view {

struct EarlierBox {
  Rect<double> box{};
  std::string label{};            // "person", or the number of a track
  std::optional<double> score{};  // what a threshold is compared with; boxes without one stay
  std::string group{};            // the model that found it, where there are several
  bool truth = false;             // where someone is, not where someone was found
};

// What a file says about one image, or one frame of a video.
struct EarlierItem {
  std::string input{};     // as the file names it; empty where it does not, as MOT files
  std::int64_t frame = 0;  // from 0
  std::string text{};      // a sentence about the whole of it; may be empty
  std::vector<EarlierBox> boxes{};
  std::vector<std::pair<std::string, double>> scores{};  // of classes, the best first
  // Files of results that stand for themselves: motion and parts. They become layers.
  std::string motion{}, parts{};
};

struct EarlierFile {
  std::string path{};
  std::string what{};  // "people detect", "MOT challenge text"
  std::vector<EarlierItem> items{};
  std::optional<report::Evaluation> evaluation{};
};

// Whether a file is one of results, by the end of its name: .json .jsonl .csv .txt .flo .seg
bool is_earlier_file(std::string_view path);

// Whether files of this kind name their inputs; others are about inputs that are named beside them.
bool names_inputs(std::string_view path);

// Throws IoError or FormatError, in one line that says what was expected.
EarlierFile read_earlier(const std::string& path);

// Its parts, by format. `name` stands for the file in messages.
EarlierFile parse_earlier_json(std::string_view text, const std::string& name);
EarlierFile parse_earlier_lines(std::string_view text, const std::string& name);
EarlierFile parse_earlier_table(std::string_view text, const std::string& name);
EarlierFile parse_earlier_tracks(std::string_view text, const std::string& name);

}  // namespace fovea::view
