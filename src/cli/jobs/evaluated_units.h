// The units of an evaluation: what each has given is kept as bytes until all of them are there, and
// is recorded where there is a manifest. Unlike those of other verbs, a unit is measured from
// several files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/journal.h"

namespace fovea::cli {

// Files that units are measured from. Many units may share one list.
using UnitFiles = std::shared_ptr<const std::vector<std::string>>;
UnitFiles unit_files(std::vector<std::string> files);

struct EvaluatedUnit {
  std::string name{};
  UnitFiles files{};
};

class EvaluatedUnits {
 public:
  EvaluatedUnits(Context& context, const std::vector<EvaluatedUnit>& units);

  // Those that are to be measured, in rising order.
  const std::vector<std::size_t>& open() const { return open_; }
  // What one of them has given; one thread at a time. A unit whose files have changed meanwhile, or
  // that cannot be recorded because the disk is full, is named and has failed.
  void take(std::size_t unit, std::string measured);
  // Must be called when none is open any more. Returns whether all units of the job are there;
  // where they are not, because this is a shard or because some have failed, a note says so and
  // there is nothing to report.
  bool finish();
  // What a unit has given, after finish() or, where it was not open, before.
  std::string_view measured(std::size_t unit) const { return measured_[unit]; }

 private:
  std::uint64_t hash_of_files(std::size_t unit);
  FileStamp stamp_of_unit(std::size_t unit) const;
  void fail(std::size_t unit, const std::string& why);

  Context& context_;
  std::vector<std::string> names_{};
  std::vector<UnitFiles> files_{};
  std::vector<std::size_t> open_{};
  std::vector<std::string> measured_;
  std::vector<FileStamp> stamps_{};  // of those that are open, before the work
  std::size_t failures_ = 0;
  std::map<const void*, std::uint64_t> hashes_{};  // by list of files
};

}  // namespace fovea::cli
