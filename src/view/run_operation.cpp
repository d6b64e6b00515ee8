#include "view/run_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/json_text.h"
#include "view/record.h"
#include "view/save/save_result.h"

namespace fovea::view {
namespace {

using operations::Call;
using operations::Operation;
using operations::Shown;

// What is known about the input, or the frame, of a run.
class TruthOfRun final : public operations::Truth {
 public:
  explicit TruthOfRun(const Run& run) : run_(run), input_(*run.inputs.front()) {}
  std::optional<std::vector<people::Annotation>> people() const override {
    return run_.truth->people(input_, run_.frame_number());
  }
  std::optional<io::FlowField> flow() const override { return run_.truth->flow(input_); }
  std::vector<std::vector<std::int32_t>> parts(std::size_t faces) const override {
    return run_.truth->parts(input_, faces);
  }
  std::string place(const std::vector<std::string>& classes) const override {
    return run_.truth->place(input_, classes);
  }

 private:
  const Run& run_;
  const Input& input_;
};

// The options of a call that a page may set, or all of them.
struct Controls {
  Call& call;
};
void describe(OptionVisitor& visit, Controls& controls) { controls.call.visit_controls(visit); }
struct AllOptions {
  Call& call;
};
void describe(OptionVisitor& visit, AllOptions& options) { options.call.visit_options(visit); }

// The option that names a model; nothing where there is none.
std::optional<OptionField> model_option(Call& call) {
  std::optional<OptionField> model;
  AllOptions options{call};
  for_each_option(options, [&](const OptionField& field) {
    if (field.traits.use == TextUse::kModel && std::holds_alternative<std::string*>(field.value))
      model = field;
  });
  return model;
}

bool takes_images(const Operation& operation) {
  return operation.input == operations::InputKind::kImage ||
         operation.input == operations::InputKind::kImageOrVideo;
}
// Whether an item is read by its pixels alone, which a frame of a video gives as well.
bool takes_frames(const Operation& operation) {
  return operation.input == operations::InputKind::kImageOrVideo;
}

SystemFacts facts_of(const Operation& operation, const std::string& added) {
  const operations::Words& words = operation.words;
  const auto& page = operation.on_page;
  SystemFacts facts{.name = std::string(page.name.empty() ? words.system : page.name),
                    .title = std::string(page.title),
                    .text = std::string(words.text.substr(0, words.text.find(". "))),
                    .headline = fmt::format("{} in", page.title),
                    .takes = takes_images(operation) ? InputKind::kImage : InputKind::kMesh,
                    .streams = takes_frames(operation)};
  if (!facts.text.ends_with('.')) facts.text += '.';
  const std::unique_ptr<Call> call = operation.call();
  if (const auto model = model_option(*call))
    facts.models = model_names(std::string(words.system), added, option_text(*model));
  return facts;
}

// One call with its options, and the item that it works on. Several threads may ask about it.
class Work {
 public:
  Work(const Operation& operation, const SystemFacts& facts, Task task)
      : operation_(operation), task_(std::move(task)), call_(operation.call()) {
    const std::unique_ptr<Call> usual = operation.call();
    for (Call* call : {call_.get(), usual.get()})
      if (const auto model = model_option(*call)) set_option(*model, task_.model);
    Controls controls{*call_}, plain{*usual};
    Form form = form_of(controls);
    fill_form(form, task_.run.options);
    call_->check();
    const Form others = form_of(plain);
    task_.flags = changed_flags(form, others);
    task_.keywords = changed_keywords(form, others);
    task_.title = fmt::format("{} {}", facts.headline, task_.run.plain_input());
    task_.stem =
        fmt::format("{}_{}_{}", task_.run.stem(), operation.words.system, operation.words.verb);
  }

  const Task& task() const { return task_; }

  // Reads what the options name and makes the worker. Where why will be asked, results keep what
  // that needs, and all files that can be saved are planned for.
  void prepare(operations::Kept& kept, bool asks) {
    operations::Plan plan{.inputs = {task_.run.input()}, .asks = asks, .kept = &kept};
    plan.image = [](const std::string& path) { return io::read_image(path); };
    plan.note = [](const std::string&) {};
    if (asks)
      for (const SavedAs& as : files_to_save(operation_, *call_, task_))
        plan.files[std::string(operation_.outputs[as.output].name)] = {as.file};
    call_->settle(plan);
    Exec exec = task_.exec;
    if (operation_.on_processor) exec.device = Device::cpu();
    // Whoever listens to the progress of a run is gone when files are made of its result.
    if (exec.progress)
      exec.progress = [relay = relay_](const Progress& done) {
        if (*relay) (*relay)(done);
      };
    *relay_ = task_.exec.progress;
    task_.exec.progress = {};
    call_->begin(exec, plan);
    worker_ = call_->make_worker(exec);
    item_ = call_->make_item();
  }

  // Takes a frame of a stream.
  void read(const StreamFrame& frame) {
    task_.run.frame = static_cast<int>(frame.number);
    read(frame.picture);
  }
  // Takes an input by its file, or a picture.
  void read(std::shared_ptr<const Picture> picture) {
    picture_ = std::move(picture);
    if (takes_frames(operation_)) {
      put_pixels();
      return;
    }
    const std::shared_ptr<Input>& input = task_.run.inputs.front();
    const auto image = [&](io::Orientation orientation) {
      return input->kind() == InputKind::kImage
                 ? io::read_image(input->path(), {.orientation = orientation})
                 : io::AnyImage{clone(picture_->pixels())};
    };
    call_->read({input->path(), image}, item_.get());
  }

  void run() { call_->run(worker_.get(), item_.get()); }

  // The work is done, and the item is kept for questions. Its pixels are those of the picture.
  void finish() {
    *relay_ = {};
    worker_.reset();
    if (takes_frames(operation_)) call_->pixels(item_.get()) = {};
  }

  Shown shown() const {
    Shown shown;
    show_record(call_->result(item_.get()), shown);
    shown.summary = call_->line(item_.get());
    if (!shown.summary.empty()) shown.summary += '.';
    call_->show(item_.get(), shown);
    if (task_.run.truth == nullptr) return shown;
    try {
      call_->compare(item_.get(), TruthOfRun(task_.run), shown);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      shown.facts.emplace_back("truth", error.what());
    }
    return shown;
  }

  report::Explanation explain(const operations::Question& question, const Exec& exec) {
    return with_pixels(
        [&] { return call_->explain(item_, {.exec = exec, .question = &question}).explanation; });
  }
  Image<std::uint8_t> picture() {
    if (std::ranges::none_of(operation_.outputs, &operations::Output::picture))
      return rgb_copy(picture_->pixels());
    return with_pixels([&] {
      call_->draw(item_.get());
      return std::move(call_->pixels(item_.get()));
    });
  }
  std::string page(const report::Explanation* why) const { return call_->page(item_.get(), why); }
  std::size_t held_bytes() const { return call_->held_bytes(item_.get()); }
  std::string json() const { return saved_json({operation_, *call_, item_.get(), task_}); }
  std::vector<SavedAs> files() const { return files_to_save(operation_, *call_, task_); }
  SavedBytes file(const SavedAs& as) {
    return with_pixels([&] { return saved_file({operation_, *call_, item_.get(), task_}, as); });
  }

  // The line of the shell that makes the same.
  std::string command() const {
    const operations::Words& words = operation_.words;
    return fmt::format(
        "fovea {} {} {}{}{}{} {}", words.system, words.verb, task_.shell_inputs(),
        task_.model.empty() ? "" : " --model " + task_.shell_model(), task_.flags,
        takes_images(operation_) ? task_.shell_frames() : "",
        operation_.needs_output ? "-o " + shell_word(files().front().file) : "--json");
  }
  std::string python() const {
    return fmt::format("fovea.{}.{}({}{}{})", operation_.words.system, operation_.words.verb,
                       takes_images(operation_) ? task_.python_image() : task_.python_input(),
                       task_.model.empty() ? "" : ", model=" + task_.python_model(),
                       task_.keywords);
  }

 private:
  void put_pixels() { call_->pixels(item_.get()) = clone(picture_->pixels()); }

  // Calls a function while the item has its pixels.
  template <class Function>
  std::invoke_result_t<Function> with_pixels(const Function& function) {
    const std::lock_guard lock(mutex_);
    if (!takes_frames(operation_)) return function();
    put_pixels();
    auto made = function();
    call_->pixels(item_.get()) = {};
    return made;
  }

  const Operation& operation_;
  Task task_;
  std::unique_ptr<Call> call_;
  std::shared_ptr<void> worker_{}, item_{};
  std::shared_ptr<const Picture> picture_{};
  std::shared_ptr<ProgressFn> relay_ = std::make_shared<ProgressFn>();
  std::mutex mutex_{};
};

void put(Shown shown, Result& result) {
  result.summary = std::move(shown.summary);
  result.marks = std::move(shown.marks);
  for (operations::Layer& layer : shown.layers)
    result.layers.push_back({.name = std::move(layer.name),
                             .title = std::move(layer.title),
                             .text = std::move(layer.text),
                             .picture = std::make_shared<Picture>(std::move(layer.pixels)),
                             .shown = layer.shown,
                             .opacity = layer.opacity});
  for (operations::Layer& layer : shown.surfaces)
    result.surfaces.push_back({.name = std::move(layer.name),
                               .title = std::move(layer.title),
                               .text = std::move(layer.text),
                               .colors = std::move(layer.colors)});
  result.parts = std::move(shown.parts);
  result.scores = std::move(shown.scores);
  result.true_score = std::move(shown.true_score);
  result.facts = std::move(shown.facts);
}

class OperationRunning final : public Running {
 public:
  OperationRunning(SystemView& view, const Operation& operation, Task task, operations::Kept& kept)
      : view_(view), verb_(operation.words.verb), work_(operation, view.facts(), std::move(task)) {
    work_.prepare(kept, false);
  }

  Result stay(const StreamFrame& frame) override {
    return view_.run_on(work_.task().run, {frame}, work_.task().exec);
  }

 private:
  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    work_.read(frame);
    work_.run();
    watch.lap(verb_);
    put(work_.shown(), result);
  }

  SystemView& view_;
  std::string verb_;
  Work work_;
};

class OperationView final : public SystemView {
 public:
  OperationView(const Operation& operation, const std::string& added)
      : SystemView(facts_of(operation, added)), operation_(operation) {}

  std::string controls() const override {
    const std::unique_ptr<Call> call = operation_.call();
    Controls controls{*call};
    return controls_json(form_of(controls));
  }

  Result run(const Run& run, const Exec& exec) override {
    check_input(run);
    Result result;
    Stopwatch watch(result.timings);
    const auto work = std::make_shared<Work>(operation_, facts(), task_of(run, exec));
    result.title = work->task().title;
    result.folders = run.folders();
    if (takes_images(operation_)) result.show(run.image());
    work->prepare(kept_, true);
    watch.lap("prepare");
    work->read(result.image);
    watch.lap("read the input");
    work->run();
    watch.lap(std::string(operation_.words.verb));
    put(work->shown(), result);
    work->finish();
    result.json = work->json();
    result.command = work->command();
    result.python = work->python();
    result.held_bytes = work->held_bytes();
    add_later(result, work);
    watch.lap("draw");
    return result;
  }

  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    if (!facts().streams) return SystemView::begin(run, exec);
    return std::make_unique<OperationRunning>(*this, operation_, task_of(run, exec), kept_);
  }

 private:
  Task task_of(const Run& run, const Exec& exec) const {
    const std::string model = model_of(run);
    return {.run = run, .exec = exec, .model = model, .model_hashes = model_hashes(model)};
  }

  // What is made when it is asked for.
  void add_later(Result& result, const std::shared_ptr<Work>& work) const {
    if (takes_images(operation_)) result.picture = [work] { return work->picture(); };
    result.page = [work](const report::Explanation* why) { return work->page(why); };
    result.stem = work->task().stem;
    result.files = work->files();
    result.save = [work](const SavedAs& as) { return work->file(as); };
    result.why_hint = operation_.on_page.hint;
    if (result.why_hint.empty()) return;
    if (takes_images(operation_))
      result.explain = [work](const Place& place, const Exec& exec) {
        return work->explain({.place = place, .frame = place.frame}, exec);
      };
    else
      result.explain_face = [work](std::int64_t face, const Exec& exec) {
        return work->explain({.face = face}, exec);
      };
  }

  const Operation& operation_;
  operations::Kept kept_{};
};

}  // namespace

std::unique_ptr<SystemView> operation_view(const operations::Operation& operation,
                                           const std::string& model) {
  return std::make_unique<OperationView>(operation, model);
}

}  // namespace fovea::view
