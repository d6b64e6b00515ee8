#include "cli/program/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fovea::cli {

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
    buffer_.clear();  // what could not be written once is not tried again on the way out
    if (holds_ == Holds::kMessages) return;
    if (reason == EPIPE) throw ClosedPipe();
    throw OutputError(fmt::format("standard output: cannot write: {}", std::strerror(reason)));
  }
  buffer_.clear();
}

Console::Console(const Streams& streams)
    : streams_(streams),
      progress_({streams.err, streams.err_is_terminal, streams.columns, steady_seconds}) {}

void Console::set_progress(ProgressStyle style) { progress_.set_style(style); }

void Console::print(std::string_view text) {
  if (streams_.out_is_terminal) progress_.clear();
  streams_.out.write(text);
}

void Console::message(std::string_view text) {
  progress_.clear();
  streams_.out.flush();  // on one screen, words stand in the order they were said
  streams_.err.write(fmt::format("fovea: {}\n", text));
  streams_.err.flush();
}

void Console::complain(std::string_view text) {
  progress_.clear();
  streams_.err.write(streams_.color ? "\x1b[1;31mfovea:\x1b[0m " : "fovea: ");
  streams_.err.write(text);
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
