// A thread waits for the signals instead of a handler, because requesting a stop takes a lock,
// which handlers must not do.
#include "cli/program/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "cli/program/run.h"

namespace fovea::cli {

void stop_on_signals(const std::stop_source& stop) {
  sigset_t waited;
  sigemptyset(&waited);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&waited, signal);
  }
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  std::thread([waited, stop]() mutable {
    int signal = 0;
    sigwait(&waited, &signal);
    stop.request_stop();
    sigwait(&waited, &signal);
    _exit(kInterrupted);
  }).detach();
}

}  // namespace fovea::cli
