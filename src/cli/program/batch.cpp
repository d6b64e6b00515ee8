#include "cli/program/batch.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

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

// Prints outcomes as they come: a line each, or an element each of the JSON result.
class OutcomePrinter {
 public:
  explicit OutcomePrinter(Context& context) : context_(context) {
    if (context_.json)
      print(fmt::format("{{\n  {},\n  \"results\": [", provenance_members(context_, ",\n  ")));
  }

  void done(const std::string& input, const Outcome& outcome) {
    if (context_.json) element(input, outcome.members);
    else if (!outcome.line.empty()) print(outcome.line + "\n");
  }
  // The outcome tells what was found before the failure, such as the number of frames.
  void failed(const std::string& input, const std::string& message, const Outcome& outcome) {
    if (!context_.json && !outcome.line.empty()) print(outcome.line + "\n");
    context_.console.complain(message);
    const std::string& members = outcome.members;
    if (context_.json)
      element(input, fmt::format("{}{}\"error\": {}", members, members.empty() ? "" : ", ",
                                 json_quote(message)));
  }
  void finish(bool interrupted, std::size_t failures) {
    if (!context_.json) return;
    print(fmt::format("\n  ],\n  \"interrupted\": {},\n  \"failed\": {},\n  \"seconds\": {}\n}}\n",
                      interrupted, failures, detail::json_number(seconds_so_far(context_))));
  }

 private:
  void element(const std::string& input, const std::string& members) {
    print(fmt::format("{}\n    {{\"input\": {}{}{}}}", first_ ? "" : ",", json_quote(input),
                      members.empty() ? "" : ", ", members));
    first_ = false;
  }
  // Flushes, so that a reader of a pipe sees every result at once and not when a buffer is full.
  void print(const std::string& text) {
    context_.console.print(text);
    context_.console.flush_results();
  }

  Context& context_;
  bool first_ = true;
};

}  // namespace

Device settle_device(Context& context) {
  const bool automatic = context.exec.device.kind == DeviceKind::kAuto;
  context.exec.device = resolve(context.exec.device);
  const std::string message = "running on " + to_string(context.exec.device);
  if (automatic && context.exec.device.kind == DeviceKind::kCuda) context.console.note(message);
  else context.console.explain(message);
  return context.exec.device;
}

int run_batch(Context& context, const std::vector<std::string>& inputs,
              const std::function<Outcome(std::size_t)>& work) {
  const auto report = [&](std::size_t done) {
    if (context.exec.progress && inputs.size() > 1)
      context.exec.progress(
          {context.command.verb, static_cast<double>(done), static_cast<double>(inputs.size())});
  };
  OutcomePrinter printer(context);
  std::size_t failures = 0;
  int first_failure = kDone;
  bool stopped = false;
  for (std::size_t i = 0; i < inputs.size() && !stopped; ++i) {
    Outcome outcome;
    try {
      report(i);
      throw_if_stopped(context.exec);
      outcome = work(i);
      if (outcome.fault) std::rethrow_exception(outcome.fault);
      printer.done(inputs[i], outcome);
    } catch (const Cancelled&) {
      stopped = true;
      if (outcome.fault) printer.done(inputs[i], outcome);
    } catch (const OutputError&) {
      throw;
    } catch (const ClosedPipe&) {
      throw;
    } catch (const Error& error) {
      printer.failed(inputs[i], named(inputs[i], error.what()), outcome);
      if (failures++ == 0) first_failure = status_of(error);
    }
  }
  if (!stopped) report(inputs.size());
  printer.finish(stopped, failures);
  if (stopped) throw Cancelled("stopped on request");
  if (failures == 0) return kDone;
  return failures == inputs.size() ? first_failure : kSomeFailed;
}

}  // namespace fovea::cli
