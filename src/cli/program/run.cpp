#include "cli/program/run.h"

#include <fovea/core/error.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

#include <new>
#include <span>

#include "cli/program/help.h"
#include "cli/program/parser.h"
#include "cli/program/spelling.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

[[noreturn]] void unknown_word(const std::string& word) {
  std::vector<std::string> known;
  for (const System& system : systems()) known.emplace_back(system.name);
  for (const Command& command : commands()) {
    if (command.verb == word) {
      throw InvalidArgument(fmt::format("'{}' is a verb of {}; write fovea {}", word,
                                        command.system, command.name()));
    }
    if (command.verb.empty()) known.push_back(command.name());
  }
  throw InvalidArgument(fmt::format("there is no system or command '{}'{}", detail::shown(word),
                                    did_you_mean(word, known, "; see fovea help")));
}

[[noreturn]] void unknown_verb(const std::string& system, const std::string& verb) {
  std::vector<std::string> known;
  for (const Command* command : verbs_of(system)) known.emplace_back(command->verb);
  throw InvalidArgument(fmt::format("{} has no verb '{}'{}", system, detail::shown(verb),
                                    did_you_mean(verb, known, "; see fovea help " + system)));
}

// The command that the first words name, and how many words it took. Null where the words only
// requested help, which has been printed.
const Command* choose(std::span<const std::string> args, Console& console, std::size_t& used) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    console.print(help_overview(console.help_columns()));
    return nullptr;
  }
  used = 1;
  if (args[0] == "--version") return find_command("version", "");
  if (args[0].rfind('-', 0) == 0)
    throw InvalidArgument(
        fmt::format("{} stands before a system; write fovea SYSTEM VERB INPUT... [options]",
                    detail::shown(args[0])));
  if (const Command* command = find_command(args[0], "")) return command;
  if (verbs_of(args[0]).empty()) unknown_word(args[0]);
  if (args.size() == 1 || args[1] == "--help" || args[1] == "-h") {
    console.print(help_system(args[0], console.help_columns()));
    return nullptr;
  }
  used = 2;
  const Command* command = find_command(args[0], args[1]);
  if (command == nullptr) unknown_verb(args[0], args[1]);
  return command;
}

int run_command(const std::vector<std::string>& args, const Streams& streams, Console& console) {
  std::size_t used = 0;
  const Command* command = choose(args, console, used);
  if (command == nullptr) return kDone;
  const Invocation invocation = parse(*command, std::span(args).subspan(used));
  const CommonOptions& common = *invocation.common;
  if (common.help) {
    console.print(help_command_text(*command, console.help_columns()));
    return kDone;
  }
  if (common.print_config) {
    console.print(fmt::format("{{\"fovea\": \"{}\", \"command\": \"{}\", \"options\": {}}}\n",
                              FOVEA_VERSION, command->name(), invocation.options_json()));
    return kDone;
  }
  console.set_quiet(common.quiet);
  console.set_verbose(common.verbose);
  console.set_progress(common.progress);
  Context context{*command,
                  console,
                  invocation.inputs,
                  common.exec,
                  common.json,
                  invocation.options_json(),
                  common.overwrite,
                  common.max_pixels,
                  common.memory_bytes > 0 ? common.memory_bytes : usable_memory_bytes() / 4,
                  common.hardware,
                  common.videos};
  context.hide_addresses();
  context.exec.progress = console.progress();
  context.exec.stop = streams.stop;
  if (!command->verb.empty()) require_processor();  // fovea info tells what is missing
  return invocation.request->run(context);
}

template <class Kind>
bool is(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

}  // namespace

ExitStatus status_of(const std::exception& error) {
  if (is<InvalidArgument>(error)) return kUsage;
  if (is<WriteError>(error)) return kFailed;
  if (is<IoError>(error) || is<FormatError>(error) || is<ModelError>(error)) return kBadInput;
  if (is<DeviceError>(error)) return kNoDevice;
  if (is<Cancelled>(error)) return kInterrupted;
  if (is<ClosedPipe>(error)) return kReaderGone;
  return kFailed;
}

int run(const std::vector<std::string>& args, const Streams& streams) {
  Console console(streams);
  int status = kDone;
  const auto guarded = [&](auto&& work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      status = kFailed;
      console.complain("out of memory; work on smaller images or batches");
    } catch (const std::exception& error) {
      status = status_of(error);
      if (status == kReaderGone) return;
      console.complain(status == kInterrupted ? "interrupted; what was finished is kept"
                                              : error.what());
    }
  };
  guarded([&] { status = run_command(args, streams, console); });
  guarded([&] { console.flush(); });
  return status;
}

}  // namespace fovea::cli
