// What the view can do with one system: which inputs it takes, which options, how it runs, and what
// it shows. One file in views/ per system.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/record.h>
#include <fovea/report/explanation.h>
#include <fovea/report/page.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "view/form.h"
#include "view/inputs.h"
#include "view/picture.h"
#include "view/stream/frames.h"
#include "view/truth.h"
#include "view/video_result.h"

namespace fovea::io {
class JsonWriter;
}

namespace fovea::view {

class Running;  // stream/running.h

// A raster over the picture.
struct Layer {
  std::string name{};   // in addresses
  std::string title{};  // for people
  std::string text{};   // one sentence that says what the picture shows
  std::shared_ptr<const Picture> picture{};
  bool shown = true;      // at first
  double opacity = 0.85;  // at first
};

// What a box means where the truth is known.
enum class MarkKind : unsigned char {
  kPlain,
  kHit,     // found, and there
  kFalse,   // found, and not there
  kMissed,  // there, and not found
  kTrue,    // there, and found by a box of its own
  kIgnored  // counts nothing: an unclear object, or what was found there
};

// A box over the picture, with a label.
struct Mark {
  Rect<double> box{};
  std::string label{};
  MarkKind kind = MarkKind::kPlain;
};

// Colors of a mesh, one per face, besides those of its parts.
struct Surface {
  std::string name{};   // in addresses
  std::string title{};  // for people
  std::string text{};   // one sentence that says what the colors show
  std::vector<report::Color> colors{};
};

// Something that happened in a stream, such as an action.
struct SeenEvent {
  std::string name{};
  double score = 0;
  double start_seconds = 0, end_seconds = 0;  // in the source's own time
};

struct Timing {
  std::string stage{};
  double seconds = 0;
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

// What a run found. It never changes once a job has made it.
struct Result {
  std::string title{};                     // of a saved page: "People in street.jpg"
  std::shared_ptr<const Picture> image{};  // what it was found in, or null
  Extent size{};
  std::string summary{};  // whole sentences
  std::vector<Layer> layers{};
  std::vector<Mark> marks{};
  std::string parts{};                                   // of a mesh: mesh::parts_json()
  std::vector<Surface> surfaces{};                       // of a mesh
  std::vector<std::pair<std::string, double>> scores{};  // bars: a name and a value
  std::string true_score{};                              // the name of the right one, if known
  std::vector<SeenEvent> events{};  // of a stream: those that have become certain
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<Timing> timings{};
  std::string command{};               // line of the shell that gives this result
  std::string python{};                // lines of Python that do
  std::string json{};                  // all numbers
  std::optional<VideoResult> video{};  // of a system that looks at whole videos
  // What only a saved page needs is made when one is saved. Several threads may call these.
  std::function<Image<std::uint8_t>()> picture{};  // what was found, drawn over the input
  // The page in place of result_page(), where there is one.
  std::function<std::string(const report::Explanation* explanation)> page{};
  // Why the result is what it is at a place of the picture; empty where the system cannot say. May
  // be called by several threads. Throws what the library throws; Cancelled after a stop.
  std::function<report::Explanation(const Place& place, const Exec& exec)> explain{};
  // The same of a face of a mesh, or of all seams for -1.
  std::function<report::Explanation(std::int64_t face)> explain_face{};
  std::string why_hint{};  // what a click asks, for people
  std::vector<WhyPicture> why_pictures{};
  std::size_t held_bytes = 0;  // memory of the functions above, besides image and layers
};

// What the page asks for.
struct Run {
  std::vector<std::shared_ptr<Input>> inputs{};
  int frame = 0;  // of a video
  std::string model{};
  FormValues options{};
  std::optional<Rect<int>> box{};        // that the user has drawn
  std::shared_ptr<const Truth> truth{};  // null where none is given
  // Frames of a stream, which stand for those that the input would be read for.
  std::vector<StreamFrame> frames{};
};

// One of a system's models, by the name that the page sends and lines for the shell have.
using ModelNames = std::vector<std::string>;

class SystemView {
 public:
  virtual ~SystemView() = default;

  virtual std::string name() const = 0;   // "people"
  virtual std::string title() const = 0;  // "People"
  virtual std::string text() const = 0;   // one sentence
  virtual InputKind takes() const = 0;    // images stand for videos as well
  // How many images it needs; a video gives consecutive frames.
  virtual int images() const { return 1; }
  virtual bool needs_box() const { return false; }
  // A single pixel may stand for the box, and without either the system only shows its input.
  virtual bool takes_pixel() const { return false; }
  // One run is about all frames of a video.
  virtual bool whole_video() const { return false; }
  virtual bool runs() const { return true; }      // on images and single frames
  virtual bool streams() const { return false; }  // on the frames of a video or live input, in turn
  virtual ModelNames models() const { return {}; }
  // Its options at their defaults, as controls_json() gives them.
  virtual std::string controls() const = 0;
  // Throws what the library throws; Cancelled after a stop.
  virtual Result run(const Run& run, const Exec& exec) = 0;
  // Begins to work on a stream. Streams may call it, and run(), beside the thread of jobs.
  virtual std::unique_ptr<Running> begin(const Run& run, const Exec& exec);
};

using Systems = std::vector<std::unique_ptr<SystemView>>;
// Null where there is none of this name.
SystemView* find_system(const Systems& systems, std::string_view name);
// All systems. `model` is a file or name that the command line adds to the models, or empty.
Systems make_systems(const std::string& model);

std::unique_ptr<SystemView> people_view(const std::string& model);
std::unique_ptr<SystemView> flow_view();
std::unique_ptr<SystemView> emd_view();
std::unique_ptr<SystemView> track_view();
std::unique_ptr<SystemView> scenes_view();
std::unique_ptr<SystemView> mesh_view();
std::unique_ptr<SystemView> actions_view(const std::string& model);
std::unique_ptr<SystemView> cubes_view();

// The images of a run: its inputs, or consecutive frames of one video. Throws InvalidArgument where
// there are too few.
std::vector<std::shared_ptr<const Picture>> run_images(const Run& run, int count);
// The names of these inputs for lines: "street.jpg", or "walk.mp4" of a video.
std::string shell_inputs(const Run& run, int count);
// These images as Python has them: a path in quotes, or a frame of a video.
std::vector<std::string> python_images(const Run& run, int count);
// Whether the input of a run moves: a video, a camera or a network stream.
bool of_film(const Run& run);
// What picks these frames of a film in lines of the shell: " --first-frame 7 --frames 1". Empty for
// images.
std::string shell_frames(const Run& run, int count);
// Compares a result with the truth, where one is given. What is wrong with the truth becomes a fact
// of the result, which stands without it.
void add_truth(Result& result, const Run& run, const std::function<void(const Truth&)>& compare);
// What made a result, as its JSON says.
struct SavedCall {
  std::string_view command{};  // "people detect"
  std::string_view model{};    // may be empty
  std::string options{};       // options_json()
  const Exec& exec;
  bool whole_film = false;    // the result is about the film, not about one of its frames
  std::string beside{};       // members beside the list of results, as the verb has them
  std::string_view target{};  // a box as the program takes it; may be empty
};
// The JSON that the program prints for the same call, with the result of one image, of one frame of
// a film, or of all of it.
std::string saved_json(const Run& run, const SavedCall& call, RecordRef result);
// The same of verbs that have one result of all their inputs.
std::string saved_whole_json(const SavedCall& call, RecordRef result);
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

// "events": [{"name", "score", "start", "end"}, ...].
void write_events(io::JsonWriter& json, const std::vector<SeenEvent>& events);
// {"size", "summary", "layers", ...}: all but the pixels.
std::string result_json(const Result& result);
// The result as one HTML file that needs nothing else, with the explanation where there is one.
std::string result_page(const Result& result, const report::Explanation* explanation);

}  // namespace fovea::view
