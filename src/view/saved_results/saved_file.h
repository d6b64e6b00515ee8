// A file of results that was written before: what it says about which inputs. The files are not
// trusted: a damaged one is a FormatError whose message names it.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::view {

struct SavedBox {
  Rect<double> box{};
  std::string label{};                 // "person", or the number of a track
  std::optional<double> score{};       // what a threshold is compared with; boxes without one stay
  std::optional<double> confidence{};  // from 0 to 1, shown beside the score
  std::string group{};                 // the model that found it, where there are several
  bool truth = false;                  // where someone is, not where someone was found
};

// What a file says about one image, or one frame of a video.
struct SavedItem {
  std::string input{};  // as the file names it; empty where it does not, as MOT files
  std::string stem{};   // the input's name without its end, of files that have the same name. Of a
                        // frame of a video it may end in its number: walk_000012
  std::int64_t frame = 0;  // from 0
  std::string text{};      // a sentence about the whole of it; may be empty
  std::vector<SavedBox> boxes{};
  bool relative = false;  // boxes are shares of the picture's size, as YOLO has them
  std::vector<std::pair<std::string, double>> scores{};  // of classes, the best first
  // Files of results that stand for themselves: motion and parts. They become layers.
  std::string motion{}, parts{};
  // The label of each triangle, where `parts` is the file itself because it has them.
  std::vector<std::int32_t> labels{};
};

// Something that happens in a video. Both frames belong to it.
struct SavedEvent {
  std::string input{};  // as the file names it; empty where it does not
  std::string name{};
  std::int64_t first = 0, last = 0;  // frames from 0
  std::optional<Rect<double>> box{};
  std::optional<double> score{};
  bool truth = false;
};

// What the page reads of these.
void describe(FieldVisitor& visit, SavedBox& box);
void describe(FieldVisitor& visit, SavedEvent& event);

struct SavedFile {
  std::string path{};
  std::string what{};  // "people detect", "MOT challenge text"
  std::vector<SavedItem> items{};
  std::vector<SavedEvent> events{};
  std::optional<report::Evaluation> evaluation{};
};

// Whether a file is one of results, by the end of its name: .json .jsonl .csv .parquet .txt .flo
// .seg
bool is_saved_file(std::string_view path);
// Whether a folder holds labels, one .txt or .json file per image or frame, and no inputs.
bool is_saved_folder(const std::string& path);

// Whether it names all of its inputs; otherwise it is about inputs that are named beside it.
bool names_inputs(const SavedFile& file);

// A file or folder. Throws IoError or FormatError, in one line that says what was expected.
SavedFile read_saved(const std::string& path);
SavedFile read_saved_folder(const std::string& path);
// The text of a file of results, which has at most 1 GiB.
std::string read_saved_text(const std::string& path);

// Its parts, by format. `name` stands for the file in messages.
SavedFile parse_saved_json(std::string_view text, const std::string& name);
SavedFile parse_saved_lines(std::string_view text, const std::string& name);
SavedFile parse_saved_table(std::string_view text, const std::string& name);
SavedFile parse_saved_parquet(std::string_view bytes, const std::string& name);
SavedFile parse_saved_tracks(std::string_view text, const std::string& name);
// Whether a text has YOLO's boxes, by its first line: a class, and four shares of an image.
bool is_yolo_text(std::string_view text);
SavedItem parse_yolo(std::string_view text, const std::string& name,
                     const std::vector<std::string>& classes = {});

}  // namespace fovea::view
