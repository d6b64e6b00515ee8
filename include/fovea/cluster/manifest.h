// The record of a job that can be cut into parts, stopped, resumed and merged: one line per unit of
// work that is done or has failed. Lines are only ever appended, each with a checksum, so that a
// process that dies at any moment leaves at most one torn line, which is cut off when the file is
// opened again.
#pragma once
#include <fovea/cluster/hash.h>
#include <fovea/cluster/shard.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fovea::cluster {

// What two runs must have in common to be parts of one job.
struct JobIdentity {
  std::string version{};       // of the library
  std::string architecture{};  // of the processor, whose sums of floats may differ in the last bit
  std::string command{};       // system and verb
  std::string options{};       // as JSON, without what does not change results, such as threads
  std::uint64_t models = 0;    // hash of the models' files, or 0 where there is none
  std::uint64_t inputs = 0;    // hash of the names of all units, in their order
  std::uint64_t units = 0;     // how many there are in the whole job

  friend bool operator==(const JobIdentity&, const JobIdentity&) = default;
};
// Throws InvalidArgument that names the first difference with both values; `name` is what `found`
// was read from.
FOVEA_API void require_same_job(const JobIdentity& found, const JobIdentity& expected,
                                const std::string& name);

enum class UnitStatus : unsigned char { kDone, kFailed };

// A file that a unit has written.
struct UnitOutput {
  std::string path{};
  FileIdentity identity{};

  friend bool operator==(const UnitOutput&, const UnitOutput&) = default;
};

struct UnitRecord {
  std::uint64_t unit = 0;  // its number in the whole job
  UnitStatus status = UnitStatus::kDone;
  std::string input{};      // its name
  FileIdentity identity{};  // of the input
  std::vector<UnitOutput> outputs{};
  std::string message{};  // why it failed
  std::string payload{};  // what it adds to the files that all units share

  friend bool operator==(const UnitRecord&, const UnitRecord&) = default;
};

// A manifest in memory: 8 bytes per unit of its shard where most are recorded, however long the
// records are, and never more than a few times the length of its file. Where a unit
// has several records, the last one counts.
class FOVEA_API Manifest {
 public:
  // Throws IoError where the file cannot be read, and FormatError where it is no manifest, is of
  // another version of the format, or is damaged anywhere but at its end.
  explicit Manifest(const std::string& path);
  ~Manifest();
  Manifest(Manifest&&) noexcept;
  Manifest& operator=(Manifest&&) noexcept;

  const std::string& path() const;
  const JobIdentity& job() const;
  Shard shard() const;
  // The words of the command that wrote it, as it was given them.
  const std::vector<std::string>& words() const;
  std::uint64_t done() const;
  std::uint64_t failed() const;
  // The bytes up to the end of the last whole line.
  std::uint64_t whole_bytes() const;

  // Nothing where the unit is not recorded.
  std::optional<UnitStatus> status(std::uint64_t unit) const;
  // Reads the record again, for which the file is opened and stays open. Throws InvalidArgument
  // where there is none.
  UnitRecord record(std::uint64_t unit) const;
  // Closes the file until the next record is read.
  void close() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Appends to a manifest. Only one process at a time can: the file PATH.lock says which.
class FOVEA_API ManifestWriter {
 public:
  struct Start {
    JobIdentity job{};
    Shard shard{};
    std::vector<std::string> words{};  // of the command, with which a merge repeats it
    bool resume = false;               // continue a file of the same job that is there already
  };
  // Makes the file, or opens it and cuts off a torn end. Throws IoError where another process
  // writes to it, or where it exists and `resume` is not given, and what Manifest and
  // require_same_job() throw.
  ManifestWriter(const std::string& path, const Start& start);
  ~ManifestWriter();
  ManifestWriter(ManifestWriter&&) noexcept;
  ManifestWriter& operator=(ManifestWriter&&) noexcept;

  // Appends one line. What was added survives the end of the process at once, and that of the
  // machine once it is synced: at most once a second, when a line is added, and by flush(). Throws
  // WriteError.
  void add(const UnitRecord& record);
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::cluster
