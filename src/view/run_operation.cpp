#include "view/run_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

// Whether an item is read by its pixels alone, which a frame of a video gives as well.
bool takes_frames(const Operation& operation) {
  return operation.input == operations::InputKind::kImageOrVideo;
}
// Whether it works on two images, or on each frame of a video and the one before it.
bool takes_pairs(const Operation& operation) { return !operation.pairs.empty(); }
bool takes_images(const Operation& operation) {
  return operation.input != operations::InputKind::kMesh;
}
int images_of(const Operation& operation) { return takes_pairs(operation) ? 2 : 1; }

// The operation that runs: another verb where a control says so.
const Operation& chosen(const Operation& operation, const FormValues& options) {
  const auto word = options.find(operation.on_page.verbs);
  const auto is_meant = [&](const Operation& other) {
    return other.words.system == operation.words.system && other.words.verb == word->second;
  };
  if (word == options.end()) return operation;
  const auto other = std::ranges::find_if(operations::operations(), is_meant);
  return other == operations::operations().end() ? operation : *other;
}

// The form of a page, as it begins.
Form form_of_page(const operations::OnPage& page, Controls& controls) {
  Form form = form_of(controls, page.hidden);
  for (const auto& [name, value] : page.start)
    fill_form(form, {{std::string(name), std::string(value)}});
  return form;
}

// A frame of a stream, in the hands of an operation.
class PageFrame final : public operations::Frame {
 public:
  explicit PageFrame(StreamFrame frame) : frame_(std::move(frame)) {}
  std::int64_t number() const override { return frame_.number; }
  double seconds() const override { return frame_.seconds; }
  const Image<std::uint8_t>& pixels() override { return frame_.picture->image(); }

 private:
  StreamFrame frame_;
};

SystemFacts facts_of(const Operation& operation, const std::string& added) {
  const operations::Words& words = operation.words;
  const auto& page = operation.on_page;
  SystemFacts facts{
      .name = std::string(page.name.empty() ? words.system : page.name),
      .title = std::string(page.title),
      .text = std::string(words.text.substr(0, words.text.find(". "))),
      .headline = fmt::format("{} in", page.title),
      .takes = operation.takes_sequences() ? InputKind::kVideo
               : takes_images(operation)   ? InputKind::kImage
                                           : InputKind::kMesh,
      .images = images_of(operation),
      .needs_box = !page.box.empty(),
      .runs = !operation.takes_sequences(),
      .streams = takes_frames(operation) || takes_pairs(operation) || operation.takes_sequences()};
  if (!facts.text.ends_with('.')) facts.text += '.';
  const std::unique_ptr<Call> call = operation.call();
  if (const auto model = model_option(*call))
    facts.models = model_names(std::string(words.system), added, option_text(*model));
  return facts;
}

// One call with its options, and the item that it works on. Several threads may ask about it.
class Work {
 public:
  Work(const Operation& on_page, const SystemFacts& facts, Task task)
      : page_(on_page.on_page),
        operation_(chosen(on_page, task.run.options)),
        task_(std::move(task)),
        call_(operation_.call()) {
    const std::unique_ptr<Call> usual = operation_.call(), first = on_page.call();
    for (Call* call : {call_.get(), usual.get()})
      if (const auto model = model_option(*call)) set_option(*model, task_.model);
    Controls controls{*call_}, plain{*usual}, first_plain{*first};
    Form form = form_of_page(page_, controls);
    fill_form(form, task_.run.options);
    if (task_.run.box && !page_.box.empty()) set(page_.box, task_.box());
    call_->check();
    task_.keywords = changed_keywords(form, form_of(first_plain, page_.hidden));
    // "lk-radius" of a control is --radius of the verb lk.
    for (OptionField& field : form.fields)
      if (const std::string group = std::string(operation_.words.verb) + "-";
          field.name.starts_with(group))
        field.name.erase(0, group.size());
    task_.flags = changed_flags(form, form_of(plain, page_.hidden));
    task_.title = fmt::format("{} {}", facts.headline, task_.run.plain_input());
    task_.stem =
        fmt::format("{}_{}_{}", task_.run.stem(), operation_.words.system, operation_.words.verb);
  }

  const Task& task() const { return task_; }
  std::string verb() const { return std::string(operation_.words.verb); }

  // Reads what the options name and makes the worker. Where why will be asked, results keep what
  // that needs, and all files that can be saved are planned for.
  void prepare(operations::Kept& kept, bool asks) {
    operations::Plan plan{
        .inputs = {task_.run.input()}, .shows = true, .asks = asks, .kept = &kept};
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
    exec_ = exec;
    worker_ = call_->make_worker(exec_);
    item_ = call_->make_item();
  }

  // Takes a frame of a stream, which may stay on the page. Whether that gives a result: the first
  // one of pairs has none.
  bool read(const StreamFrame& frame, bool stays = false) {
    task_.run.frame = static_cast<int>(frame.number);
    pictures_ = {frame.picture};
    const bool pairs = takes_pairs(operation_);
    if (!pairs && !operation_.takes_sequences()) {
      read();
      return true;
    }
    if (!first_) {
      first_ = task_.run.inputs.front()->kind() == InputKind::kLive ? 0 : frame.number;
      if (!page_.begins.empty()) set(page_.begins, std::to_string(*first_));
    }
    step_ = {pairs ? std::move(step_.now) : nullptr, std::make_shared<PageFrame>(frame), true,
             stays};
    call_->take(step_, item_.get());
    return !pairs || step_.before != nullptr;
  }
  // Takes inputs by their files, or pictures.
  void read(std::vector<std::shared_ptr<const Picture>> pictures) {
    pictures_ = std::move(pictures);
    read();
  }
  // The next frame does not follow those before.
  void restart() {
    step_ = {};
    worker_ = call_->make_worker(exec_);
  }

  void run() {
    call_->run(worker_.get(), item_.get());
    if (operation_.takes_sequences()) call_->tally(item_.get());
  }
  // The work on the last frame, of which questions may be asked. The next one gets another item.
  std::shared_ptr<Work> leave() {
    auto left = std::make_shared<Work>(*this);
    item_ = call_->make_item();
    return left;
  }

  // The work is done, and the item is kept for questions. Its pixels are those of the picture.
  void finish() {
    *relay_ = {};
    worker_.reset();
    if (takes_frames(operation_)) call_->pixels(item_.get()) = {};
  }

  // `range` is that of colors, which goes on from frame to frame of a stream.
  Shown shown(std::optional<double> range = {}) const {
    Shown shown{.range = range};
    show_record(call_->result(item_.get()), shown);
    shown.summary = call_->line(item_.get());
    if (!shown.summary.empty()) shown.summary += '.';
    call_->show(item_.get(), shown);
    add_truth(shown.facts, task_.run,
              [&](const Truth&) { call_->compare(item_.get(), TruthOfRun(task_.run), shown); });
    return shown;
  }

  // What the program tells a user after such an input, in the words of the page; may be empty.
  std::string advice() {
    if (!takes_frames(operation_)) return {};  // others count what they save
    const std::string name = task_.run.plain_input();
    call_->tally(item_.get());
    std::string text = call_->note_after_input(name);
    if (text.starts_with(name + ": ")) text.erase(0, name.size() + 2);
    if (text.empty()) return text;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    Controls controls{*call_};
    return with_controls(text, form_of(controls, page_.hidden)) + ".";
  }

  report::Explanation explain(const operations::Question& question, Exec exec) {
    if (operation_.explains_on_processor) exec.device = Device::cpu();
    return with_pixels(
        [&] { return call_->explain(item_, {.exec = exec, .question = &question}).explanation; });
  }
  Image<std::uint8_t> picture() {
    const auto& outputs = operation_.outputs;
    const auto drawn = std::ranges::find_if(outputs, &operations::Output::picture);
    if (drawn == outputs.end()) return rgb_copy(pictures_.front()->pixels());
    return with_pixels([&] {
      if (operation_.has_one_result())
        return call_->paint(static_cast<std::size_t>(drawn - outputs.begin()), 0, item_.get());
      call_->draw(item_.get());
      return std::move(call_->pixels(item_.get()));
    });
  }
  std::string page(const report::Explanation* why) const { return call_->page(item_.get(), why); }
  // Besides the picture of the result.
  std::size_t held_bytes() const {
    std::size_t bytes = call_->held_bytes(item_.get());
    for (std::size_t i = 1; i < pictures_.size(); ++i) bytes += pictures_[i]->bytes();
    return bytes;
  }
  std::string json() const { return saved_json({operation_, *call_, item_.get(), task_}); }
  std::vector<SavedAs> files() const { return files_to_save(operation_, *call_, task_); }
  SavedBytes file(const SavedAs& as) {
    return with_pixels([&] { return saved_file({operation_, *call_, item_.get(), task_}, as); });
  }

  // The line of the shell that makes the same.
  std::string command() const {
    const operations::Words& words = operation_.words;
    const bool film = task_.run.of_film(), pairs = takes_pairs(operation_);
    if (operation_.takes_sequences())
      return fmt::format("fovea {} {} {} --{} {}{}{} --frames {} -o {}", words.system, words.verb,
                         task_.shell_inputs(), page_.box, task_.box(),
                         *first_ > 0 ? fmt::format(" --{} {}", page_.begins, *first_) : "",
                         task_.flags, task_.run.frame + 1, shell_word(files().front().file));
    if (film && !takes_frames(operation_) && !pairs)  // the verb takes images only
      return fmt::format("python3 -c {}",
                         shell_word(fmt::format("import fovea; print({})", python())));
    // Of frames, files with numbers are written into a folder.
    const std::string file = film && pairs ? task_.stem : files().front().file;
    return fmt::format("fovea {} {} {}{}{}{} {}", words.system, words.verb,
                       task_.shell_inputs(images_of(operation_)),
                       task_.model.empty() ? "" : " --model " + task_.shell_model(), task_.flags,
                       takes_images(operation_) ? task_.shell_frames(images_of(operation_)) : "",
                       operation_.needs_output ? "-o " + shell_word(file) : "--json");
  }
  std::string python() const {
    std::vector<std::string> inputs{task_.python_input()};
    if (operation_.takes_sequences()) {
      if (*first_ > 0)
        inputs = {fmt::format("(image for image, *_ in fovea.read_video({}, start={}))", inputs[0],
                              *first_)};
      inputs.push_back(fmt::format("({})", task_.box(", ")));
    } else if (takes_images(operation_)) {
      inputs = task_.python_images(images_of(operation_));
    }
    return fmt::format(
        "fovea.{}.{}({}{}{})", operation_.words.system,
        page_.python.empty() ? operation_.words.verb : page_.python, fmt::join(inputs, ", "),
        task_.model.empty() ? "" : ", model=" + task_.python_model(), task_.keywords);
  }

 private:
  void set(std::string_view option, const std::string& value) {
    AllOptions options{*call_};
    for_each_option(options, [&](const OptionField& field) {
      if (field.name == option) set_option(field, value);
    });
  }
  void put_pixels() { call_->pixels(item_.get()) = clone(pictures_.front()->pixels()); }

  void read() {
    if (takes_frames(operation_)) put_pixels();
    else call_->read(source_of(0), item_.get());
  }
  operations::Source source_of(std::size_t index) const {
    const Run& run = task_.run;
    const bool film = run.of_film();
    const std::shared_ptr<Input>& input = run.inputs[film ? 0 : index];
    operations::Source source{.name = takes_images(operation_) ? input->name() : input->path()};
    if (film && takes_pairs(operation_))
      source.name = fmt::format("frame {}", run.frame_number(index));
    // What lies over the picture of a pair is upright as the picture is.
    const auto picture = index < pictures_.size() ? pictures_[index] : nullptr;
    source.image = [this, input, picture](io::Orientation asked) -> io::AnyImage {
      if (input->kind() != InputKind::kImage) return {clone(picture->pixels())};
      const bool upright = takes_pairs(operation_);
      return io::read_image(input->path(),
                            {.orientation = upright ? io::Orientation::kApply : asked});
    };
    if (index + 1 < pictures_.size())
      source.second = std::make_shared<const operations::Source>(source_of(index + 1));
    return source;
  }

  // Calls a function while the item has its pixels.
  template <class Function>
  std::invoke_result_t<Function> with_pixels(const Function& function) {
    const std::lock_guard lock(*mutex_);
    if (!takes_frames(operation_)) return function();
    put_pixels();
    auto made = function();
    call_->pixels(item_.get()) = {};
    return made;
  }

  const operations::OnPage& page_;
  const Operation& operation_;
  Task task_;
  std::shared_ptr<Call> call_;
  Exec exec_{};
  std::shared_ptr<void> worker_{}, item_{};
  std::vector<std::shared_ptr<const Picture>> pictures_{};
  operations::Step step_{};
  std::optional<std::int64_t> first_{};  // frame of a stream
  std::shared_ptr<ProgressFn> relay_ = std::make_shared<ProgressFn>();
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
};

void put(Shown shown, Result& result) {
  result.summary = std::move(shown.summary);
  result.marks = std::move(shown.marks);
  const auto taken = [](operations::Layer& layer, std::shared_ptr<const Picture> picture) {
    return Layer{layer.name,
                 layer.title,
                 layer.text,
                 std::move(picture),
                 layer.shown,
                 layer.opacity,
                 std::move(layer.colors)};
  };
  for (operations::Layer& layer : shown.layers)
    result.layers.push_back(taken(layer, std::make_shared<Picture>(std::move(layer.pixels))));
  for (operations::Layer& layer : shown.surfaces) result.surfaces.push_back(taken(layer, nullptr));
  result.parts = std::move(shown.parts);
  result.scores = std::move(shown.scores);
  result.true_score = std::move(shown.true_score);
  result.facts = std::move(shown.facts);
}

// What is known of a result besides what it shows, and what is made when it is asked for.
void complete(Result& result, const std::shared_ptr<Work>& work, const Operation& operation) {
  result.title = work->task().title;
  result.folders = work->task().run.folders();
  result.json = work->json();
  result.command = work->command();
  result.python = work->python();
  result.held_bytes = work->held_bytes();
  if (takes_images(operation)) result.picture = [work] { return work->picture(); };
  result.page = [work](const report::Explanation* why) { return work->page(why); };
  result.stem = work->task().stem;
  if (!operation.takes_sequences()) {
    result.files = work->files();
    result.save = [work](const SavedAs& as) { return work->file(as); };
  }
  result.why_hint = operation.on_page.hint;
  if (result.why_hint.empty()) return;
  if (takes_images(operation))
    result.explain = [work](const Place& place, const Exec& exec) {
      return work->explain({.place = place, .frame = place.frame}, exec);
    };
  else
    result.explain_face = [work](std::int64_t face, const Exec& exec) {
      return work->explain({.face = face}, exec);
    };
}

class OperationRunning final : public Running {
 public:
  OperationRunning(SystemView& view, const Operation& operation, Task task, operations::Kept& kept)
      : view_(view),
        operation_(operation),
        pairs_(takes_pairs(operation)),
        work_(operation, view.facts(), std::move(task)) {
    work_.prepare(kept, false);
  }

  void begin(const StreamFrame& frame) override {
    if (pairs_) work_.restart();
    else if (!needs_all()) return;
    work_.read(frame);
    work_.run();
    before_ = frame;
  }
  Result stay(const StreamFrame& frame) override {
    const auto on = [&](std::vector<StreamFrame> frames) {
      return view_.run_on(work_.task().run, std::move(frames), work_.task().exec);
    };
    if (needs_all()) return left(frame);
    if (!pairs_) return on({frame});
    if (!before_) return next(frame);
    Result result = on({*before_, frame});
    begin(frame);
    return result;
  }
  // What is followed may be lost between frames, and the program sees every one.
  bool needs_all() const override { return operation_.takes_sequences(); }

 private:
  Result left(const StreamFrame& frame) {
    stays_ = true;
    Result result = next(frame);
    stays_ = false;
    result.show(frame.picture);
    complete(result, work_.leave(), operation_);
    return result;
  }
  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    const bool whole = work_.read(frame, stays_);
    work_.run();
    watch.lap(work_.verb());
    before_ = frame;
    if (!whole) {
      result.summary = fmt::format("{} begins with the second frame.", view_.facts().title);
      return;
    }
    Shown shown = work_.shown(range_);
    range_ = *shown.range;
    put(std::move(shown), result);
  }

  SystemView& view_;
  const Operation& operation_;
  bool pairs_, stays_ = false;
  Work work_;
  std::optional<StreamFrame> before_{};
  double range_ = 0;  // of colors so far
};

class OperationView final : public SystemView {
 public:
  OperationView(const Operation& operation, const std::string& added)
      : SystemView(facts_of(operation, added)), operation_(operation) {}

  std::string controls() const override {
    const std::unique_ptr<Call> call = operation_.call();
    Controls controls{*call};
    return controls_json(form_of_page(operation_.on_page, controls));
  }

  Result run(const Run& asked, const Exec& exec) override {
    check_input(asked);
    const Run run = takes_images(operation_) ? asked.on_pictures(images_of(operation_)) : asked;
    Result result;
    Stopwatch watch(result.timings);
    const auto work = std::make_shared<Work>(operation_, facts(), task_of(run, exec));
    std::vector<std::shared_ptr<const Picture>> pictures;
    if (takes_images(operation_)) pictures = run.images(images_of(operation_));
    if (!pictures.empty()) result.show(pictures.front());
    work->prepare(kept_, true);
    watch.lap("prepare");
    work->read(std::move(pictures));
    watch.lap("read the input");
    work->run();
    watch.lap(work->verb());
    put(work->shown(), result);
    if (const std::string advice = work->advice(); !advice.empty())
      result.summary += (result.summary.empty() ? "" : " ") + advice;
    work->finish();
    complete(result, work, operation_);
    watch.lap("draw");
    return result;
  }

  std::unique_ptr<Running> begin(const Run& run, const Exec& exec) override {
    if (!facts().streams) return SystemView::begin(run, exec);
    check_box(run);
    return std::make_unique<OperationRunning>(*this, operation_, task_of(run, exec), kept_);
  }

 private:
  Task task_of(const Run& run, const Exec& exec) const {
    const std::string model = model_of(run);
    return {.run = run, .exec = exec, .model = model, .model_hashes = model_hashes(model)};
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
