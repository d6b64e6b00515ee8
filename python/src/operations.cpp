// fovea.operations: the verbs of the program as Python calls them. Everything about a verb comes
// from its Operation (src/operations/operation.h): its options as keywords, what it takes and
// gives.
#include "operations.h"

#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "array_rules.h"
#include "errors.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using operations::Call;
using operations::InputKind;
using operations::Operation;
using operations::Output;
using operations::Plan;

// Pairs, and what is no image, mesh or video, have functions of their own.
bool takes_one_input(const Operation& operation) {
  if (operation.input == InputKind::kMesh || follows_video(operation)) return true;
  const bool image =
      operation.input == InputKind::kImage || operation.input == InputKind::kImageOrVideo;
  return image && !operation.alone;
}

// What a run has made, while Python keeps it to write its files.
struct Made {
  std::shared_ptr<void> item;
  std::string name;  // of the input
  nb::object input;  // to which the item may refer
};

// What an operation does besides giving a result: the files that it writes, and how.
struct Files {
  Files(Session& session, const nb::dict& paths, const nb::dict& options) {
    detail::set_keywords(options_of<&Session::each_file_option>(session), options, "run");
    for (const auto& [name, path] : paths) {
      std::string keyword = text_of(name);
      std::ranges::replace(keyword, '_', '-');
      const std::size_t output = output_of(session.operation, {}, keyword);
      all.emplace_back(output, nb::cast<std::string>(path));
      require_ending(session.operation.outputs[output], all.back().second);
    }
  }
  std::vector<std::pair<std::size_t, std::string>> all{};
};

// An operation with its options, which runs for one input after another.
class Operated {
 public:
  Operated(const std::string& name, const nb::dict& keywords, const nb::dict& sources,
           const nb::tuple& files, const std::string& caller)
      : session_(prepared(name, keywords, caller)),
        sources_(session_, sources),
        files_(session_, nb::dict(files[0]), nb::dict(files[1])),
        models_(text_of(nb::object(files[2]))),
        worker_(session_.exec, [this](const Exec& exec) {
          session_.call->begin(exec, plan_);
          return session_.call->make_worker(exec);
        }) {
    plan_.image = [this](const std::string& path) {
      return read_file(session_.operation, path, io::Orientation::kIgnore);
    };
    plan_.inputs = {"-"};  // as frames come through a pipe
    plan_.json = true;     // results are values
    plan_.note = [](const std::string&) {};
    plan_.kept = &sources_.models;
    for (const auto& [output, path] : files_.all)
      plan_.files[std::string(session_.operation.outputs[output].name)] = {path};
    in_words_of_python([&] {
      session_.call->check();
      session_.call->settle(plan_);
      for (const auto& [output, path] : files_.all) require_output(*session_.call, output);
    });
  }

  // The fields of the result by name; the images that belong to it; and, where the caller keeps it,
  // what can be saved. `frame` is the number of a video's frame.
  nb::tuple run(const std::string& name, nb::handle value, const nb::dict& given, bool keeps,
                std::int64_t frame) {
    Input input(session_.operation, value, worker_.stream());
    input.source.name = is_path(value) ? input.source.name : name;
    for (const auto& [option, each] : sources_.values) input.add(session_.operation, option, each);
    for (const auto& [option, each] : given) input.add(session_.operation, text_of(option), each);
    if (keeps) input.source.pixels = nullptr;  // which may be gone when the result is saved
    Call& call = *session_.call;
    for (const auto& [output, path] : files_.all)
      input.source.files[std::string(session_.operation.outputs[output].name)] = path;
    const auto item = worker_.call({call.work() * input.elements}, nb::none(),
                                   [&](const std::shared_ptr<void>& worker) {
                                     std::shared_ptr<void> made = call.make_item();
                                     call.read(input.source, made.get());
                                     call.place({frame, 0}, made.get());
                                     call.run(worker.get(), made.get());
                                     if (call.follows()) call.follow(made.get());
                                     return made;
                                   });
    if (!follows_video(session_.operation))  // whose files have all frames
      for (const auto& [output, path] : files_.all)
        write(SavedItem{call, item, {.input = input.source.name}}, output, path);
    const RecordRef result = call.result(item.get());
    nb::dict values = keeps ? copied_record(result) : dict_of_record(result, session_.exec.device);
    return nb::make_tuple(values, images_of(item, input),
                          keeps ? nb::cast(Made{item, name, nb::borrow(value)}) : nb::none());
  }

  void save(const Made& made, const std::string& path, const std::string& output) {
    write(SavedItem{*session_.call, made.item, {.input = made.name}},
          output_of(session_.operation, path, output), path);
  }

  void stop() { worker_.stop(); }
  nb::dict options() const { return detail::option_values(run_options(session_)); }
  nb::list words() const {
    const Session usual(name_of(session_.operation));
    return detail::option_words(run_options(session_), run_options(usual));
  }

 private:
  static Session prepared(const std::string& name, const nb::dict& keywords,
                          const std::string& caller) {
    Session session(name);
    if (!takes_one_input(session.operation))
      throw InvalidArgument(name +
                            " does not take one image, mesh or video; its system has a function");
    detail::set_keywords(run_options(session), keywords, caller);
    Device& device = session.exec.device;
    device = session.operation.on_processor ? Device::cpu() : usable_device(device);
    return session;
  }

  void write(const SavedItem& entry, std::size_t output, const std::string& path) {
    const MadeBy by{to_string(session_.exec.device), models_};
    worker_.call({}, nb::none(), [&](const std::shared_ptr<void>&) {
      write_entries(session_, {&entry, 1}, output, path, by);
      return true;
    });
  }

  // Images of the kind of the input have its order of colors.
  nb::list images_of(const std::shared_ptr<void>& item, const Input& input) const {
    nb::list all;
    if (const std::vector<io::AnyImage>* images = session_.call->images(item.get()))
      for (const io::AnyImage& image : *images) {
        nb::object pixels = to_numpy(copied(image.view()));
        if (array_rules().bgr && input.is_like(image))
          pixels = nb::cast(nb::ndarray<nb::numpy>(gathered(nb::cast<AnyArray>(pixels), true)));
        all.append(pixels);
      }
    return all;
  }

  Session session_;
  Sources sources_;
  Files files_;
  std::string models_;  // their hashes by their names, as JSON
  Plan plan_{};
  LazyFace<std::shared_ptr<void>> worker_;
};

nb::dict described_output(const Operation& operation, const Output& output) {
  nb::dict entry;
  entry["name"] = std::string(output.name);
  entry["help"] = std::string(output.help);
  entry["file"] = endings_of(output);
  entry["shared"] = is_shared(operation, output);
  return entry;
}

nb::dict described(const Operation& operation) {
  const Session usual(name_of(operation));
  nb::dict entry;
  entry["name"] = name_of(operation);
  entry["text"] = std::string(operation.words.text);
  entry["mesh"] = operation.input == InputKind::kMesh;
  entry["video"] = follows_video(operation);
  entry["needs_output"] = operation.needs_output;
  entry["options"] = detail::option_table(run_options(usual));
  entry["sources"] = detail::option_table(options_of<&Session::each_source>(usual));
  entry["file_options"] = detail::option_table(options_of<&Session::each_file_option>(usual));
  const std::shared_ptr<void> item = usual.call->make_item();
  entry["fields"] = described_fields(operation.takes_sequences() ? usual.call->result(item.get())
                                                                 : operation.sample());
  entry["images"] = usual.call->images(item.get()) != nullptr;
  nb::list outputs;
  for (const Output& output : operation.outputs)
    if (is_saved(operation, output)) outputs.append(described_output(operation, output));
  entry["outputs"] = outputs;
  return entry;
}

// Tables of the options and fields of each operation, in the part of its system.
void bind_tables_of(const Operation& operation, nb::module_& parent) {
  nb::object part = parent.attr(std::string(operation.words.system).c_str());
  std::string verb(operation.words.verb);
  std::ranges::replace(verb, '-', '_');
  const auto add = [&](const char* what, auto function) {
    const std::string name = verb + what;
    if (!nb::hasattr(part, name.c_str()) && nb::len(function()) > 0)
      nb::borrow<nb::module_>(part).def(name.c_str(), function);
  };
  add("_options",
      [&operation] { return detail::option_table(run_options(Session(name_of(operation)))); });
  add("_save_options", [&operation] {
    const Session usual(name_of(operation));
    return detail::option_table(options_of<&Session::each_file_option>(usual));
  });
  add("_fields", [&operation] { return described_fields(operation.sample()); });
}

}  // namespace

void bind_operations(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("operations");
  nb::class_<Made>(m, "Made");
  nb::class_<Operated>(m, "Operation")
      .def(nb::init<const std::string&, const nb::dict&, const nb::dict&, const nb::tuple&,
                    const std::string&>())
      .def_prop_ro("options", &Operated::options)
      .def_prop_ro("words", &Operated::words)
      .def("run", &Operated::run)
      .def("save", &Operated::save)
      .def("stop", &Operated::stop);
  m.def("names", [] {
    nb::list names;
    for (const Operation& each : operations::operations())
      if (takes_one_input(each)) names.append(name_of(each));
    return names;
  });
  m.def("described", [](const std::string& name) { return described(operation_of(name)); });
  bind_files_of_results(m);
  for (const Operation& each : operations::operations()) bind_tables_of(each, parent);
}

}  // namespace fovea::python
