// What a run found: what the page shows of it, what it saves, and what it can ask about it.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/record.h>
#include <fovea/report/explanation.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operations/shown.h"
#include "view/picture.h"

namespace fovea::view {

// What is switched on and off over the picture: a raster, or shapes, see VideoResult. For a mesh,
// colors of its faces besides those of its parts.
struct Layer {
  std::string name{};   // in addresses
  std::string title{};  // for people
  std::string text{};   // one sentence that says what is shown
  std::shared_ptr<const Picture> picture{};
  bool shown = true;      // at first
  double opacity = 0.85;  // at first
  std::vector<report::Color> colors{};
};

using operations::exact;
using operations::Mark;
using operations::MarkKind;

// Something that happened in a stream, such as an action.
struct RecognizedEvent {
  std::string name{};
  double score = 0;
  double start_seconds = 0, end_seconds = 0;  // in the source's own time
};

struct Timing {
  std::string stage{};
  double seconds = 0;
};

// Something that happens in a video, as a bar of the time line. Both frames belong to it.
struct Span {
  std::string name{};
  int first = 0;
  int last = 0;
  std::string text{};  // what else is known, in a few words
};

struct LayerShape {
  std::string layer{};  // by its name
  report::Shape shape{};
};

// What was found in the frames of a video: what happens when, and what is drawn over a frame.
struct VideoResult {
  int frames = 0;  // that were looked at, from the first
  std::vector<Span> spans{};
  std::vector<Layer> layers{};  // of shapes
  // What is drawn over a frame. May be called by several threads.
  std::function<std::vector<LayerShape>(int frame)> shapes{};
};

// A place of the picture, and for a video the frame that is shown.
struct Place : report::Point {
  int frame = 0;
};

// A picture that belongs to explanations, such as a chart of what is compared.
struct WhyPicture {
  std::string name{};   // in addresses
  std::string title{};  // for people
  std::string text{};   // one sentence that says what it shows
  std::string type{};   // "image/png" or "image/svg+xml"
  // The file. May be called by several threads.
  std::function<std::string(const Place& place)> make{};
};

// A file that a result can be saved as.
struct SavedAs {
  std::size_t output = 0;  // of the operation
  std::size_t kind = 0;    // of its pictures, where it has several
  std::string name{};      // of that output: "coco"
  std::string file{};      // "street_people_detect_coco.json"
  std::string help{};      // what it is
};
struct SavedBytes {
  std::string file{};
  std::string bytes{};
};

// It never changes once a job has made it.
struct Result {
  std::string title{};                     // of a saved page: "People in street.jpg"
  std::shared_ptr<const Picture> image{};  // what it was found in, or null
  Extent size{};
  std::string summary{};  // whole sentences
  std::vector<Layer> layers{};
  std::vector<Mark> marks{};
  std::string parts{};                                   // of a mesh: mesh::parts_json()
  std::vector<Layer> surfaces{};                         // of a mesh
  std::vector<std::pair<std::string, double>> scores{};  // bars: a name and a value
  std::string true_score{};                              // the name of the right one, if known
  std::vector<RecognizedEvent> events{};  // of a stream: those that have become certain
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<Timing> timings{};
  std::string command{};               // line of the shell that gives this result
  std::string python{};                // lines of Python that do
  std::string json{};                  // all numbers
  std::string stem{};                  // of the names of saved files: "street_people_detect"
  std::vector<std::string> folders{};  // of inputs, which no saved page tells
  std::vector<SavedAs> files{};        // besides the page, the JSON and what is seen
  std::optional<VideoResult> video{};  // of a system that looks at whole videos
  // What only a saved page needs is made when one is saved. Several threads may call these.
  std::function<Image<std::uint8_t>()> picture{};  // what was found, drawn over the input
  // The page in place of result_page(); empty where there is none.
  std::function<std::string(const report::Explanation* explanation)> page{};
  std::function<SavedBytes(const SavedAs& as)> save{};  // one of `files`
  // Why the result is what it is at a place of the picture; empty where the system cannot say. May
  // be called by several threads. Throws what the library throws; Cancelled after a stop.
  std::function<report::Explanation(const Place& place, const Exec& exec)> explain{};
  // The same of a face of a mesh, or of all seams for -1.
  std::function<report::Explanation(std::int64_t face, const Exec& exec)> explain_face{};
  std::string why_hint{};  // what a click asks, for people
  std::vector<WhyPicture> why_pictures{};
  std::size_t held_bytes = 0;  // memory of the functions above, besides image and layers

  // Takes the picture that the result is about.
  void show(std::shared_ptr<const Picture> shown);
};

// Measures the stages of a run.
class Stopwatch {
 public:
  explicit Stopwatch(std::vector<Timing>& laps) : laps_(laps) {}
  // Ends a stage, which began when the last one ended.
  void lap(std::string stage) {
    const auto now = std::chrono::steady_clock::now();
    laps_.push_back({std::move(stage), std::chrono::duration<double>(now - last_).count()});
    last_ = now;
  }

 private:
  std::vector<Timing>& laps_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// RGB of a gray or RGB picture.
Image<std::uint8_t> rgb_copy(ImageView<const std::uint8_t> image);
// Makes that copy of a picture when it is asked for, as for Result::picture.
std::function<Image<std::uint8_t>()> rgb_later(std::shared_ptr<const Picture> picture);

// Counts the memory of results, and what several of them share only once.
class ResultMemory {
 public:
  void add(const Result& result);
  std::size_t bytes() const { return bytes_; }

 private:
  void add(const Picture* picture);

  std::set<const Picture*> counted_{};
  std::size_t bytes_ = 0;
};
// The memory of an explanation.
std::size_t bytes_of(const report::Explanation& explanation);

// What the page reads: all but the pixels.
void describe(FieldVisitor& visit, Layer& layer);
void describe(FieldVisitor& visit, RecognizedEvent& event);
void describe(FieldVisitor& visit, Timing& timing);
void describe(FieldVisitor& visit, Span& span);
void describe(FieldVisitor& visit, LayerShape& drawn);
void describe(FieldVisitor& visit, VideoResult& video);
void describe(FieldVisitor& visit, WhyPicture& picture);
void describe(FieldVisitor& visit, SavedAs& saved);
void describe(FieldVisitor& visit, Result& result);
// The result as one HTML file that needs nothing else, with the explanation where there is one.
std::string result_page(const Result& result, const report::Explanation* explanation);

}  // namespace fovea::view
