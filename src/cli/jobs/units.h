// The units of a job: inputs, ranges of frames, pairs, meshes, splits, folds. Which of them this
// run works on, and what each has given, which is recorded where there is a manifest; what a
// manifest has already is given again.
#pragma once
#include <fovea/io/record_io.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/jobs/journal.h"

namespace fovea::cli {

// The message with a name in front, unless it begins with it, as many of the library do.
std::string named_message(const std::string& name, const std::string& message);

class Units {
 public:
  // Gets what a unit has given, or why it failed. Units come in their order if they are taken in
  // it.
  using Give = std::function<void(std::size_t unit, const UnitResult& given)>;

  Units(const Context& context, UnitList list, Give give);
  // Fills one record per unit, for verbs that need all of them. A unit that has failed is named.
  template <class Record>
  Units(const Context& context, UnitList list, std::vector<Record>& records)
      : Units(context, std::move(list),
              [this, &records](std::size_t unit, const UnitResult& given) {
                if (given.message.empty()) given.read(record_ref(records[unit]));
                else count_failure(unit, given.message);
              }) {}
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  const std::vector<std::string>& names() const { return list_.names; }
  // Those of this run, which may be a shard of the job.
  cluster::UnitRange range() const { return range_; }

  // For verbs whose library call goes through many units by itself: those that are to be worked on,
  // in rising order. Their files are watched from the first call on.
  const std::vector<std::size_t>& open();
  // What one of them has given; one thread at a time. It has failed where its files have changed
  // meanwhile, or where it cannot be recorded because the disk is full.
  void take(std::size_t unit, UnitResult result);
  template <class Record>
  void take(std::size_t unit, const Record& given) {
    take(unit, UnitResult{.shared = io::pack_record(record_ref(given))});
  }
  void fail(std::size_t unit, std::string why);
  // Gives what `work` makes of some open units, as one text per unit, up to `most` between two
  // records. Where it throws, they are tried one by one to find out which of them fail.
  using Work = std::function<std::vector<std::string>(std::span<const std::size_t> units)>;
  void take_groups(std::size_t most, const Work& work);
  // Gives those that are left.
  void finish();
  // The same for verbs that need all units of the job: returns whether all are there. Where they
  // are not, because this is a shard or because some have failed, a note says so.
  bool finish_whole();

  // For a Batch, which works on each unit by itself. Those from `first` up to `last` that are to be
  // worked on:
  std::vector<std::size_t> open(std::size_t first, std::size_t last) const;
  // A unit that is being worked on.
  struct Task {
    std::size_t unit = 0;
    FileStamp stamp{};  // of its files, before they are read
    std::optional<cluster::UnitRecord> record{};
  };
  Task begin(std::size_t unit) const;
  // Hashes what the unit has read and written; several threads may call it. Returns false where
  // its files have changed since it was begun.
  bool measure(Task& task, const std::vector<std::string>& written) const;
  // Records what the unit has given. Where the disk is full, it has failed.
  void keep(Task& task, UnitResult& result) const;
  // The next unit to be given; those before it are.
  std::size_t next() const { return next_; }
  void give(std::size_t unit, const UnitResult& result);
  // Gives nothing for a unit, because a stop was requested.
  void pass(std::size_t unit) { next_ = std::max(next_, unit + 1); }
  // Gives those before `end` that a manifest has.
  void give_recorded(std::size_t end);
  // Brings what was recorded to the disk.
  void flush() const;

 private:
  void take_group(std::span<const std::size_t> units, const Work& work);
  void count_failure(std::size_t unit, const std::string& why);

  const Context& context_;
  UnitList list_;
  Give give_;
  cluster::UnitRange range_;
  std::optional<std::vector<std::size_t>> open_{};
  std::vector<FileStamp> stamps_{};  // of those that are open, where there is a manifest
  std::size_t next_ = 0;
  std::size_t failures_ = 0;  // of those that were counted
};

}  // namespace fovea::cli
