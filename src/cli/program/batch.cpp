#include "cli/program/batch.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <new>

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
    : context_(context), inputs_(inputs), first_failure_(kDone) {
  if (context_.json)
    print(fmt::format("{{\n  {},\n  \"results\": [", provenance_members(context_, ",\n  ")));
  report_progress();
}

void Batch::run_alone(const std::function<Outcome()>& work) {
  Entry entry{.input = next_};
  guard(entry, [&] {
    throw_if_stopped(context_.exec);
    entry.outcome = work();
  });
  take(entry);
}

int Batch::finish() {
  if (context_.json)
    print(fmt::format("\n  ],\n  \"interrupted\": {},\n  \"failed\": {},\n  \"seconds\": {}\n}}\n",
                      stopped_, failures_, detail::json_number(seconds_so_far(context_))));
  if (stopped_) throw Cancelled("stopped on request");
  if (failures_ == 0) return kDone;
  return failures_ == inputs_.size() ? first_failure_ : kSomeFailed;
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

void Batch::take(Entry& entry) {
  const std::string& input = inputs_[entry.input];
  const Outcome& outcome = entry.outcome;
  const auto print_outcome = [&] {
    if (context_.json) print_element(outcome.members);
    else if (!outcome.line.empty()) print(outcome.line + "\n");
  };
  if (!outcome.fault) {
    print_outcome();
    step();
    return;
  }
  try {
    std::rethrow_exception(outcome.fault);
  } catch (const Cancelled&) {
    stopped_ = true;
    if (!entry.failed || element_open_) print_outcome();
  } catch (const Error& error) {
    const std::string message = named(input, error.what());
    if (!context_.json && !outcome.line.empty()) print(outcome.line + "\n");
    context_.console.complain(message);
    if (context_.json)
      print_element(fmt::format("{}{}\"error\": {}", outcome.members,
                                outcome.members.empty() ? "" : ", ", json_quote(message)));
    if (failures_++ == 0) first_failure_ = status_of(error);
  }
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
  if (!element_open_)
    print(fmt::format("{}\n    {{\"input\": {}", first_element_ ? "" : ",",
                      json_quote(inputs_[next_])));
  first_element_ = false;
  element_open_ = true;
  print((members.empty() ? "" : ", ") + members);
}

void Batch::print_more(const std::string& text) { print(text); }

void Batch::print_element(const std::string& members) {
  print_members(members);
  print("}");
  element_open_ = false;
}

void Batch::print(const std::string& text) { context_.console.print_at_once(text); }

void Batch::step() {
  ++next_;
  report_progress();
}

void Batch::report_progress() const {
  if (context_.exec.progress && inputs_.size() > 1)
    context_.exec.progress(
        {context_.command.verb, static_cast<double>(next_), static_cast<double>(inputs_.size())});
}

}  // namespace fovea::cli
