// A verb of the program, as a table entry. The parser, help, man pages and completion all read the
// table, so that nothing about a verb is written twice.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/options.h>
#include <fovea/core/record.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/console.h"
#include "operations/output.h"
#include "operations/words.h"

namespace fovea::io {
enum class HardwareDecoding : unsigned char;
enum class LiveFrames : unsigned char;
struct InputKind;
}  // namespace fovea::io

namespace fovea::cli {

class Journal;
class NamedFiles;
struct Command;

// How much of each video is read, and how cameras and streams are.
struct VideoLimits {
  int first = 0;       // number of the first frame
  int frames = 0;      // 0: all
  double seconds = 0;  // 0: all
  io::LiveFrames live{};
  double timeout_seconds = 10;
};

// What a verb runs with, besides its own options.
struct Context {
  const Command& command;
  Console& console;
  // Positional arguments. An address stands here as io::source_name() shows it, so that no verb can
  // print a password; address_of() knows the rest.
  std::vector<std::string> inputs;
  Exec exec;                        // is copied into the options of library calls
  bool json = false;                // print the result as JSON
  std::string options_json;         // the options as they are echoed into results
  bool overwrite = false;           // results may replace the files they were made from
  std::uint64_t max_pixels = 0;     // larger images and frames are refused; 0: no limit
  std::uint64_t memory_bytes = 0;   // most memory of the inputs that are worked on at a time
  std::uint64_t most_bytes = 0;     // most memory that the work on one of them may take
  io::HardwareDecoding hardware{};  // decoder of video files
  VideoLimits videos{};
  std::shared_ptr<const NamedFiles> named{};  // by options; null where a test made the context
  std::vector<std::pair<std::string, std::string>> addresses{};  // shown, as given
  double start_seconds = steady_seconds();
  Journal* journal = nullptr;  // where inputs are recorded, or given again
  bool confined = false;       // results may only lie below the current folder
  int unit_frames = 0;         // how many frames are a unit of work; 0 where inputs are the units

  // The device that results name.
  std::string device_name() const;

  // Replaces addresses among the inputs by their names.
  void redact_credentials();
  // What an input that redact_credentials() has renamed was, or the input itself.
  const std::string& address_of(const std::string& input) const;

  // For library calls of verbs that count their inputs or frames themselves.
  Exec exec_without_progress() const {
    Exec quiet = exec;
    quiet.progress = {};
    return quiet;
  }
};

// One call of a verb: its options, and the function that runs it and returns an exit status.
class Request {
 public:
  virtual ~Request() = default;
  // The options in the order of help.
  virtual std::vector<OptionField> fields() = 0;
  // Called when the command's preset was given, before the options beside it are set, so that what
  // is given beside it counts, whatever its value.
  virtual void apply_preset() = 0;
  virtual int run(Context& context) = 0;
};

using RequestFactory = std::function<std::unique_ptr<Request>()>;

template <class Options>
std::vector<OptionField> fields_of(Options& options) {
  std::vector<OptionField> fields;
  for_each_option(options, [&](const OptionField& field) { fields.push_back(field); });
  return fields;
}

// Makes requests of a verb whose options are `Options` (which must have a describe()). Where the
// command has a preset, preset_chosen(Options&) sets the other options.
template <class Options, int (*kRun)(Options&, Context&)>
std::unique_ptr<Request> make_request() {
  class Bound final : public Request {
    Options options_{};
    std::vector<OptionField> fields() override { return fields_of(options_); }
    void apply_preset() override {
      if constexpr (requires { preset_chosen(options_); }) preset_chosen(options_);
    }
    int run(Context& context) override { return kRun(options_, context); }
  };
  return std::make_unique<Bound>();
}

struct NoOptions {};
inline void describe(OptionVisitor&, NoOptions&) {}

using operations::Argument;
using operations::Example;
using operations::kAnyNumber;

// The record that a verb's JSON has: one per input in a list of results, or one alone.
struct ResultShape {
  RecordRef (*record)() = nullptr;  // one with any values; null where the verb prints no result
  bool per_input = false;
  bool per_frame = false;           // of a video, a list of frames has one record each
  RecordRef (*beside)() = nullptr;  // what stands beside the list of results
  // Of a verb that prints JSON lines while it works, one with any values; the result comes last.
  RecordRef (*line)() = nullptr;
  RecordRef (*other)() = nullptr;  // another form that a result alone may have
  bool evaluates = false;          // there is an "evaluation" too, which fovea view opens
  RecordRef (*video)() = nullptr;  // what a video has besides its frames
  std::span<const operations::Output> files{};  // an input's own stand beside its record
};
template <class Record>
RecordRef sample_record() {
  static const Record sample{};
  return record_ref(sample);
}

struct Command {
  std::string_view system;  // "ops"
  std::string_view verb;    // "gradient"; empty for a command of one word, such as info
  std::string_view summary;
  std::string_view text;  // some sentences for help and the man page
  std::vector<Argument> arguments{};
  std::vector<Example> examples{};
  RequestFactory request{};
  std::string_view preset{};  // its option that sets others; empty: none
  ResultShape result{};
  bool computes = true;       // takes device, threads, seed, progress and configuration options
  bool reads_images = false;  // takes --max-pixels
  bool reads_videos = false;  // takes --hardware and how much is read of videos and live sources
  bool takes_first_frame = false;  // takes --first-frame
  bool batches = false;            // works on several inputs or frames at a time and takes --memory
  bool shards = false;  // its inputs are units of work: takes --shard, --resume, --manifest
  bool repeats_per_input = false;  // works on one input; several are worked on one after the other
  bool inputs_form_sequence = false;  // several inputs are one sequence, unless --each is given
  bool ranges_are_units = false;  // and ranges of its frames are units of work: takes --unit-frames
  bool passes_words_on = false;   // what follows its first argument belongs to another command
  std::vector<std::string_view> shared_files{};  // its options that name files of all inputs
  std::string_view
      program{};  // another program that does it (cli/beside); empty where this one does

  std::string name() const {
    return std::string(system) + (verb.empty() ? "" : " ") + std::string(verb);
  }
};

struct System {
  std::string_view name;
  std::string_view summary;
};

// All systems with verbs, in the order of the help; then all commands.
const std::vector<System>& systems();
const std::vector<Command>& commands();
// Returns null where there is no such command.
const Command* find_command(std::string_view system, std::string_view verb);
std::vector<const Command*> verbs_of(std::string_view system);

// The table entries; each is defined in the file that implements it.
Command info_command();
Command merge_command();
Command ray_submit_command();
Command version_command();
Command help_command();
Command completion_command();
Command man_command();
Command schema_command();
Command people_train_command();
Command people_mine_command();
Command people_study_command();
Command flow_eval_command();
Command flow_show_command();
Command flow_scene_command();
Command emd_map_command();
Command emd_scene_command();
Command scenes_train_command();
Command scenes_eval_command();
Command scenes_sample_command();
Command scenes_dictionary_command();
Command scenes_assign_command();
Command scenes_features_command();
Command scenes_classifier_command();
Command scenes_info_command();
Command mesh_eval_command();
Command actions_points_command();
Command actions_train_command();
Command actions_distances_command();
Command actions_recognize_command();
Command actions_eval_command();
Command actions_eval_stream_command();
Command actions_match_command();
Command view_command();
Command people_eval_command();
Command people_eval_tracks_command();
Command people_eval_kernel_command();
Command people_scene_command();

}  // namespace fovea::cli
