#include "cli/jobs/units.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <numeric>

#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {

std::string named_message(const std::string& name, const std::string& message) {
  return message.starts_with(name) ? message : fmt::format("{}: {}", name, message);
}

Units::Units(const Context& context, UnitList list, Give give)
    : context_(context),
      list_(std::move(list)),
      give_(std::move(give)),
      range_{.first = 0, .last = list_.names.size()} {
  if (context_.journal == nullptr) return;
  context_.journal->begin(context_, list_);
  range_ = context_.journal->range();
}

const std::vector<std::size_t>& Units::open() {
  if (open_) return *open_;
  open_ = open(0, list_.names.size());
  if (context_.journal == nullptr) return *open_;
  stamps_.reserve(open_->size());
  for (const std::size_t unit : *open_) stamps_.push_back(context_.journal->stamp(unit));
  return *open_;
}

void Units::take(std::size_t unit, UnitResult result) {
  give_recorded(unit);
  if (context_.journal != nullptr) {
    const auto place = std::ranges::lower_bound(open(), unit) - open().begin();
    Task task{.unit = unit, .stamp = stamps_.at(static_cast<std::size_t>(place))};
    if (!measure(task, result.files) && result.message.empty())
      result = {.message = kChangedMeanwhile, .status = kBadInput};
    keep(task, result);
  }
  give(unit, result);
}

void Units::fail(std::size_t unit, std::string why) {
  take(unit, UnitResult{.message = std::move(why), .status = kBadInput});
}

void Units::take_groups(std::size_t most, const Work& work) {
  const std::span<const std::size_t> all = open();
  for (std::size_t first = 0; first < all.size(); first += most)
    take_group(all.subspan(first, std::min(most, all.size() - first)), work);
}

void Units::take_group(std::span<const std::size_t> units, const Work& work) {
  std::vector<std::string> given;
  try {
    given = work(units);
  } catch (const Cancelled&) {
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    if (units.size() == 1) return fail(units.front(), error.what());
    for (std::size_t i = 0; i < units.size(); ++i) take_group(units.subspan(i, 1), work);
    return;
  }
  for (std::size_t i = 0; i < units.size(); ++i)
    take(units[i], UnitResult{.shared = std::move(given[i])});
}

void Units::finish() {
  give_recorded(range_.last);
  flush();
  context_.console.end_progress();
}

bool Units::finish_whole() {
  finish();
  if (failures_ > 0) {
    context_.console.note(
        fmt::format("{} failed; --resume measures what is missing, and then there is a result",
                    detail::counted(failures_, "unit")));
    return false;
  }
  if (context_.journal == nullptr || context_.journal->whole()) return true;
  context_.console.note(
      fmt::format("{} of {} measured; fovea merge gives the result when all shards are done",
                  range_.size(), detail::counted(list_.names.size(), "unit")));
  return false;
}

std::vector<std::size_t> Units::open(std::size_t first, std::size_t last) const {
  if (context_.journal != nullptr) return context_.journal->open_units(first, last);
  std::vector<std::size_t> all(last - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

Units::Task Units::begin(std::size_t unit) const {
  Task task{.unit = unit};
  if (context_.journal != nullptr) task.stamp = context_.journal->stamp(unit);
  return task;
}

bool Units::measure(Task& task, const std::vector<std::string>& written) const {
  if (context_.journal == nullptr) return true;
  task.record = context_.journal->measure(task.unit, written);
  return context_.journal->stamp(task.unit) == task.stamp;
}

void Units::keep(Task& task, UnitResult& result) const {
  if (!task.record) return;
  try {
    context_.journal->add(std::move(*task.record), result);
  } catch (const WriteError& error) {
    if (result.message.empty()) result.message = error.what();
    result.status = kFailed;
    result.shared.clear();
  }
}

void Units::give(std::size_t unit, const UnitResult& result) {
  give_(unit, result);
  pass(unit);
}

void Units::give_recorded(std::size_t end) {
  for (; next_ < end; ++next_) {
    if (context_.journal == nullptr || !range_.has(next_)) continue;
    if (!open_ || !std::ranges::binary_search(*open_, next_))
      give_(next_, context_.journal->result(next_));
  }
}

void Units::flush() const {
  if (context_.journal != nullptr) context_.journal->flush();
}

void Units::count_failure(std::size_t unit, const std::string& why) {
  ++failures_;
  if (context_.journal != nullptr) context_.journal->note_failure();
  context_.console.end_progress();
  context_.console.complain(named_message(list_.names[unit], why));
}

}  // namespace fovea::cli
