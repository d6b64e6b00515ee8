// The envelope of every result: the version, command, device, seed and options that made it, and
// how long that took. Every verb's JSON begins and ends with these calls, so that all have one
// shape.
#pragma once
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/result_json.h>
#include <fovea/report/evaluation_page.h>

#include <functional>
#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// Opens the object of a result and writes "fovea", "command", "device", "seed" and "options", and
// "model_hashes" where options name models.
void begin_result(io::JsonWriter& json, const Context& context);
// Writes "seconds", the time since the program started on the command, and closes the object.
void end_result(io::JsonWriter& json, const Context& context);

// Prints a whole result: the envelope, with the members that `write` adds inside it.
void print_result(const Context& context, const std::function<void(io::JsonWriter& json)>& write);

// The same for a record, whose fields become members, and for an evaluation behind them. Results
// that are recorded have no times.
void print_result(const Context& context, RecordRef record);
void print_result(const Context& context, RecordRef record, const report::Evaluation& evaluation);

// Writes an evaluation with the envelope, but without times, into a file that fovea view opens.
void write_evaluation_result(const std::string& path, const Context& context,
                             const report::Evaluation& evaluation);

// Writes the folder of an evaluation, which is made: evaluation.json, and what
// report::write_evaluation_page() writes, with times where they are told.
void write_evaluation_folder(const std::string& folder, const Context& context,
                             const report::Evaluation& evaluation,
                             report::EvaluationPageSetup setup = {});

// What made the result.
io::ResultOrigin origin_of(const Context& context);
// The same members as an object, for files of other formats that can hold one.
std::string provenance_json(const Context& context);
// The same members for the foot of a report page.
report::Provenance page_provenance(const Context& context);

// Seconds since the program started on the command.
double seconds_so_far(const Context& context);

// Whether results tell times and memory, which differ from run to run: not where they are recorded,
// so that resumed and merged runs, whose units were measured at other times and on other machines,
// print the same.
bool reports_times(const Context& context);
inline io::WrittenFields written_fields(const Context& context) {
  return {.times = reports_times(context)};
}
// ", 43.1 ms" at the end of a line, or nothing.
std::string time_at_end(const Context& context, double seconds);

// Must be called for each option that names an output file, before anything is printed. Where the
// file is the standard output, console lines become notes on standard error. Throws InvalidArgument
// where --json or another option writes there too.
void settle_output(Context& context, std::string_view option, std::string_view path);

}  // namespace fovea::cli
