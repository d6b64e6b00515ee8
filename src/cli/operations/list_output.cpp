#include "cli/operations/list_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/jobs/journal.h"

namespace fovea::cli {

using operations::List;

ListOutput::ListOutput(const Job& job) : job_(job) {
  const auto& outputs = job.outputs();
  const auto list = std::ranges::find_if(
      outputs, [](const operations::Output& output) { return output.list != List::kNo; });
  if (list == outputs.end()) return;
  wanted_ = true;
  const std::string& path = job.named[static_cast<std::size_t>(list - outputs.begin())].path;
  Console& console = job.context.console;
  const bool prints = path.empty();
  if (prints && job.context.json) return;
  lines_ = prints && list->list == List::kLines && console.out_is_terminal();
  json_ = path.ends_with(".json");
  if (!prints && writes_shared_files(job.context)) file_.emplace(path);
  if (lines_ || json_ || (!prints && !file_)) return;
  io::Sink sink = [&console](std::string_view text) { console.print_at_once(text); };
  if (file_) sink = file_->sink();
  csv_.emplace(std::move(sink), job.call.columns(), io::CsvOptions{.crlf = false});
}

io::Sink ListOutput::json_file() { return json_ && file_ ? file_->sink() : io::Sink(); }

void ListOutput::add(const io::Place& place, const void* item) {
  if (csv_) job_.call.write_row(*csv_, place, item);
  if (lines_)
    job_.context.console.print_at_once(fmt::format("{}{}\n", place.input, job_.call.line(item)));
}

void ListOutput::commit() {
  if (file_) file_->commit();
}

}  // namespace fovea::cli
