#include "cli/program/batch.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

using detail::json_quote;

// Adds the file's name to a message unless the message begins with it, as many of the library do.
std::string named(std::string input, const std::string& message) {
  if (input == "-") input = "standard input";
  return message.rfind(input, 0) == 0 ? message : fmt::format("{}: {}", input, message);
}

}  // namespace

Device settle_device(Context& context) {
  if (context.journal != nullptr && !context.journal->device().empty()) {
    context.exec.device = Device::cpu();  // nothing is computed again
    return context.exec.device;
  }
  const bool automatic = context.exec.device.kind == DeviceKind::kAuto;
  context.exec.device = resolve(context.exec.device);
  const std::string message = "running on " + to_string(context.exec.device);
  if (automatic && context.exec.device.kind == DeviceKind::kCuda) context.console.note(message);
  else context.console.explain(message);
  return context.exec.device;
}

std::span<NoWorker> NoWorker::some() {
  static NoWorker worker;
  return {&worker, 1};
}

Batch::Batch(Context& context, const std::vector<std::string>& inputs)
    : context_(context),
      inputs_(inputs),
      first_failure_(kDone),
      range_{.first = 0, .last = inputs.size()} {
  if (context_.journal != nullptr) {
    context_.journal->begin(context_, inputs_);
    range_ = context_.journal->range();
  }
  if (context_.json) print(io::begin_results(origin_of(context_)));
  report_progress();
}

void Batch::run_alone(const std::function<Outcome()>& work) {
  if (open_inputs(1).empty()) return replay_until(next_ + 1);
  Entry entry = begin(next_);
  guard(entry, [&] {
    throw_if_stopped(context_.exec);
    entry.outcome = work();
  });
  measure(entry);
  take(entry);
}

int Batch::finish() {
  if (context_.journal != nullptr) context_.journal->flush();
  if (context_.json)
    print(
        io::end_results({.interrupted = stopped_,
                         .failed = failures_,
                         .seconds = tells_times(context_) ? std::optional(seconds_so_far(context_))
                                                          : std::nullopt}));
  if (stopped_) throw Cancelled("stopped on request");
  return exit_status(context_, {failures_, range_.size(), first_failure_});
}

void Batch::guard(Entry& entry, const std::function<void()>& step) {
  if (entry.failed) return;
  try {
    step();
  } catch (const OutputError&) {
    throw;
  } catch (const ClosedPipe&) {
    throw;
  } catch (const Error&) {
    entry.failed = true;
    entry.outcome = {.fault = std::current_exception()};
  } catch (const std::bad_alloc&) {
    entry.failed = true;
    entry.outcome = {.fault = std::make_exception_ptr(
                         Error("out of memory; lower --threads or --memory, or shrink it"))};
  }
}

std::vector<std::size_t> Batch::open_inputs(std::size_t count) const {
  if (context_.journal != nullptr) return context_.journal->open_units(next_, next_ + count);
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), next_);
  return all;
}

void Batch::replay_until(std::size_t end) {
  while (next_ < end) {
    if (range_.has(next_)) replay_next();
    else ++next_;
  }
}

void Batch::replay_next() {
  const UnitResult result = context_.journal->result(next_);
  if (!result.early.empty()) {
    print_members({});
    print(result.early);
  }
  if (replay_ && !result.shared.empty()) replay_(next_, result.shared);
  print_outcome({.line = result.line, .members = result.members}, result.message);
  if (!result.message.empty() && failures_++ == 0) first_failure_ = result.status;
  step();
}

void Batch::record(std::string_view shared) {
  if (context_.journal != nullptr) shared_ += shared;
}

Batch::Entry Batch::begin(std::size_t input) const {
  Entry entry{.input = input};
  if (context_.journal != nullptr) entry.stamp = context_.journal->stamp(input);
  return entry;
}

void Batch::measure(Entry& entry) const {
  if (context_.journal == nullptr) return;
  const bool whole = !entry.failed && !entry.outcome.fault;
  const UnitResult result{.files = whole ? entry.outcome.files : std::vector<std::string>{}};
  entry.record = context_.journal->measure(entry.input, result);
  if (whole && context_.journal->stamp(entry.input) != entry.stamp) {
    entry.failed = true;
    entry.outcome.fault = std::make_exception_ptr(FormatError(kChangedMeanwhile));
  }
}

void Batch::keep(Entry& entry, const std::string& failure, int status) {
  if (!entry.record) return;
  entry.record->status =
      failure.empty() ? cluster::UnitStatus::kDone : cluster::UnitStatus::kFailed;
  context_.journal->add(std::move(*entry.record), {.line = entry.outcome.line,
                                                   .members = entry.outcome.members,
                                                   .early = std::exchange(early_, {}),
                                                   .shared = std::exchange(shared_, {}),
                                                   .files = {},
                                                   .message = failure,
                                                   .status = status});
}

void Batch::print_outcome(const Outcome& outcome, const std::string& failure) {
  if (!context_.json && !outcome.line.empty()) print(outcome.line + "\n");
  if (!failure.empty()) context_.console.complain(failure);
  if (!context_.json) return;
  if (failure.empty()) print_element(outcome.members);
  else
    print_element(fmt::format("{}{}\"error\": {}", outcome.members,
                              outcome.members.empty() ? "" : ", ", json_quote(failure)));
}

void Batch::take(Entry& entry) {
  const Outcome& outcome = entry.outcome;
  std::string failure;
  int status = kDone;
  try {
    if (outcome.fault) std::rethrow_exception(outcome.fault);
  } catch (const Cancelled&) {
    stopped_ = true;
    if (!entry.failed || element_open_) print_outcome(outcome, {});
    early_.clear();
    shared_.clear();
    return step();
  } catch (const Error& error) {
    failure = named(inputs_[entry.input], error.what());
    status = status_of(error);
  }
  try {
    keep(entry, failure, status);
  } catch (const WriteError& error) {  // the disk is full; the input counts as not done
    if (failure.empty()) failure = fmt::format("{}: {}", inputs_[entry.input], error.what());
    status = kFailed;
  }
  print_outcome(outcome, failure);
  if (!failure.empty() && failures_++ == 0) first_failure_ = status;
  step();
}

void Batch::end_run(const io::FrameRun& run) {
  try {
    run.rethrow();
  } catch (const Cancelled&) {
    stopped_ = true;
  }
}

io::FrameRunOptions Batch::options_of(const io::FrameWorkers& plan) const {
  io::FrameRunOptions options;
  options.in_flight = plan.in_flight;
  options.threads = plan.runners;
  options.memory_bytes = context_.memory_bytes;
  options.exec = context_.exec_without_progress();
  return options;
}

void Batch::print_members(const std::string& members) {
  if (!element_open_) print(io::begin_result_element(inputs_[next_], first_element_));
  first_element_ = false;
  element_open_ = true;
  print_more((members.empty() ? "" : ", ") + members);
}

void Batch::print_more(const std::string& text) {
  if (context_.journal != nullptr) early_ += text;
  print(text);
}

void Batch::print_element(const std::string& members) {
  print_members(members);
  early_.clear();
  print("}");
  element_open_ = false;
}

void Batch::print(const std::string& text) { context_.console.print_at_once(text); }

void Batch::step() {
  ++next_;
  report_progress();
}

void Batch::report_progress() const {
  if (context_.exec.progress && range_.size() > 1)
    context_.exec.progress(
        {context_.command.verb,
         static_cast<double>(std::max<std::size_t>(next_, range_.first) - range_.first),
         static_cast<double>(range_.size())});
}

}  // namespace fovea::cli
