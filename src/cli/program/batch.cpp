#include "cli/program/batch.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

using detail::json_quote;

// The message with the name of the input, unless it begins with it.
std::string named(const std::string& input, const std::string& message) {
  return named_message(input == "-" ? "standard input" : input, message);
}

}  // namespace

Device resolve_device(Context& context, std::string_view cpu_only) {
  if (!cpu_only.empty() && context.exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument(
        fmt::format("{} on the CPU only; use --device cpu instead of cuda", cpu_only));
  if (!cpu_only.empty()) context.exec.device = Device::cpu();
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

Batch::Batch(Context& context, const std::vector<std::string>& inputs, BatchJson json)
    : context_(context),
      json_(std::move(json)),
      start_(steady_seconds()),
      units_(context, {inputs},
             [this](std::size_t input, const UnitResult& result) { give(input, result); }),
      first_failure_(kDone) {
  io::ResultOrigin origin = origin_of(context_);
  origin.beside = json_.before;
  if (makes_json()) print_json(io::begin_results(origin));
  report_progress(0);
}

void Batch::run_alone(const std::function<Outcome()>& work) {
  if (open_inputs(1).empty()) return units_.give_recorded(next() + 1);
  Entry entry{units_.begin(next())};
  guard(entry, [&] {
    throw_if_stopped(context_.exec);
    entry.outcome = work();
  });
  measure(entry);
  take(entry);
}

int Batch::finish() {
  units_.flush();
  if (makes_json())
    print_json(io::end_results({.interrupted = stopped_,
                                .failed = failures_,
                                .seconds = reports_times(context_)
                                               ? std::optional(seconds_so_far(context_))
                                               : std::nullopt,
                                .beside = json_.after ? json_.after(totals()) : std::string()}));
  if (stopped_) throw Cancelled("stopped on request");
  return exit_status(context_, {failures_, units_.range().size(), first_failure_});
}

operations::Totals Batch::totals() const {
  return {given_, failures_, steady_seconds() - start_, reports_times(context_)};
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
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    entry.failed = true;
    entry.outcome = {.fault = std::make_exception_ptr(
                         Error("out of memory; lower --threads or --memory, or shrink it"))};
  }
}

void Batch::record(std::string_view shared) {
  if (context_.journal != nullptr) shared_ += shared;
}

void Batch::measure(Entry& entry) const {
  const bool whole = !entry.failed && !entry.outcome.fault;
  const std::vector<std::string> none;
  const bool unchanged = units_.measure(entry.task, whole ? entry.outcome.files : none);
  if (!whole || unchanged) return;
  entry.failed = true;
  entry.outcome.fault = std::make_exception_ptr(FormatError(kChangedMeanwhile));
}

void Batch::give(std::size_t input, const UnitResult& result) {
  if (!result.early.empty()) {
    print_members({});
    print_json(result.early);
  }
  if (replay_ && !result.shared.empty()) replay_(input, result.shared);
  print_given(result);
  ++given_;
  if (!result.message.empty() && failures_++ == 0) first_failure_ = result.status;
  report_progress(input + 1);
}

void Batch::print_given(const UnitResult& result) {
  const std::string& failure = result.message;
  if (!context_.json && !result.line.empty()) print(result.line + "\n");
  if (!failure.empty()) context_.console.complain(failure);
  if (!makes_json()) return;
  if (failure.empty()) print_element(result.members);
  else
    print_element(fmt::format("{}{}\"error\": {}", result.members,
                              result.members.empty() ? "" : ", ", json_quote(failure)));
}

void Batch::take(Entry& entry) {
  const std::string& name = units_.names()[entry.task.unit];
  UnitResult result{.line = std::move(entry.outcome.line),
                    .members = std::move(entry.outcome.members),
                    .early = std::exchange(early_, {}),
                    .shared = std::exchange(shared_, {})};
  try {
    if (entry.outcome.fault) std::rethrow_exception(entry.outcome.fault);
  } catch (const Cancelled&) {
    stopped_ = true;
    if (!entry.failed || element_open_) print_given(result);
    report_progress(entry.task.unit + 1);
    return units_.pass(entry.task.unit);
  } catch (const Error& error) {
    result.message = named(name, error.what());
    result.status = status_of(error);
  }
  const bool failed = !result.message.empty();
  units_.keep(entry.task, result);
  if (!failed && !result.message.empty())  // the disk is full; the input counts as not done
    result.message = fmt::format("{}: {}", name, result.message);
  result.early.clear();  // is printed and added already
  result.shared.clear();
  units_.give(entry.task.unit, result);
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
  if (!element_open_) print_json(io::begin_result_element(units_.names()[next()], first_element_));
  first_element_ = false;
  element_open_ = true;
  print_more((members.empty() ? "" : ", ") + members);
}

void Batch::print_more(const std::string& text) {
  if (context_.journal != nullptr) early_ += text;
  print_json(text);
}

void Batch::print_element(const std::string& members) {
  print_members(members);
  early_.clear();
  print_json("}");
  element_open_ = false;
}

void Batch::print(const std::string& text) { context_.console.print_at_once(text); }

bool Batch::makes_json() const { return context_.json || json_.file; }

void Batch::print_json(const std::string& text) {
  if (context_.json) print(text);
  if (json_.file) json_.file(text);
}

void Batch::report_progress(std::size_t done) const {
  const cluster::UnitRange range = units_.range();
  if (context_.exec.progress && range.size() > 1)
    context_.exec.progress(
        {context_.command.verb,
         static_cast<double>(std::max<std::size_t>(done, range.first) - range.first),
         static_cast<double>(range.size())});
}

}  // namespace fovea::cli
