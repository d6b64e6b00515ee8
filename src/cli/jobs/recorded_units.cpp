#include "cli/jobs/recorded_units.h"

#include <fovea/core/error.h>

#include <numeric>
#include <utility>

#include "cli/program/run.h"

namespace fovea::cli {

RecordedUnits::RecordedUnits(const Context& context, const std::vector<std::string>& inputs,
                             Give give)
    : journal_(context.journal), give_(std::move(give)), range_{.first = 0, .last = inputs.size()} {
  if (journal_ == nullptr) {
    open_.resize(inputs.size());
    std::iota(open_.begin(), open_.end(), 0);
    return;
  }
  journal_->begin(context, inputs);
  range_ = journal_->range();
  open_ = journal_->open_units(0, inputs.size());
  stamps_.reserve(open_.size());
  for (const std::size_t unit : open_) stamps_.push_back(journal_->stamp(unit));
}

void RecordedUnits::take(std::size_t unit, std::string shared, std::string message) {
  take(unit,
       UnitResult{.shared = std::move(shared), .message = std::move(message), .status = kBadInput});
}

void RecordedUnits::take(std::size_t unit, UnitResult result) {
  replay_until(unit);
  ++next_;
  if (journal_ != nullptr) {
    try {
      cluster::UnitRecord record = journal_->measure(unit, result);
      if (result.message.empty() && journal_->stamp(unit) != stamps_.at(taken_)) {
        record.status = cluster::UnitStatus::kFailed;
        result.message = kChangedMeanwhile;
        result.status = kBadInput;
        result.shared.clear();
      }
      journal_->add(std::move(record), result);
    } catch (const WriteError& error) {
      if (result.message.empty()) {
        result.message = error.what();
        result.status = kFailed;
      }
      result.shared.clear();
    }
    ++taken_;
  }
  status_ = result.status;
  give_(unit, result.shared, result.message);
}

void RecordedUnits::finish() {
  replay_until(range_.last);
  if (journal_ != nullptr) journal_->flush();
}

void RecordedUnits::replay_until(std::size_t end) {
  for (; next_ < end; ++next_) {
    if (journal_ == nullptr || !range_.has(next_)) continue;
    const UnitResult known = journal_->result(next_);
    status_ = known.status;
    give_(next_, known.shared, known.message);
  }
}

}  // namespace fovea::cli
