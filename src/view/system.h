// What the view can do with one system: which inputs it takes, which options, how it runs, and what
// it shows. Operations are run by run_operation.h; what is none has a file in views/.
#pragma once
#include <fovea/core/error.h>
#include <fovea/core/exec.h>
#include <fovea/core/record.h>
#include <fovea/io/result_json.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "view/form.h"
#include "view/inputs.h"
#include "view/result.h"
#include "view/stream/running.h"
#include "view/truth.h"

namespace fovea::view {

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

  const std::string& input() const { return inputs.front()->name(); }
  // The same without its folder; and the folders of inputs that are named by absolute paths,
  // "/home/me/photos/", which saved pages do not tell.
  std::string plain_input() const;
  std::vector<std::string> folders() const;
  // Its name for files: "street" of photos/street.jpg, "walk_000012" of a frame of walk.mp4.
  std::string stem(bool whole_film = false) const;
  // Whether the input moves: a video, a camera or a network stream.
  bool of_film() const;
  // The same run on frames of a film whose frames are files, as on these files; itself for others.
  Run on_pictures(int count) const;
  // The number of the frame that it is about, or of one after it; 0 of an image.
  std::int64_t frame_number(std::size_t next = 0) const {
    return frames.empty() ? frame + static_cast<std::int64_t>(next) : frames[next].number;
  }
  // Its images: its inputs, or consecutive frames of one video. Throws InvalidArgument where there
  // are too few.
  std::vector<std::shared_ptr<const Picture>> images(int count) const;
  std::shared_ptr<const Picture> image() const { return images(1).front(); }
};

// What a system is called and what it takes.
struct SystemFacts {
  std::string name{};                   // "people"
  std::string title{};                  // "People"
  std::string text{};                   // one sentence
  std::string headline{};               // before the name of an input: "People in"
  InputKind takes = InputKind::kImage;  // images stand for videos as well
  int images = 1;                       // how many; a video gives consecutive frames
  bool needs_box = false;
  // A single pixel may stand for the box, and without either the system only shows its input.
  bool takes_pixel = false;
  bool whole_video = false;           // one run is about all frames of a video
  bool runs = true;                   // on images and single frames
  bool streams = false;               // on the frames of a video or live input, in turn
  std::vector<std::string> models{};  // by the names that the page sends and lines have
};
// What the page reads.
void describe(FieldVisitor& visit, SystemFacts& facts);

class SystemView {
 public:
  explicit SystemView(SystemFacts facts) : facts_(std::move(facts)) {}
  virtual ~SystemView() = default;

  const SystemFacts& facts() const { return facts_; }
  // What the page says of one of its models.
  std::string text_of(const std::string& model) const;
  // Its options at their defaults, as controls_json() gives them.
  virtual std::string controls() const { return "[]"; }
  // Throws what the library throws; Cancelled after a stop. Several threads call it, and begin().
  virtual Result run(const Run& run, const Exec& exec) = 0;
  // Begins to work on a stream.
  virtual std::unique_ptr<Running> begin(const Run& run, const Exec& exec);
  // A run on these frames of a stream.
  Result run_on(Run run, std::vector<StreamFrame> frames, const Exec& exec);

 protected:
  // Throws InvalidArgument for an input that the system does not take.
  void check_input(const Run& run) const;
  // Throws InvalidArgument where the box is missing.
  void check_box(const Run& run) const;
  // The model of a run, which is one of its models; the first where the page names none.
  std::string model_of(const Run& run) const;
  // What results record of a model; empty where the name is.
  std::string model_hashes(const std::string& model) const;

 private:
  SystemFacts facts_;
  mutable std::mutex hashing_{};
  mutable std::map<std::string, std::string> hashes_{}, texts_{};  // by the names of models
};

using Systems = std::vector<std::unique_ptr<SystemView>>;
// Null where there is none of this name.
SystemView* find_system(const Systems& systems, std::string_view name);
// All systems. `model` is a file or name that the command line adds to the models, or empty.
Systems make_systems(const std::string& model);

std::unique_ptr<SystemView> emd_view();
std::unique_ptr<SystemView> actions_view(const std::string& model);
std::unique_ptr<SystemView> cubes_view();

// The models of a system that ship, after one that the command line may add. `first` is the
// default among them.
std::vector<std::string> model_names(const std::string& system, const std::string& added = {},
                                     const std::string& first = {});

// A run with all that follows from it alike in every system.
struct Task {
  Run run{};
  Exec exec{};
  std::string title{};              // of the result
  std::string stem{};               // of the names of its files
  std::string model{};              // empty where the system has none
  std::string model_hashes{};       // the SHA-256 of its file by its name, as JSON
  std::string options{};            // as JSON
  std::string flags{}, keywords{};  // options that are not at their defaults, see form.h

  // The box as the program takes it: "3,4,10,20".
  std::string box(std::string_view separator = ",") const;
  // For lines of the shell: the model, the names of inputs, "street.jpg" or "walk.mp4" of a video,
  // and what picks these frames of a film, " --first-frame 7 --frames 1"; nothing for images.
  std::string shell_model() const { return shell_word(model); }
  std::string shell_inputs(int count = 1) const;
  std::string shell_frames(int count = 1) const;
  // For lines of Python: the model and the first input in quotes, and images: a path in quotes, or
  // a frame of a video.
  std::string python_model() const;
  std::string python_input() const;
  std::vector<std::string> python_images(int count) const;
  std::string python_image() const { return python_images(1).front(); }
  // The JSON that the program prints for the same call of "emd map": of one result for all
  // inputs, or of this one's.
  std::string saved_of_all(std::string command, RecordRef result) const;
  std::string saved(std::string command, RecordRef result) const;

 private:
  io::ResultOrigin origin(std::string command) const;
};
template <class Options>
struct TaskOf : Task {
  Options with{};  // the options, which have `exec`
};

// Compares a result with the truth, where one is given. What is wrong with the truth becomes a fact
// of the result, which stands without it.
void add_truth(std::vector<std::pair<std::string, std::string>>& facts, const Run& run,
               const std::function<void(const Truth&)>& compare);

// A system with options, of which one file says only how it works on a task, and what it shows.
template <class Options>
class OptionsView : public SystemView {
 public:
  std::string controls() const final {
    Options options = defaults_;
    return controls_json(form_of(options, hidden_));
  }
  Result run(const Run& run, const Exec& exec) final {
    check_input(run);
    const TaskOf<Options> task = task_of(run, exec);
    Result result{.title = task.title, .stem = task.stem, .folders = run.folders()};
    Stopwatch watch(result.timings);
    work(task, result, watch);
    watch.lap("draw");
    return result;
  }
  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) final {
    if (!facts().streams) return SystemView::begin(run, exec);
    return stream(task_of(run, exec));
  }

 protected:
  // The page begins with `defaults`, and shows all options but the hidden ones.
  explicit OptionsView(SystemFacts facts, Options defaults = {},
                       std::vector<std::string_view> hidden = {})
      : SystemView(std::move(facts)), defaults_(std::move(defaults)), hidden_(std::move(hidden)) {}

  virtual void work(const TaskOf<Options>& task, Result& result, Stopwatch& watch) = 0;
  virtual std::unique_ptr<Running> stream(const TaskOf<Options>&) { return nullptr; }

 private:
  TaskOf<Options> task_of(const Run& run, const Exec& exec) const {
    check_box(run);
    TaskOf<Options> task{{.run = run, .exec = exec, .model = model_of(run)}, defaults_};
    task.title = facts().headline + " " + run.plain_input();
    task.model_hashes = model_hashes(task.model);
    task.stem = run.stem(facts().whole_video) + "_" + facts().name;
    if (!facts().needs_box) task.run.box.reset();
    Form form = form_of(task.with, hidden_);
    fill_form(form, run.options);
    task.with.exec = exec;
    task.options = options_json(task.with);
    Options others;
    const Form usual = form_of(others, hidden_);
    task.flags = changed_flags(form, usual);
    task.keywords = changed_keywords(form, usual);
    return task;
  }

  Options defaults_;
  std::vector<std::string_view> hidden_;
};

}  // namespace fovea::view
