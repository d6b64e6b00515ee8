#include "cli/program/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostShown = 500;  // characters of a message

}  // namespace

void DescriptorSink::write(std::string_view text) {
  constexpr std::size_t kBufferBytes = 64 * 1024;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void DescriptorSink::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int reason = errno;
    if (reason == EINTR) continue;
    buffer_.clear();  // text that could not be written is not tried again at exit
    if (holds_ == Holds::kMessages) return;
    if (reason == EPIPE) throw ClosedPipe();
    throw OutputError(fmt::format("standard output: cannot write: {}", std::strerror(reason)));
  }
  buffer_.clear();
}

Console::Console(const Streams& streams)
    : streams_(streams),
      progress_({streams.err, streams.err_is_terminal, streams.columns, steady_seconds}) {}

Console Console::with_output(Sink& out) const {
  Console other({.out = out,
                 .err = streams_.err,
                 .color = streams_.color,
                 .columns = streams_.columns,
                 .help_columns = streams_.help_columns,
                 .stop = streams_.stop});
  other.quiet_ = quiet_;
  other.verbose_ = verbose_;
  return other;
}

void Console::set_progress(ProgressStyle style) { progress_.set_style(style); }

void Console::print(std::string_view text) {
  if (stdout_taken()) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      if (!line.empty()) note(line);
      text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return;
  }
  if (streams_.out_is_terminal) progress_.clear();
  streams_.out.write(text);
}

void Console::print_data(std::string_view text) {
  progress_.clear();
  streams_.out.write(text);
}

void Console::take_stdout(std::string_view option) {
  if (stdout_taken() && stdout_taker_ != option)
    throw InvalidArgument(
        fmt::format("{} and {} would both write to standard output; give one of them a file",
                    stdout_taker_, option));
  stdout_taker_ = option;
}

void Console::message(std::string_view text) {
  progress_.clear();
  streams_.out.flush();  // on one terminal, both streams appear in the order of writing
  streams_.err.write(fmt::format("fovea: {}\n", detail::shown(text, kMostShown)));
  streams_.err.flush();
}

void Console::complain(std::string_view text) {
  progress_.clear();
  streams_.err.write(streams_.color ? "\x1b[1;31mfovea:\x1b[0m " : "fovea: ");
  streams_.err.write(detail::shown(text, kMostShown));
  streams_.err.write("\n");
  streams_.err.flush();
}

void Console::note(std::string_view text) {
  if (!quiet_) message(text);
}

void Console::explain(std::string_view text) {
  if (verbose_ && !quiet_) message(text);
}

ProgressFn Console::progress() {
  if (quiet_) return {};
  return [this](const Progress& report) { progress_.report(report); };
}

void Console::flush() {
  progress_.clear();
  streams_.out.flush();
}

}  // namespace fovea::cli
