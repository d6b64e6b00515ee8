// What a run over many inputs keeps for later: which inputs belong to it, which of them need no
// work any more, and what each has given. A run with --shard, --resume or --manifest writes it to a
// manifest; fovea merge reads it from the manifests of all shards, and gives it again.
#pragma once
#include <fovea/cluster/manifest.h>
#include <fovea/io/record_io.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The options of every command whose inputs are units of work.
struct JournalOptions {
  std::string shard{};     // such as 0/4; empty for the whole job
  bool resume = false;     // continue a manifest that is there
  std::string manifest{};  // empty for a name that tells the command and the shard

  bool wanted() const { return resume || !shard.empty() || !manifest.empty(); }
};
void describe(OptionVisitor& visit, JournalOptions& options);

// What one input has given.
struct UnitResult {
  std::string line{};                // for people
  std::string members{};             // for programs, as JSON
  std::string early{};               // JSON that was printed before `members`
  std::string shared{};              // what it adds to the files that all inputs share
  std::vector<std::string> files{};  // its own files
  std::string message{};             // why it failed; empty where it did not
  int status = 0;                    // the exit status of a failure

  // What it adds, as the record that was packed. Throws FormatError where bytes are missing.
  void read(RecordRef record) const {
    std::string_view bytes = shared;
    io::unpack_record(bytes, record);
  }
  template <class Record>
  Record record() const {
    Record record{};
    read(record_ref(record));
    return record;
  }
};
// What the payload of a manifest's record has; the rest has fields of its own there.
void describe(FieldVisitor& visit, UnitResult& result);

// What a manifest's record of an input holds. Throws FormatError where bytes are missing.
UnitResult result_of(const cluster::UnitRecord& record);

// What tells without reading it that a file has changed. Folders and what cannot be found have
// none.
struct FileStamp {
  std::uint64_t size = 0;
  std::uint64_t time = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

inline constexpr const char* kChangedMeanwhile =
    "changed while it was worked on; run it again with --resume";

// The files that units are made from. Many units may share one list, which is hashed once.
class UnitFiles {
 public:
  explicit UnitFiles(std::vector<std::string> files);
  // Several threads may call it.
  cluster::FileIdentity identity() const;
  FileStamp stamp() const;

 private:
  struct List;
  std::shared_ptr<List> list_;
};

// The units of a job in their order.
struct UnitList {
  std::vector<std::string> names{};
  // What a unit is made from, where its name is not that of a file or says not all; several threads
  // may call it.
  std::function<UnitFiles(std::size_t unit)> files{};
  std::uint64_t hash = 0;  // of what all shards must have in common beside names and options
};
// Units that are all made from the same files.
UnitList units_from(std::vector<std::string> names, std::vector<std::string> files);

class Journal {
 public:
  virtual ~Journal() = default;

  // The names of all inputs, where they are known without looking for them.
  virtual const std::vector<std::string>* inputs() const { return nullptr; }
  // The device that results name, where that is not the one in use.
  virtual std::string device() const { return {}; }
  // Whether this run sees every input, so that it writes the files that all inputs share.
  virtual bool whole() const = 0;

  // Must be called before what follows, with a list that stays where it is.
  virtual void begin(const Context& context, const UnitList& units) = 0;
  // The inputs that belong to this run.
  virtual cluster::UnitRange range() const = 0;
  // Those from `first` up to `last` that are to be worked on.
  virtual std::vector<std::size_t> open_units(std::size_t first, std::size_t last) = 0;
  // What an input of this run that is not open has given.
  virtual UnitResult result(std::size_t unit) = 0;

  virtual FileStamp stamp(std::size_t) const { return {}; }
  // Sizes and hashes of an input and of the files it gave; several threads may call it.
  virtual cluster::UnitRecord measure(std::size_t unit,
                                      const std::vector<std::string>& written) const = 0;
  // Removes what a killed run has left of a file that it was writing; several threads may call it.
  virtual void remove_partial_output(const std::string&) const {}
  // Brings what was kept to the disk. Throws WriteError.
  virtual void flush() {}
  // Keeps what an input has given. Throws WriteError.
  virtual void add(cluster::UnitRecord record, const UnitResult& result) = 0;

  // Tells that a unit has failed of which the verb's own exit status says nothing.
  void note_failure() { failed_ = true; }
  bool noted_failure() const { return failed_; }

 private:
  bool failed_ = false;
};

// What a manifest records of a command line.
struct JournaledCommand {
  std::vector<std::string> words{};  // behind the name of the program
  std::string options{};             // that results depend on, and names of files, as JSON
  std::uint64_t files = 0;           // hash of the models and other files that options name
};

// The hash of a file that an option names, or of all files in a folder, or of all files that a name
// with {} stands for; 0 where there is none.
std::uint64_t hash_of_named(const std::string& name);

// Throws InvalidArgument that names an input which cannot be read twice.
[[noreturn]] void refuse_to_repeat(const std::string& input);

// Writes a manifest. Throws InvalidArgument where `options` are wrong.
std::unique_ptr<Journal> recording_journal(const JournalOptions& options,
                                           const JournaledCommand& command);
// How a merge compares the files that shards wrote with what their manifests say.
enum class MergeCheck : unsigned char { kContents, kSizes };
std::span<const Choice> choices(MergeCheck);

// Gives the results in the manifests of all shards again. Throws InvalidArgument where shards are
// missing or not of one job, and FormatError that names inputs without a result, or a file that is
// not as its shard wrote it.
std::unique_ptr<Journal> merging_journal(std::vector<cluster::Manifest> parts,
                                         MergeCheck check = MergeCheck::kContents);

// The name of the manifest that a command writes where none is given.
std::string default_manifest(const Command& command, cluster::Shard shard);

// The names of the units of the job that is merged; null where none is.
const std::vector<std::string>* merged_units(const Context& context);

// The names of the inputs that a verb works on: those that the words of the command line stand for,
// or those of the job that is merged.
std::vector<std::string> unit_inputs(const Context& context, const io::InputKind& kind);

// Whether the run writes the files that all inputs share; a shard leaves them to fovea merge.
bool writes_shared_files(const Context& context);

// How many of the inputs of a run have failed, and the exit status of the first failure.
struct FailedInputs {
  std::size_t failed = 0;
  std::size_t inputs = 0;
  int first_status = 0;
};
// The exit status of a run over inputs: kSomeFailed where some have failed, and that of the first
// failure where all have. A shard does not know about the others' inputs: it always ends with
// kSomeFailed, and fovea merge with the status of the whole job.
int exit_status(const Context& context, const FailedInputs& inputs);

}  // namespace fovea::cli
