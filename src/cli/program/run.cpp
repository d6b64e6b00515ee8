#include "cli/program/run.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <new>
#include <span>

#include "cli/beside/beside.h"
#include "cli/help/help.h"
#include "cli/jobs/each.h"
#include "cli/jobs/journal.h"
#include "cli/jobs/trust.h"
#include "cli/program/files.h"
#include "cli/program/output_paths.h"
#include "cli/program/parser.h"
#include "cli/program/pipe_waits.h"
#include "cli/program/read_files.h"
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

// The hash of all models and other files that options name.
std::uint64_t hash_of(const std::vector<NamedFile>& files) {
  std::uint64_t hash = 0;
  for (const NamedFile& file : files) hash = std::rotl(hash, 1) ^ hash_of_named(file.path);
  return hash;
}

// Throws InvalidArgument where a command has other options or files now than its shards had.
void require_same_command(const Invocation& invocation, const cluster::JobIdentity& job) {
  if (const std::string now = invocation.job_json(); !job.options.ends_with(now.substr(1)))
    throw InvalidArgument(fmt::format(
        "the command of the job has other options now than when its shards ran, because a "
        "file of options has changed: {}, not {}",
        now, job.options));
  const std::vector<NamedFile> files = named_files(invocation);
  const std::uint64_t hash = hash_of(files);
  if (hash == job.models) return;
  std::string names;
  for (const NamedFile& file : files)
    names += (names.empty() ? "" : ", ") + detail::shown(file.name);
  throw InvalidArgument(fmt::format(
      "{}: not as when the shards ran: the hash of models and other files that options name is "
      "{:016x}, not {:016x}; put the files back, or run the shards again",
      names, hash, job.models));
}

std::unique_ptr<Journal> journal_of(const Invocation& invocation,
                                    const std::vector<std::string>& words) {
  const JournalOptions& options = invocation.common->journal;
  if (!options.wanted()) return nullptr;
  return recording_journal(options, {.words = words,
                                     .options = invocation.job_json(),
                                     .files = hash_of(named_files(invocation))});
}

// Whether -o names a table, and not pictures.
bool is_table(const Command& command, const std::string& name) {
  if (!command.result.files.empty())
    return operations::table_of(command.result.files, name) != nullptr;
  const std::string extension = std::filesystem::path(name).extension().string();
  return extension == ".json" || extension == ".csv" || extension == ".parquet" ||
         extension == ".npy" || extension == ".safetensors";
}

// The options that name files which all inputs share.
std::vector<OptionField> shared_fields(const Invocation& invocation) {
  if (runs_each(invocation)) return {};  // every input has its own
  const std::vector<std::string_view>& shared = invocation.command->shared_files;
  std::vector<OptionField> fields = invocation.own_fields();
  std::erase_if(fields, [&](const OptionField& field) {
    const auto* text = std::get_if<std::string*>(&field.value);
    return std::ranges::find(shared, field.name) == shared.end() || text == nullptr ||
           (*text)->empty() || (field.name == "output" && !is_table(*invocation.command, **text));
  });
  return fields;
}

// Sets the options that name files of all inputs to `output`, or to files in that folder.
void redirect_shared(const Invocation& invocation, const std::string& output) {
  namespace fs = std::filesystem;
  const std::vector<OptionField> fields = shared_fields(invocation);
  if (fields.empty())
    throw InvalidArgument(
        fmt::format("-o {}: the job writes no file that its inputs share; leave out -o", output));
  std::error_code ignored;
  if (fields.size() == 1 && !output.ends_with('/') && !fs::is_directory(output, ignored))
    return set_option(fields.front(), output);
  make_folder(output);
  for (const OptionField& field : fields) {
    const fs::path name = fs::path(option_text(field)).filename();
    set_option(field, (fs::path(output) / name).string());
  }
}

// Runs the verb, over each input or over all of them, and ends the job that a journal belongs to.
int run_job(const Invocation& invocation, std::span<const std::string> words, Context& context) {
  if (cuts_frames(invocation)) context.unit_frames = invocation.common->unit_frames;
  const int status = runs_each(invocation) ? run_each(invocation, words, context)
                                           : invocation.request->run(context);
  Journal* journal = context.journal;
  if (journal == nullptr) return status;
  for (const OptionField& field : shared_fields(invocation))
    journal->remove_partial_output(option_text(field));
  return status == kDone && journal->noted_failure() ? static_cast<int>(kSomeFailed) : status;
}

int run_command(const std::vector<std::string>& args, const Streams& streams, Console& console) {
  std::size_t used = 0;
  const Command* command = choose(args, console, used);
  if (command == nullptr) return kDone;
  if (!command->program.empty()) start_beside(*command, std::span(args).subspan(1), console);
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
  Context context = context_of(invocation, console);
  const std::unique_ptr<Journal> journal = journal_of(invocation, args);
  context.journal = journal.get();
  context.redact_credentials();
  context.exec.progress = console.progress();
  context.exec.stop = streams.stop;
  check_named_outputs(invocation, context);
  if (!command->verb.empty()) require_processor();  // fovea info tells what is missing
  return run_job(invocation, std::span(args).subspan(used), context);
}

}  // namespace

Context context_of(const Invocation& invocation, Console& console) {
  const CommonOptions& common = *invocation.common;
  return {*invocation.command,
          console,
          invocation.inputs,
          common.exec,
          common.json,
          invocation.options_json(),
          common.overwrite,
          common.max_pixels,
          common.memory_bytes > 0 ? common.memory_bytes : usable_memory_bytes() / 4,
          common.memory_bytes > 0 ? common.memory_bytes : usable_memory_bytes() / 2,
          common.hardware,
          common.videos,
          std::make_shared<const NamedFiles>(invocation)};
}

int run_again(const RecordedCommand& recorded, Journal& journal, const Context& context) {
  std::size_t used = 0;
  const Command* command = choose(recorded.words, context.console, used);
  if (command == nullptr || !command->shards)
    throw FormatError("a manifest's command has no shards; it is damaged");
  const std::span<const std::string> words = std::span(recorded.words).subspan(used);
  const Invocation invocation = parse(*command, words);
  require_same_command(invocation, recorded.job);
  if (invocation.common->quiet) context.console.set_quiet(true);
  Context again = context_of(invocation, context.console);  // names files as the job did
  const std::vector<OutputOption> before = named_outputs(invocation);
  if (!recorded.output.empty()) redirect_shared(invocation, recorded.output);
  const std::vector<OutputOption> now = named_outputs(invocation);
  for (std::size_t i = 0; i < now.size() && !recorded.trust; ++i)
    if (now[i].path == before[i].path) require_below_here(now[i].flag, now[i].path);
  again.journal = &journal;
  again.confined = !recorded.trust && recorded.output.empty();
  again.exec.progress = context.exec.progress;
  again.exec.stop = context.exec.stop;
  check_named_outputs(invocation, again);
  return run_job(invocation, words, again);
}

namespace {

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
  const PipeWaits pipes(args, streams.stop);
  int status = kDone;
  const auto guarded = [&](auto&& work) {
    try {
      work();
    } catch (const std::exception& error) {
      status = status_of(error);
      if (status == kReaderGone) return;
      if (status == kBadInput && pipes.ended()) status = kInterrupted;
      console.complain(status == kInterrupted ? "interrupted; what was finished is kept"
                                              : fault_text(error));
    }
  };
  guarded([&] {
    status = run_command(args, streams, console);
    if (status == kBadInput && pipes.ended()) status = kInterrupted;
  });
  guarded([&] { console.flush(); });
  return status;
}

}  // namespace fovea::cli
