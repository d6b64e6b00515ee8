#include "view/save/save_result.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/result_json.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "operations/files.h"
#include "view/save/zip.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;
using operations::Call;
using operations::Operation;
using operations::Output;
using operations::Share;

constexpr io::WrittenFields kWithoutTimes{.times = false};

// A folder that only this user may enter, while it is needed.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "fovea-save-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw WriteError(fmt::format("{}: no temporary folder can be made", name));
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string bytes_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw IoError(fmt::format("{}: cannot be read again", path.filename().string()));
  return bytes;
}

// How much of which inputs is read, as results record it.
struct Reading {
  bool images = false, videos = false;
  std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels;
  int first = 0, frames = 0;
  double seconds = 0;
  io::LiveFrames live{};
};
void describe(OptionVisitor& visit, Reading& reading) {
  if (reading.images) visit("max-pixels", reading.max_pixels, "", 0, 0x1p62);
  if (!reading.videos) return;
  visit("first-frame", reading.first, "", 0, 2147483647);
  visit("frames", reading.frames, "", 0, 2147483647);
  visit("seconds", reading.seconds, "", 0, 1e9);
  visit("live", reading.live, "");
}

Reading reading_of(const Operation& operation, const Run& run) {
  const bool frames = operation.input == operations::InputKind::kFrames;
  const bool videos =
      operation.input == operations::InputKind::kImageOrVideo || (frames && !operation.alone);
  Reading reading{.images = videos || frames || operation.input == operations::InputKind::kImage,
                  .videos = videos};
  if (!run.of_film()) return reading;
  if (run.inputs.front()->kind() == InputKind::kVideo)
    reading.first = static_cast<int>(run.frame_number());
  reading.frames = operation.pairs.empty() ? 1 : 2;
  return reading;
}

// All options of the program's command that makes the same, of which one may name a file.
std::string options_text(const DoneWork& work, const SavedAs* as) {
  std::vector<operations::NamedOutput> named(work.operation.outputs.size());
  if (as != nullptr) named[as->output].path = as->file;
  std::vector<OptionField> fields = option_fields(work.operation, work.call, named);
  const auto add = [&](const OptionField& field) { fields.push_back(field); };
  Exec exec = work.task.exec;
  for_each_option(exec, add);
  Reading reading = reading_of(work.operation, work.task.run);
  for_each_option(reading, add);
  std::string json;
  for (const OptionField& field : fields)
    if (field.name != "output" && field.name != "threads")  // as the program leaves them out
      json += fmt::format("{}\"{}\": {}", json.empty() ? "" : ", ", field.name, option_json(field));
  return "{" + json + "}";
}

io::ResultOrigin origin_of(const DoneWork& work, const SavedAs* as) {
  const Device device = work.operation.on_processor ? Device::cpu() : work.task.exec.device;
  return {.command = fmt::format("{} {}", work.operation.words.system, work.operation.words.verb),
          .device = to_string(resolve(device)),
          .seed = work.task.exec.seed,
          .options = options_text(work, as),
          .models = work.task.model_hashes};
}

std::optional<io::FrameTime> moment_of(const Run& run) {
  if (!run.of_film()) return {};
  return io::FrameTime{run.frame_number(), run.frames.empty()
                                               ? run.inputs.front()->frame(run.frame)->seconds()
                                               : run.frames.front().seconds};
}

// A file of all inputs, which has one. Labels in a folder name the image as it lies beside them.
void write_shared(const DoneWork& work, const SavedAs& as, const fs::path& folder) {
  const bool labels = work.operation.outputs[as.output].share == Share::kOneFolder;
  io::Place place{work.task.run.input(), moment_of(work.task.run)};
  if (labels && !io::is_live_source(place.input))
    place.input = (folder / fs::path(place.input).filename()).string();
  const auto file =
      work.call.open(as.output, labels ? folder.string() : (folder / as.file).string());
  file->add(place, work.call.result(work.item));
  file->commit("{" + io::origin_members(origin_of(work, &as)) + "}");
}

// A list of all results, which has one.
void write_list(const DoneWork& work, const SavedAs& as, const std::string& path) {
  io::FileSink file(path);
  if (as.file.ends_with(".json")) {
    file.write(saved_json(work));
  } else {
    io::CsvWriter csv(file.sink(), work.call.columns(), {.crlf = false});
    work.call.write_row(csv, {work.task.run.input(), moment_of(work.task.run)}, work.item);
  }
  file.commit();
}

// What stands for all inputs, which make no files.
std::string saved_report(const DoneWork& work) {
  const Run& run = work.task.run;
  operations::Plan plan{.times = false};
  for (const std::shared_ptr<Input>& each : run.inputs) plan.inputs.push_back(each->name());
  operations::Ended ended{.plan = plan, .still = true};
  if (run.of_film()) ended.first_frame = run.frame_number();
  if (!work.operation.takes_sequences()) work.call.tally(work.item);  // where each frame was
  return one_result_json(origin_of(work, nullptr), work.call.report(ended));
}

}  // namespace

std::vector<SavedAs> files_to_save(const Operation& operation, const Call& call, const Task& task) {
  std::vector<SavedAs> files;
  for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
    const Output& output = operation.outputs[i];
    if (!call.obstacle(i).empty()) continue;
    std::vector<std::string_view> endings = output.endings;
    const bool of_frames = operation.input == operations::InputKind::kFrames && !output.picture &&
                           output.share == Share::kPerInput;
    const std::string numbered = of_frames ? "." + call.frame_ending(i) : "";
    if (of_frames) endings = {numbered};
    if (endings.empty() && !output.ending.empty()) endings = {output.ending};
    if (endings.empty()) endings = {output.share == Share::kPerInput ? ".png" : ".txt"};
    if (output.picture) endings = {".png", ".jpg"};
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      files.push_back({.output = i,
                       .kind = kind,
                       .name = std::string(output.name),
                       .file = fmt::format("{}_{}.png", task.stem, output.kinds[kind]),
                       .help = fmt::format("the picture {}", output.kinds[kind])});
    if (!output.kinds.empty()) continue;
    for (std::size_t k = 0; k < endings.size(); ++k) {
      const std::string_view ending = endings[k];
      if (k > 0 && endings[k - 1].starts_with(ending)) continue;  // .htm is .html once more
      const bool plain = output.name == "output" || ending.substr(1) == output.name;
      std::string file = output.share == Share::kOneFolder ? task.run.stem()
                         : plain                           ? task.stem
                                 : fmt::format("{}_{}", task.stem, output.name);
      files.push_back({.output = i,
                       .name = std::string(output.name),
                       .file = file.append(ending),
                       .help = std::string(output.result.empty() ? output.help : output.result)});
    }
  }
  return files;
}

SavedBytes saved_file(const DoneWork& work, const SavedAs& as) {
  const Output& output = work.operation.outputs[as.output];
  const PrivateFolder folder;
  const std::string path = (folder.path() / as.file).string();
  if (output.list != operations::List::kNo) {
    write_list(work, as, path);
  } else if (output.share != Share::kPerInput) {
    write_shared(work, as, folder.path());
  } else if (!output.kinds.empty()) {
    io::write_image(path, work.call.paint(as.output, as.kind, work.item).view());
  } else if (output.picture) {
    work.call.draw(work.item);
    io::write_image(path, work.call.pixels(work.item).view());
  } else {
    work.call.write(as.output, work.item, path);
  }
  std::vector<fs::path> written(fs::directory_iterator(folder.path()), {});
  if (written.size() == 1) return {written.front().filename().string(), bytes_in(written.front())};
  std::ranges::sort(written);
  std::vector<ZipEntry> entries;
  entries.reserve(written.size());
  for (const fs::path& each : written)
    entries.push_back({each.filename().string(), bytes_in(each)});
  return {as.file + ".zip", zip_of(entries)};
}

std::string one_result_json(const io::ResultOrigin& origin, RecordRef result) {
  std::string members;
  io::JsonWriter json(io::string_sink(members));
  json.begin_object();
  io::write_fields(json, result, kWithoutTimes);
  json.end_object().finish();
  return fmt::format("{{\n  {},{}", io::origin_members(origin, ",\n  "), members.substr(1));
}

std::string saved_json(const DoneWork& work) {
  if (work.operation.input == operations::InputKind::kFrames) return saved_report(work);
  std::string members = io::record_members(work.call.saved(work.item), kWithoutTimes);
  if (const auto moment = moment_of(work.task.run))
    members = fmt::format("\"frames\": [{{{}, {}}}], \"dropped\": 0",
                          io::record_members(record_ref(*moment)), members);
  io::ResultOrigin origin = origin_of(work, nullptr);
  origin.beside = work.call.members_before();
  const std::string after = work.call.members_after({.inputs = 1, .times = false});
  return io::single_result_json(origin, work.task.run.input(), members, {.beside = after});
}

}  // namespace fovea::view
