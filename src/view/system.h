// What the view can do with one system: which inputs it takes, which options, how it runs, and what
// it shows. One file in views/ per system.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/report/explanation.h>
#include <fovea/report/page.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "view/form.h"
#include "view/inputs.h"
#include "view/picture.h"
#include "view/truth.h"

namespace fovea::view {

// A raster over the picture. `opaque` ones take the place of the picture.
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

struct Timing {
  std::string stage{};
  double seconds = 0;
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
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<Timing> timings{};
  std::string command{};          // line of the shell that gives this result
  std::string python{};           // lines of Python that do
  std::string json{};             // all numbers
  Image<std::uint8_t> picture{};  // for a saved page: what was found, drawn over the input
  // Why the result is what it is at a place of the picture; empty where the system cannot say. May
  // be called by several threads.
  std::function<report::Explanation(report::Point place)> explain{};
  // The same of a face of a mesh, or of all seams for -1.
  std::function<report::Explanation(std::int64_t face)> explain_face{};
  std::string why_hint{};  // what a click asks, for people
  // The page to save in place of result_page(), where there is one.
  std::function<std::string(const report::Explanation* explanation)> page{};
};

// What the page asks for.
struct Run {
  std::vector<std::shared_ptr<Input>> inputs{};
  int frame = 0;  // of a video
  std::string model{};
  FormValues options{};
  std::optional<Rect<int>> box{};        // that the user has drawn
  std::shared_ptr<const Truth> truth{};  // null where none is given
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
  virtual ModelNames models() const { return {}; }
  // Its options at their defaults, as controls_json() gives them.
  virtual std::string controls() const = 0;
  // Throws what the library throws; Cancelled after a stop.
  virtual Result run(const Run& run, const Exec& exec) = 0;
};

using Systems = std::vector<std::unique_ptr<SystemView>>;
// All systems. `model` is a file or name that the command line adds to the models, or empty.
Systems make_systems(const std::string& model);

std::unique_ptr<SystemView> people_view(const std::string& model);
std::unique_ptr<SystemView> flow_view();
std::unique_ptr<SystemView> emd_view();
std::unique_ptr<SystemView> scenes_view();
std::unique_ptr<SystemView> mesh_view();

// The images of a run: its inputs, or consecutive frames of one video. Throws InvalidArgument where
// there are too few.
std::vector<std::shared_ptr<const Picture>> run_images(const Run& run, int count);
// The names of these inputs for lines: "street.jpg", or "walk.mp4" of a video.
std::string shell_inputs(const Run& run, int count);
// These images as Python has them: a path in quotes, or a frame of a video.
std::vector<std::string> python_images(const Run& run, int count);
// What picks these frames of a video in lines of the shell: " --first-frame 7 --frames 1". Empty
// for images.
std::string shell_frames(const Run& run, int count);
// Compares a result with the truth, where one is given. What is wrong with the truth becomes a fact
// of the result, which stands without it.
void add_truth(Result& result, const Run& run, const std::function<void(const Truth&)>& compare);
// RGB of a gray or RGB picture.
Image<std::uint8_t> rgb_copy(ImageView<const std::uint8_t> image);

// {"size", "summary", "layers", ...}: all but the pixels.
std::string result_json(const Result& result);
// The result as one HTML file that needs nothing else, with the explanation where there is one.
std::string result_page(const Result& result, const report::Explanation* explanation);

}  // namespace fovea::view
