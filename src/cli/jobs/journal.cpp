#include "cli/jobs/journal.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>

#include "cli/jobs/all_shards.h"
#include "cli/program/run.h"
#include "core/architecture.h"
#include "core/parallel.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using cluster::FileIdentity;
using cluster::Manifest;
using cluster::UnitRecord;
using cluster::UnitStatus;

// All files below a folder but those that are being written.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error) && entry.path().extension() != ".part")
      files.push_back(entry.path().string());
  return files;
}

// Images and cubes: a folder of them may hold other files as well, results among them.
bool may_be_frame(const std::string& path) {
  io::InputKind kind = io::image_files();
  kind.extensions.insert(kind.extensions.end(),
                         {"hdr", "mat", "img", "dat", "raw", "bin", "bsq", "bil", "bip", "cube"});
  return io::has_extension(path, kind);
}

// Zeros where it cannot be read: an input that vanished has failed, and is tried again.
template <class What, class Identify>
FileIdentity identified(const What& what, const Identify& identify) {
  try {
    return identify(what);
  } catch (const Error&) {
    return {};
  }
}

// Adds the samples of cubes, which lie beside their headers.
void add_samples(std::vector<std::string>& files) {
  std::error_code error;
  const std::size_t count = files.size();
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path header(files[i]);
    if (header.extension() != ".hdr") continue;
    const std::string stem = fs::path(header).replace_extension().string();
    for (const char* ending : {"", ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip", ".cube"})
      if (fs::is_regular_file(stem + ending, error)) files.push_back(stem + ending);
  }
}

// The size of all files together, and the hash of their names and contents.
FileIdentity identity_of_files(std::vector<std::string> files) {
  add_samples(files);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  FileIdentity whole;
  cluster::Hasher hasher;
  for (const std::string& file : files) {
    const FileIdentity one = identified(file, cluster::identity_of_file);
    whole.size += one.size;
    hasher.add(file);
    hasher.add({reinterpret_cast<const char*>(&one.hash), sizeof one.hash});
  }
  whole.hash = hasher.result();
  return whole;
}

// The header of a cube stands for the file of its samples as well.
FileIdentity identity_of_files_of(const std::string& input) {
  if (!input.ends_with(".hdr")) return cluster::identity_of_file(input);
  return identity_of_files({input});
}

// An input may be a folder or a glob of images.
FileIdentity identity_of(const std::string& input) {
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (fs::is_directory(status)) {
    std::vector<std::string> files = files_below(input);
    std::erase_if(files, [](const std::string& file) { return !may_be_frame(file); });
    return identity_of_files(std::move(files));
  }
  if (!fs::exists(status) && input.find_first_of("*?[") != std::string::npos)
    return identity_of_files(io::expand_inputs(std::span(&input, 1), io::image_files()));
  return identity_of_files_of(input);
}

// A result may be a folder.
FileIdentity identity_of_result(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? identity_of_files(files_below(path))
                                       : cluster::identity_of_file(path);
}

FileStamp stamp_of_one(const std::string& file) {
  struct stat state {};  // one call to the system, since this is done twice per input
  if (stat(file.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return {};
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  return {static_cast<std::uint64_t>(state.st_size),
          static_cast<std::uint64_t>(state.st_mtim.tv_sec) * kNanoseconds +
              static_cast<std::uint64_t>(state.st_mtim.tv_nsec)};
}

// Of all files together.
FileStamp stamp_of(std::vector<std::string> files) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // so that the order of files matters
  add_samples(files);
  FileStamp stamp;
  for (const std::string& file : files) {
    const FileStamp one = stamp_of_one(file);
    stamp.size = stamp.size * kOdd + one.size;
    stamp.time = stamp.time * kOdd + one.time;
  }
  return stamp;
}

std::uint64_t hash_of_names(const std::vector<std::string>& names) {
  cluster::Hasher hasher;
  for (const std::string& name : names) {
    hasher.add(name);
    hasher.add(std::string_view("\0", 1));
  }
  return hasher.result();
}

// Files are written under names such as .photo.png.1234.0.part and then renamed. What a killed run
// has left of them is found once per folder.
class PartialFiles {
 public:
  // Of a file, or of any file in a folder, that is complete.
  void remove(const std::string& file) {
    std::error_code ignored;
    const fs::path path(file);
    if (fs::is_directory(path, ignored)) {
      for (const auto& [name, part] : parts_in(file)) fs::remove(part, ignored);
      return;
    }
    const std::string folder = path.parent_path().string();
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] = found_.try_emplace(folder);
    if (is_new) place->second = parts_in(folder.empty() ? "." : folder);
    const auto [first, last] = place->second.equal_range(path.filename().string());
    for (auto each = first; each != last; ++each) fs::remove(each->second, ignored);
    place->second.erase(first, last);
  }

 private:
  using Parts = std::multimap<std::string, fs::path>;  // by the name of the file

  static Parts parts_in(const std::string& folder) {
    Parts parts;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with('.') || !name.ends_with(".part")) continue;
      std::string file = name.substr(1, name.size() - 6);
      for (int numbers = 0; numbers < 2 && !file.empty(); ++numbers)
        file.resize(std::min(file.rfind('.'), file.size()));
      parts.emplace(file, entry.path());
    }
    return parts;
  }

  std::mutex mutex_{};
  std::map<std::string, Parts> found_{};
};

class Recording final : public Journal {
 public:
  Recording(const JournalOptions& options, JournaledCommand command)
      : shard_(options.shard.empty() ? cluster::Shard{} : cluster::parse_shard(options.shard)),
        resume_(options.resume),
        path_(options.manifest),
        command_(std::move(command)) {}

  bool whole() const override { return shard_.count == 1; }

  void begin(const Context& context, const UnitList& units) override {
    const std::vector<std::string>& inputs = units.names;
    for (const std::string& input : inputs)
      if (input == "-" || io::is_live_source(input)) refuse_to_repeat(input);
    if (path_.empty()) path_ = default_manifest(context.command, shard_);
    units_ = &units;
    exec_ = context.exec_without_progress();
    range_ = cluster::units_of(shard_, inputs.size());
    const bool there = fs::exists(path_);
    writer_.emplace(
        path_, cluster::ManifestWriter::Start{.job = {.version = FOVEA_VERSION,
                                                      .architecture = detail::kArchitecture,
                                                      .command = context.command.name(),
                                                      .options = options_on(context.exec.device),
                                                      .models = command_.files,
                                                      .inputs = hash_of_names(inputs),
                                                      .units = inputs.size()},
                                              .shard = shard_,
                                              .words = command_.words,
                                              .resume = resume_});
    if (there) known_.emplace(path_);
    context.console.explain(fmt::format("{}: {} of {} are recorded from input {} on", path_,
                                        range_.size(), detail::counted(inputs.size(), "input"),
                                        range_.first + 1));
  }

  cluster::UnitRange range() const override { return range_; }

  std::vector<std::size_t> open_units(std::size_t first, std::size_t last) override {
    first = std::max<std::size_t>(first, range_.first);
    last = std::min<std::size_t>(last, range_.last);
    std::vector<std::size_t> open;
    if (first >= last) return open;
    std::vector<char> valid(last - first, 0);
    if (known_)
      parallel_for(exec_, static_cast<std::int64_t>(last - first), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const auto place = static_cast<std::size_t>(i);
                       valid[place] = still_valid(first + place) ? 1 : 0;
                     }
                   });
    for (std::size_t unit = first; unit < last; ++unit)
      if (valid[unit - first] == 0) open.push_back(unit);
    return open;
  }

  UnitResult result(std::size_t unit) override { return result_of(record(unit)); }

  UnitRecord measure(std::size_t unit, const std::vector<std::string>& written) const override {
    UnitRecord record{.unit = unit, .input = units_->names[unit]};
    record.identity = identity_of_unit(unit);
    std::error_code error;
    for (const std::string& file : written) {
      remove_partial_output(file);
      if (fs::exists(file, error))
        record.outputs.push_back({file, identified(file, identity_of_result)});
    }
    return record;
  }

  void remove_partial_output(const std::string& file) const override {
    if (known_ || resume_) partial_files_.remove(file);
  }

  FileStamp stamp(std::size_t unit) const override {
    return units_->files ? units_->files(unit).stamp() : stamp_of({units_->names[unit]});
  }

  void flush() override { writer_->flush(); }

  void add(UnitRecord record, const UnitResult& result) override {
    record.status = result.message.empty() ? UnitStatus::kDone : UnitStatus::kFailed;
    record.message = result.message;
    record.payload = io::pack_record(record_ref(result));
    writer_->add(record);
  }

 private:
  // The options begin with the device, because results name it; GPUs of one machine are alike. What
  // the units are made of comes next: unlike files that options name, a merge need not find it.
  std::string options_on(Device device) const {
    if (device.kind == DeviceKind::kCuda) device.index = 0;
    const std::string source =
        units_->hash == 0 ? ""
                          : fmt::format("\"hash of frame names\": \"{:016x}\", ", units_->hash);
    return fmt::format("{{\"device\": \"{}\", {}{}", to_string(device), source,
                       command_.options.substr(1));
  }

  UnitRecord record(std::size_t unit) const {
    const std::scoped_lock lock(reading_);
    return known_->record(unit);
  }

  FileIdentity identity_of_unit(std::size_t unit) const {
    return units_->files ? units_->files(unit).identity()
                         : identified(units_->names[unit], identity_of);
  }

  // Whether the unit was done, and its input and its files are as they were then.
  bool still_valid(std::size_t unit) const {
    if (known_->status(unit) != UnitStatus::kDone) return false;
    const UnitRecord before = record(unit);
    if (before.input != units_->names[unit] || identity_of_unit(unit) != before.identity)
      return false;
    return std::ranges::all_of(before.outputs, [](const cluster::UnitOutput& output) {
      return identified(output.path, identity_of_result) == output.identity;
    });
  }

  cluster::Shard shard_;
  bool resume_;
  std::string path_;
  JournaledCommand command_;
  const UnitList* units_ = nullptr;
  Exec exec_{};
  cluster::UnitRange range_{};
  std::optional<cluster::ManifestWriter> writer_{};
  std::optional<Manifest> known_{};  // what it held when this run began
  mutable std::mutex reading_{};
  mutable PartialFiles partial_files_{};
};

class Merging final : public Journal {
 public:
  Merging(std::vector<Manifest> parts, MergeCheck check) : parts_(std::move(parts)), check_(check) {
    require_all_shards(parts_);
    read_names();
    device_ = parts_.front().job().options;
    constexpr std::string_view kBefore = "{\"device\": \"";
    device_ =
        device_.starts_with(kBefore)
            ? device_.substr(kBefore.size(), device_.find('"', kBefore.size()) - kBefore.size())
            : "cpu";
  }

  const std::vector<std::string>* inputs() const override { return &names_; }
  std::string device() const override { return device_; }
  bool whole() const override { return true; }

  void begin(const Context&, const UnitList& units) override {
    if (hash_of_names(units.names) != parts_.front().job().inputs)
      throw FormatError(fmt::format(
          "the command finds {} now, whose names are not those of the {} in the manifests",
          detail::counted(units.names.size(), "input"), names_.size()));
  }
  cluster::UnitRange range() const override { return {0, names_.size()}; }
  std::vector<std::size_t> open_units(std::size_t, std::size_t) override { return {}; }
  UnitResult result(std::size_t unit) override { return result_of(part_of(unit).record(unit)); }
  UnitRecord measure(std::size_t, const std::vector<std::string>&) const override { return {}; }
  void add(UnitRecord, const UnitResult&) override {}
  void remove_partial_output(const std::string& file) const override {
    partial_files_.remove(file);
  }

 private:
  // Contents are compared too, unless sizes are enough; those of folders always are.
  void check_output(const Manifest& part, const cluster::UnitOutput& output) const {
    std::error_code error;
    const bool folder = fs::is_directory(output.path, error);
    const bool fits = folder || fs::file_size(output.path, error) == output.identity.size;
    const bool whole = folder || check_ == MergeCheck::kContents;
    if (!fits || (whole && identified(output.path, identity_of_result) != output.identity))
      throw FormatError(fmt::format(
          "{}: is missing or has changed since shard {} wrote it; run that shard again with "
          "--resume, in the folder in which it ran",
          output.path, to_string(part.shard())));
  }

  static std::string named(const Manifest& part) {
    return part.shard().count > 1 ? "shard " + to_string(part.shard()) : part.path();
  }

  // A manifest may claim any number of units: it is not counted to before all are there.
  void require_all_units() const {
    constexpr std::size_t kNamed = 5;
    std::vector<std::string> missing;
    std::uint64_t count = 0;
    for (const Manifest& part : parts_) {
      const cluster::UnitRange range = units_of(part.shard(), part.job().units);
      count += range.size() - part.done() - part.failed();
      for (std::uint64_t unit = range.first; unit < range.last && missing.size() < kNamed; ++unit)
        if (!part.status(unit)) missing.push_back(fmt::format("{} ({})", unit + 1, named(part)));
    }
    if (count > 0)
      throw FormatError(fmt::format("{} no result yet: number {}; run {} again with --resume",
                                    count == 1 ? "an input has" : "inputs have",
                                    some_of(missing, count),
                                    parts_.size() > 1 ? "those shards" : "the command"));
  }

  void read_names() {
    require_all_units();
    names_.reserve(parts_.front().job().units);
    for (const Manifest& part : parts_) {
      const cluster::UnitRange range = units_of(part.shard(), part.job().units);
      for (std::uint64_t unit = range.first; unit < range.last; ++unit) {
        const UnitRecord record = part.record(unit);
        if (record.status == UnitStatus::kDone)
          for (const cluster::UnitOutput& output : record.outputs) check_output(part, output);
        names_.push_back(record.input);
      }
      part.close();
    }
    if (hash_of_names(names_) != parts_.front().job().inputs)
      throw FormatError(fmt::format("{}: the names of its inputs are not those of the job",
                                    parts_.front().path()));
  }

  // Units come in their order, so that one file at a time is open.
  const Manifest& part_of(std::uint64_t unit) {
    while (!units_of(parts_[part_].shard(), parts_[part_].job().units).has(unit)) {
      parts_[part_].close();
      part_ = (part_ + 1) % parts_.size();
    }
    return parts_[part_];
  }

  std::vector<Manifest> parts_;
  MergeCheck check_;
  std::size_t part_ = 0;  // the one that is read
  std::vector<std::string> names_{};
  std::string device_{};
  mutable PartialFiles partial_files_{};
};

}  // namespace

void describe(FieldVisitor& visit, UnitResult& result) {
  visit("line", result.line, "for people");
  visit("members", result.members, "for programs, as JSON");
  visit("early", result.early, "JSON that was printed before the members");
  visit("shared", result.shared, "what it adds to the files that all inputs share");
  visit("status", result.status, "the exit status of a failure");
}

UnitResult result_of(const UnitRecord& record) {
  UnitResult result;
  std::string_view bytes = record.payload;
  io::unpack_record(bytes, record_ref(result));
  result.message = record.message;
  for (const cluster::UnitOutput& output : record.outputs) result.files.push_back(output.path);
  return result;
}

struct UnitFiles::List {
  std::vector<std::string> files{};
  std::once_flag once{};
  FileIdentity identity{};
};

UnitFiles::UnitFiles(std::vector<std::string> files) : list_(std::make_shared<List>()) {
  list_->files = std::move(files);
}

FileIdentity UnitFiles::identity() const {
  std::call_once(list_->once, [this] { list_->identity = identity_of_files(list_->files); });
  return list_->identity;
}

FileStamp UnitFiles::stamp() const { return stamp_of(list_->files); }

UnitList units_from(std::vector<std::string> names, std::vector<std::string> files) {
  return {std::move(names),
          [all = UnitFiles(std::move(files))](std::size_t) -> const UnitFiles& { return all; }};
}

void refuse_to_repeat(const std::string& input) {
  throw InvalidArgument(fmt::format(
      "{}: cannot be read a second time, and a manifest is for work that can be repeated; "
      "name a file, or leave out --shard, --resume and --manifest",
      input == "-" ? "standard input" : input));
}

void describe(OptionVisitor& visit, JournalOptions& options) {
  visit("shard", options.shard,
        "work on one part of the inputs only: 0/4 is the first of four; each part has a manifest, "
        "and fovea merge joins them",
        {.value_name = "I/N"});
  visit("resume", options.resume,
        "continue the manifest of a run that ended early: inputs that are done are not worked on "
        "again, unless they or their results have changed");
  visit.path("manifest", options.manifest, TextUse::kOutput,
             "file that records which inputs are done; with --shard or --resume its default is a "
             "name made of the command, such as people-detect-0-of-4.manifest");
}

std::uint64_t hash_of_named(const std::string& name) {
  std::error_code error;
  const std::size_t braces = name.find("{}");
  std::vector<std::string> files;
  if (braces != std::string::npos) {
    const std::string folder = fs::path(name).parent_path().string();
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
      const std::string path = folder.empty() ? entry.path().filename() : entry.path();
      if (path.starts_with(name.substr(0, braces)) && path.ends_with(name.substr(braces + 2)))
        files.push_back(path);
    }
  } else if (fs::is_directory(name, error)) {
    files = files_below(name);
  } else if (fs::is_regular_file(name, error)) {
    // Its name is one of the options; a model may lie elsewhere on another machine.
    if (!name.ends_with(".hdr")) return cluster::identity_of_file(name).hash;
    files = {name};
  }
  return files.empty() ? 0 : identity_of_files(std::move(files)).hash;
}

std::unique_ptr<Journal> recording_journal(const JournalOptions& options,
                                           const JournaledCommand& command) {
  return std::make_unique<Recording>(options, command);
}

std::span<const Choice> choices(MergeCheck) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"contents", static_cast<int>(MergeCheck::kContents)},
       {"sizes", static_cast<int>(MergeCheck::kSizes)}}};
  return kChoices;
}

std::unique_ptr<Journal> merging_journal(std::vector<cluster::Manifest> parts, MergeCheck check) {
  return std::make_unique<Merging>(std::move(parts), check);
}

std::string default_manifest(const Command& command, cluster::Shard shard) {
  std::string name = command.name();
  std::ranges::replace(name, ' ', '-');
  if (shard.count > 1) name += fmt::format("-{}-of-{}", shard.index, shard.count);
  return name + ".manifest";
}

const std::vector<std::string>* merged_units(const Context& context) {
  return context.journal != nullptr ? context.journal->inputs() : nullptr;
}

std::vector<std::string> unit_inputs(const Context& context, const io::InputKind& kind) {
  const std::vector<std::string>* merged = merged_units(context);
  return merged != nullptr ? *merged : io::expand_inputs(context.inputs, kind);
}

bool writes_shared_files(const Context& context) {
  return context.journal == nullptr || context.journal->whole();
}

int exit_status(const Context& context, const FailedInputs& inputs) {
  if (inputs.failed == 0) return kDone;
  const bool all = inputs.failed == inputs.inputs && writes_shared_files(context);
  return all ? inputs.first_status : kSomeFailed;
}

}  // namespace fovea::cli
