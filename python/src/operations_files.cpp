// Files of results that Python keeps: the ones that the program writes, by the table of outputs of
// each operation.
#include <fovea/core/error.h>
#include <fovea/io/image_path.h>
#include <fovea/io/result_json.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/words.h"
#include "operations.h"
#include "records.h"
#include "run.h"

namespace fovea::python {
namespace {

using operations::Call;
using operations::Operation;
using operations::Output;
using operations::Plan;
using operations::Share;

bool is_image_name(const std::string& path) {
  try {
    io::require_image_path(path);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

// What made a file of results, as the program says it there.
std::string origin_of(Session& session, std::size_t written, const std::string& path,
                      const MadeBy& by) {
  std::string options;
  const auto add = [&](const std::string& name, const std::string& json) {
    options += fmt::format("{}\"{}\": {}", options.empty() ? "" : ", ", name, json);
  };
  const auto add_field = [&](const OptionField& field) {
    if (field.name != "output" && field.name != "threads") add(field.name, option_json(field));
  };
  std::vector<operations::NamedOutput> named(session.operation.outputs.size());
  named[written].path = path;
  for (const OptionField& field :
       operations::option_fields(session.operation, *session.call, named))
    add_field(field);
  for_each_option(session.exec, add_field);
  // The limits of the program's reading, which are no options here.
  add("max-pixels", std::to_string(io::ImageReadOptions().max_pixels));
  if (session.operation.input == operations::InputKind::kImageOrVideo) {
    for (const char* name : {"first-frame", "frames", "seconds"}) add(name, "0");
    add("live", "\"auto\"");
  }
  const io::ResultOrigin origin{.command = name_of(session.operation),
                                .device = by.device,
                                .seed = session.exec.seed,
                                .options = "{" + options + "}",
                                .models = by.models};
  return "{" + io::origin_members(origin) + "}";
}

// The picture of a result. The pixels of its input stay as they are.
Image<std::uint8_t> picture_of(const SavedItem& entry) {
  Image<std::uint8_t>& pixels = entry.call.pixels(entry.item.get());
  if (pixels.empty())
    throw InvalidArgument("the image is not part of this result; give it beside the path");
  Image<std::uint8_t> kept = clone(pixels);
  entry.call.draw(entry.item.get());
  return std::exchange(pixels, std::move(kept));
}

// The outputs of an operation that fit, and how their names end.
std::string files_of(const Operation& operation, bool (*fits)(const Operation&, const Output&)) {
  std::string known;
  for (const Output& output : operation.outputs)
    if (is_saved(operation, output) && fits(operation, output))
      known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", output.name, endings_of(output));
  return known;
}

// A result that Python keeps as values, with what made it.
class Kept {
 public:
  Kept(const std::string& name, const nb::dict& result, const nb::dict& keywords)
      : session(name),
        by{nb::cast<std::string>(result["device"]), nb::cast<std::string>(result["models"])} {
    detail::set_keywords(run_options(session), result["options"], "save");
    detail::set_keywords(options_of<&Session::each_file_option>(session), keywords, "save");
    const Sources sources(session, result["sources"]);
    place_.input = nb::cast<std::string>(result["name"]);
    if (const nb::object frame = result["frame"]; !frame.is_none())
      place_.moment = {nb::cast<std::int64_t>(frame), nb::cast<double>(result["seconds"])};
    item_ = session.call->make_item();
    if (const nb::object value = result["input"]; !value.is_none()) {
      const auto input = std::make_unique<Input>(session.operation, value, nullptr);
      input->source.name = place_.input;
      input->source.pixels = nullptr;  // because it may be drawn on
      session.call->read(input->source, item_.get());
    }
    fill_record(session.call->result(item_.get()), result["values"]);
  }

  void settle(std::size_t output, const std::string& path) {
    Plan plan{.inputs = {place_.input}};
    plan.files[std::string(session.operation.outputs[output].name)] = {path};
    plan.note = [](const std::string&) {};
    session.call->check();
    session.call->settle(plan);
    require_output(*session.call, output);
  }
  SavedItem entry() { return {*session.call, item_, place_}; }

  Session session;
  MadeBy by;

 private:
  io::Place place_{};
  std::shared_ptr<void> item_{};
};

void save(const std::string& name, const nb::list& results, const std::string& path,
          const std::string& output, const nb::dict& keywords) {
  const Operation& operation = operation_of(name);
  const std::size_t number = output_of(operation, path, output);
  std::vector<std::unique_ptr<Kept>> kept;
  for (const nb::handle result : results)
    kept.push_back(std::make_unique<Kept>(name, nb::cast<nb::dict>(result), keywords));
  in_words_of_python([&] {
    std::vector<SavedItem> entries;
    for (const auto& each : kept) {
      each->settle(number, path);
      entries.push_back(each->entry());
    }
    if (kept.empty()) throw InvalidArgument(path + ": there is no result to write");
    nb::gil_scoped_release gil_release;
    write_entries(kept[0]->session, entries, number, path, kept[0]->by);
  });
}

// Throws InvalidArgument for a path that is none of a file of several results.
void require_shared(const std::string& name, const std::string& path, const std::string& output) {
  const Operation& operation = operation_of(name);
  const Output& about = operation.outputs[output_of(operation, path, output)];
  if (is_shared(operation, about)) return;
  const std::string known = files_of(operation, is_shared);
  throw InvalidArgument(
      fmt::format("{}: {} is a file of one result; {}", fovea::detail::shown(path), about.name,
                  known.empty() ? "save them one by one" : "those of several are " + known));
}

nb::object draw(const std::string& name, const nb::dict& result) {
  Kept kept(name, result, {});
  return picture_to_numpy(unlocked([&] { return picture_of(kept.entry()); }));
}

}  // namespace

void require_output(const Call& call, std::size_t output) {
  if (const std::string why = call.obstacle(output); !why.empty()) throw InvalidArgument(why);
}

std::string endings_of(const Output& output) {
  if (!output.endings.empty()) return fmt::format("{}", fmt::join(output.endings, ", "));
  if (output.share == Share::kOneFolder) return "a folder";
  if (output.picture || output.ending.empty()) return output.picture ? "an image" : "any name";
  return is_image_name("x" + std::string(output.ending)) ? "an image" : std::string(output.ending);
}

void require_ending(const Output& output, const std::string& path) {
  operations::check_ending(output, path);
  const std::string file = endings_of(output);
  if (file == "an image") io::require_image_path(path);
  if (output.endings.empty() && file.starts_with('.') && !path.ends_with(file))
    throw InvalidArgument(fmt::format("{}: {} is written as {}; give a name that ends so",
                                      fovea::detail::shown(path), output.name, file));
}

std::size_t output_of(const Operation& operation, const std::string& path,
                      const std::string& name) {
  const std::vector<Output>& all = operation.outputs;
  const auto first = [&](auto fits) {
    return static_cast<std::size_t>(std::ranges::find_if(all, fits) - all.begin());
  };
  const std::string known = files_of(operation, is_saved);
  if (known.empty())
    throw InvalidArgument(
        fmt::format("{}: {} writes no files", fovea::detail::shown(path), name_of(operation)));
  if (!name.empty()) {
    const std::size_t found = first(
        [&](const Output& output) { return output.name == name && is_saved(operation, output); });
    if (found == all.size())
      throw InvalidArgument(fmt::format("output is '{}'; {} writes {}", fovea::detail::shown(name),
                                        name_of(operation), known));
    if (!path.empty()) require_ending(all[found], path);
    return found;
  }
  const std::string ending = std::filesystem::path(path).extension().string();
  std::size_t found = first([&](const Output& output) {
    const auto& endings = output.endings;
    return !ending.empty() && output.share != Share::kOneFolder && is_saved(operation, output) &&
           (output.ending == ending || std::ranges::find(endings, ending) != endings.end());
  });
  if (found == all.size() && is_image_name(path))
    found = first([&](const Output& output) {
      const std::string file = endings_of(output);
      return output.share == Share::kPerInput && is_saved(operation, output) &&
             (file == "an image" || file == "any name");
    });
  if (found == all.size())
    throw InvalidArgument(fmt::format("{}: {} writes {}; give another ending, or output=\"NAME\"",
                                      fovea::detail::shown(path), name_of(operation), known));
  return found;
}

void write_entries(Session& session, std::span<const SavedItem> entries, std::size_t output,
                   const std::string& path, const MadeBy& by) {
  const Output& about = session.operation.outputs[output];
  if (is_shared(session.operation, about)) {
    const auto file = session.call->open(output, path);
    for (const SavedItem& entry : entries)
      file->add(entry.place, entry.call.result(entry.item.get()));
    return file->commit(origin_of(session, output, path, by));
  }
  if (entries.size() != 1)
    throw InvalidArgument(fmt::format("{}: {} takes one result, and not {}",
                                      fovea::detail::shown(path), about.name, entries.size()));
  if (about.picture) io::write_image(path, picture_of(entries[0]).view());
  else entries[0].call.write(output, entries[0].item.get(), path);
}

void bind_files_of_results(nb::module_& m) {
  m.def("save", &save);
  m.def("draw", &draw);
  m.def("require_shared", &require_shared);
}

}  // namespace fovea::python
