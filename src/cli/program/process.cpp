#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/program/run.h"
#include "cli/program/signals.h"

namespace fovea::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

int terminal_columns(int stream) {
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Help is as wide as the terminal, but lines of more than 120 columns are hard to read.
int help_columns() {
  const char* set = std::getenv("COLUMNS");
  const int columns = set != nullptr ? std::atoi(set) : 0;
  return std::clamp(columns > 0 ? columns : terminal_columns(STDOUT_FILENO), 40, 120);
}

// A closed standard stream is opened in the wrong direction. Using it then fails, as it should, and
// no file or device that is opened later gets its number and thereby our output.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    const int taken = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (taken != stream && taken >= 0) close(taken);
  }
}

}  // namespace

int run_process(const std::vector<std::string>& args) {
  hold_closed_streams();
  signal(SIGPIPE,
         SIG_IGN);  // a reader that has gone is met as a failed write, and cleaned up after
  std::stop_source stop;
  stop_on_signals(stop);

  DescriptorSink out(STDOUT_FILENO, DescriptorSink::Holds::kResults);
  DescriptorSink err(STDERR_FILENO, DescriptorSink::Holds::kMessages);
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  const bool lively = isatty(STDERR_FILENO) == 1 && !dumb && !is_set("CI");
  return run(args, {.out = out,
                    .err = err,
                    .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                    .err_is_terminal = lively,
                    .color = lively && !is_set("NO_COLOR"),
                    .columns = terminal_columns(STDERR_FILENO),
                    .help_columns = help_columns(),
                    .stop = stop.get_token()});
}

}  // namespace fovea::cli
