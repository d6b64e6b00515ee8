// Runs systems in a few threads of its own, so that pages do not wait for each other. A new job of
// a page stops the one before it, so that a slider that moves always gets the newest result first;
// and a job to which nobody listens any more is stopped, as when its page was closed.
#pragma once
#include <fovea/core/exec.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "view/http.h"
#include "view/system.h"

namespace fovea::view {

enum class JobState : unsigned char { kWaiting, kRunning, kDone, kFailed, kStopped };

// Whether a job is about a single picture or mesh, or about a whole video.
enum class JobLength : unsigned char { kQuick, kLong };

// One run: what it is doing, and then what it found.
struct Job {
  std::string id{};
  std::string client{};  // the page that asked for it
  JobLength length = JobLength::kQuick;
  std::function<Result(const Exec& exec)> work{};
  std::stop_source stop{};
  JobState state = JobState::kWaiting;
  std::string stage{};
  double done = 0, total = 0;  // of the stage
  std::string error{};
  std::shared_ptr<const Result> result{};
  std::optional<std::chrono::steady_clock::time_point> alone{};  // since when nobody listens
};

struct JobLimits {
  int running = 4;       // at the same time: they share the processor
  int running_long = 2;  // of these; the other threads are for quick ones
  // Of one page: the newest, and one before it that was stopped and has not noticed yet. So a page
  // whose slider moves does not take the threads of all others.
  int running_of_client = 2;
  std::ptrdiff_t waiting = 32;
  std::size_t ended = 24;  // whose results are kept
  // Of these results, and of those of one page. The newest is kept at any rate, and that of each
  // page, which it shows, whatever the page's share.
  std::size_t bytes = std::size_t{256} << 20;
  std::size_t bytes_of_client = std::size_t{40} << 20;
  std::chrono::milliseconds alone{5000};  // after which nobody seems to want a job
};

class Jobs {
 public:
  // All jobs have the device and threads of `exec`.
  explicit Jobs(Exec exec, const JobLimits& limits = {});
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Adds a job and returns its id. Throws InvalidArgument where too many wait.
  std::string submit(const std::string& client, std::function<Result(const Exec& exec)> work,
                     JobLength length = JobLength::kQuick);
  // Who listens is told at once, also where the work takes a while to notice.
  void stop(std::string_view id);

  // Stops all jobs and the threads. Jobs that are added later do not run.
  void end();

  // Calls `send` with the state of a job, now and whenever it changes, as JSON; the last time when
  // it has ended. Returns null where there is no such job. The listener's message "stop" stops it.
  std::unique_ptr<Listener> listen(std::string_view id, Send send);

  // Keeps a result that no job has made for a page, and returns the id by which it is found.
  std::string keep(const std::string& client, std::shared_ptr<const Result> result);
  // The result of a job; null where there is none, or none any more: the last ones are kept.
  std::shared_ptr<const Result> result(std::string_view id) const;

 private:
  struct Ear;
  class Listening;
  void work(const std::stop_token& end);
  std::shared_ptr<Job> next_to_run() const;
  void run(const std::shared_ptr<Job>& job);
  void watch(const std::stop_token& end);
  std::optional<std::chrono::steady_clock::time_point> next_to_stop() const;
  void stop_job(Job& job);
  void forget_old();
  std::shared_ptr<Job> find(std::string_view id) const;
  void release_memory(const std::stop_token& end);
  void tell(const Job& job);
  void unlisten(const Ear* ear);

  Exec exec_;
  JobLimits limits_;
  std::string prefix_;
  mutable std::mutex mutex_{};
  std::condition_variable_any changed_{};
  std::deque<std::shared_ptr<Job>> jobs_{};      // the oldest first
  std::vector<std::shared_ptr<Job>> running_{};  // that have a thread, also after they were stopped
  std::list<std::shared_ptr<Ear>> ears_{};
  std::uint64_t next_ = 0;
  bool freed_ = false;  // memory, since it was last given back to the system
  std::vector<std::jthread> threads_{};
};

}  // namespace fovea::view
