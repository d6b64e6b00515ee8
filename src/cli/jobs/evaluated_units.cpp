#include "cli/jobs/evaluated_units.h"

#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/jobs/packing.h"
#include "core/words.h"

namespace fovea::cli {

UnitFiles unit_files(std::vector<std::string> files) {
  return std::make_shared<const std::vector<std::string>>(std::move(files));
}

EvaluatedUnits::EvaluatedUnits(Context& context, const std::vector<EvaluatedUnit>& units)
    : context_(context), measured_(units.size()) {
  names_.reserve(units.size());
  files_.reserve(units.size());
  for (const EvaluatedUnit& unit : units) {
    names_.push_back(unit.name);
    files_.push_back(unit.files);
  }
  if (context.journal == nullptr) {
    open_.resize(units.size());
    std::iota(open_.begin(), open_.end(), 0);
    return;
  }
  Journal& journal = *context.journal;
  journal.begin(context, names_);
  const bool merges = journal.inputs() != nullptr;
  const std::vector<std::size_t> fresh = journal.open_units(0, units.size());
  const cluster::UnitRange range = journal.range();
  for (std::size_t unit = range.first; unit < range.last; ++unit) {
    if (std::ranges::binary_search(fresh, unit)) {
      open_.push_back(unit);
      continue;
    }
    const UnitResult known = journal.result(unit);
    if (merges || Unpacker(known.shared).number<std::uint64_t>() == hash_of_files(unit))
      measured_[unit] = known.shared.substr(sizeof(std::uint64_t));
    else open_.push_back(unit);
  }
  stamps_.resize(units.size());
  for (const std::size_t unit : open_) stamps_[unit] = stamp_of_unit(unit);
}

// Of the file that the unit is named after, if it is one, and of the others.
FileStamp EvaluatedUnits::stamp_of_unit(std::size_t unit) const {
  FileStamp stamp = files_[unit] ? stamp_of(*files_[unit]) : FileStamp{};
  const FileStamp own = context_.journal->stamp(unit);
  stamp.size += own.size;
  stamp.time += own.time;
  return stamp;
}

void EvaluatedUnits::fail(std::size_t unit, const std::string& why) {
  ++failures_;
  context_.journal->note_failure();
  context_.console.end_progress();
  context_.console.complain(fmt::format("{}: {}", names_[unit], why));
}

std::uint64_t EvaluatedUnits::hash_of_files(std::size_t unit) {
  const UnitFiles& files = files_[unit];
  if (!files) return 0;
  const auto [place, is_new] = hashes_.try_emplace(files.get(), 0);
  if (!is_new) return place->second;
  cluster::Hasher hasher;
  for (const std::string& file : *files) {
    const cluster::FileIdentity identity = identity_or_none(file);
    hasher.add(file);
    hasher.add(Packer().number(identity.size).number(identity.hash).bytes());
  }
  place->second = hasher.result();
  return place->second;
}

void EvaluatedUnits::take(std::size_t unit, std::string measured) {
  if (context_.journal != nullptr) {
    const UnitResult result{.shared = Packer().number(hash_of_files(unit)).bytes() + measured};
    try {
      cluster::UnitRecord record = context_.journal->measure(unit, result);
      if (stamp_of_unit(unit) != stamps_[unit]) return fail(unit, kChangedMeanwhile);
      context_.journal->add(std::move(record), result);
    } catch (const WriteError& error) {
      return fail(unit, error.what());
    }
  }
  measured_[unit] = std::move(measured);
}

bool EvaluatedUnits::finish() {
  context_.console.end_progress();
  if (context_.journal == nullptr) return true;
  context_.journal->flush();
  if (failures_ > 0) {
    context_.console.note(
        fmt::format("{} failed; --resume measures what is missing, and then there is a result",
                    detail::counted(failures_, "unit")));
    return false;
  }
  if (context_.journal->whole()) return true;
  const cluster::UnitRange range = context_.journal->range();
  context_.console.note(
      fmt::format("{} of {} measured; fovea merge gives the result when all shards are done",
                  range.size(), detail::counted(names_.size(), "unit")));
  return false;
}

}  // namespace fovea::cli
