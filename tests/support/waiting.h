// Waiting for a stop, and for moments that no callback tells of: a thread has come to wait, or has
// worked for some time, or another process has done something.
#pragma once
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace fovea::test {

// Whether a thread of this process sleeps in the kernel, as for a pipe, a socket or a lock, or has
// ended.
inline bool asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);                      // a thread that ends meanwhile leaves it empty
  const std::size_t name_end = text.rfind(')');  // the state follows the name
  return name_end == std::string::npos || text.substr(name_end, 3) == ") S";
}

inline void wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait(lock, stop, [] { return false; });
}

// Whether the condition is met within a minute. It is asked again and again, because nothing tells
// when it changes.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// Asks for a stop once the calling thread waits for something.
inline std::jthread stop_once_asleep(const std::stop_source& stop) {
  return std::jthread([stop, caller = gettid()](const std::stop_token& over) mutable {
    while (!asleep(caller) && !over.stop_requested()) std::this_thread::yield();
    stop.request_stop();
  });
}

// Asks for a stop once the calling thread has worked for so many milliseconds.
inline std::jthread stop_after_work(const std::stop_source& stop, int milliseconds) {
  clockid_t clock{};
  pthread_getcpuclockid(pthread_self(), &clock);
  const auto worked = [clock] {
    timespec now{};
    clock_gettime(clock, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
  };
  return std::jthread(
      [stop, worked, until = worked() + milliseconds](const std::stop_token& over) mutable {
        while (worked() < until && !over.stop_requested()) std::this_thread::yield();
        stop.request_stop();
      });
}

}  // namespace fovea::test
