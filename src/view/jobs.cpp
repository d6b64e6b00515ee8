#include "view/jobs.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

#include <fmt/format.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <map>

#include "core/json_text.h"
#include "view/access/guard.h"

namespace fovea::view {
namespace {

using Clock = std::chrono::steady_clock;

// Gives freed memory back to the system. glibc would keep what one thread has freed for that
// thread.
void release_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

bool ended(const Job& job) {
  return job.state == JobState::kDone || job.state == JobState::kFailed ||
         job.state == JobState::kStopped;
}

// Whether nobody listens to a job that goes on.
bool is_alone(const Job& job) { return job.alone && !ended(job) && !job.stop.stop_requested(); }

std::string state_json(const Job& job) {
  switch (job.state) {
    case JobState::kWaiting: return R"({"state": "waiting"})";
    case JobState::kDone: return R"({"state": "done"})";
    case JobState::kStopped: return R"({"state": "stopped"})";
    case JobState::kFailed:
      return fmt::format(R"({{"state": "failed", "error": {}}})", detail::json_quote(job.error));
    case JobState::kRunning: break;
  }
  return fmt::format(R"({{"state": "running", "stage": {}, "done": {}, "total": {}}})",
                     detail::json_quote(job.stage), detail::json_number(job.done),
                     detail::json_number(job.total));
}

}  // namespace

struct Jobs::Ear {
  std::string job;
  Send send;
};

class Jobs::Listening final : public Listener {
 public:
  Listening(Jobs& jobs, std::shared_ptr<Ear> ear) : jobs_(jobs), ear_(std::move(ear)) {}
  ~Listening() override { jobs_.unlisten(ear_.get()); }
  void message(std::string_view text) override {
    if (text == "stop") jobs_.stop(ear_->job);
  }

 private:
  Jobs& jobs_;
  std::shared_ptr<Ear> ear_;
};

Jobs::Jobs(Exec exec, const JobLimits& limits)
    : exec_(std::move(exec)), limits_(limits), prefix_(random_token().substr(0, 8)) {
  threads_.emplace_back([this](const std::stop_token& end) { watch(end); });
  threads_.emplace_back([this](const std::stop_token& end) { release_memory(end); });
  for (int i = 0; i < limits_.running; ++i)
    threads_.emplace_back([this](const std::stop_token& end) { work(end); });
}

// The oldest quick job that waits, or else the oldest long one; null where none may begin.
std::shared_ptr<Job> Jobs::next_to_run() const {
  const auto is_open = [&](const std::shared_ptr<Job>& job) {
    return job->state == JobState::kWaiting &&
           std::ranges::count(running_, job->client, &Job::client) < limits_.running_of_client;
  };
  const bool takes_long =
      std::ranges::count(running_, JobLength::kLong, &Job::length) < limits_.running_long;
  std::shared_ptr<Job> next;
  for (const std::shared_ptr<Job>& job : jobs_) {
    if (!is_open(job)) continue;
    if (job->length == JobLength::kQuick) return job;
    if (!next && takes_long) next = job;
  }
  return next;
}

void Jobs::work(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    std::shared_ptr<Job> job;
    if (!changed_.wait(lock, end, [&] { return (job = next_to_run()) != nullptr; })) return;
    job->state = JobState::kRunning;
    running_.push_back(job);
    tell(*job);
    lock.unlock();
    run(job);
    job->work = {};  // and all that it holds
    lock.lock();
    std::erase(running_, job);
    freed_ = true;
    changed_.notify_all();
  }
}

// Soon after a job, and seldom: it takes some milliseconds.
void Jobs::release_memory(const std::stop_token& end) {
  constexpr auto kSoon = std::chrono::seconds(1), kPause = std::chrono::seconds(10);
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, end, [&] { return freed_; })) {
    changed_.wait_for(lock, end, kSoon, [] { return false; });
    freed_ = false;
    lock.unlock();
    release_freed_memory();
    lock.lock();
    changed_.wait_for(lock, end, kPause, [] { return false; });
  }
}

// When the first of the jobs that are alone has been so for too long; nothing where none is.
std::optional<Clock::time_point> Jobs::next_to_stop() const {
  std::optional<Clock::time_point> first;
  for (const std::shared_ptr<Job>& job : jobs_)
    if (is_alone(*job) && (!first || *job->alone + limits_.alone < *first))
      first = *job->alone + limits_.alone;
  return first;
}

void Jobs::watch(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  std::optional<Clock::time_point> next;
  const auto find_next = [&] {
    next = next_to_stop();
    return next.has_value();
  };
  while (changed_.wait(lock, end, find_next)) {
    // What changes meanwhile can only make it later.
    changed_.wait_until(lock, end, *next, [] { return false; });
    for (const std::shared_ptr<Job>& job : jobs_)
      if (is_alone(*job) && *job->alone + limits_.alone <= Clock::now()) stop_job(*job);
  }
}

Jobs::~Jobs() { end(); }

void Jobs::end() {
  {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Job>& job : jobs_) job->stop.request_stop();
  }
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

// One that runs has its thread until it notices, and what it finds is dropped.
void Jobs::stop_job(Job& job) {
  job.stop.request_stop();
  job.state = JobState::kStopped;
  tell(job);
}

std::string Jobs::submit(const std::string& client, std::function<Result(const Exec& exec)> work,
                         JobLength length) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Job>& job : jobs_)
    if (job->client == client && !ended(*job)) stop_job(*job);
  const auto waiting = std::ranges::count(jobs_, JobState::kWaiting, &Job::state);
  if (waiting >= limits_.waiting)
    throw InvalidArgument(fmt::format("{} runs wait already; try again later", waiting));
  auto job = std::make_shared<Job>();
  job->id = fmt::format("{}-{}", prefix_, next_++);
  job->client = client;
  job->length = length;
  job->work = std::move(work);
  job->alone = Clock::now();
  jobs_.push_back(job);
  forget_old();
  changed_.notify_all();
  return job->id;
}

void Jobs::stop(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Job> job = find(id);
  if (job && !ended(*job)) stop_job(*job);
}

void Jobs::run(const std::shared_ptr<Job>& job) {
  Exec exec = exec_;
  exec.stop = job->stop.get_token();
  exec.progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex_);
    if (ended(*job)) return;
    job->stage = progress.stage;
    job->done = progress.done;
    job->total = progress.total;
    tell(*job);
  };
  std::shared_ptr<const Result> result;
  JobState state = JobState::kDone;
  std::string error;
  try {
    result = std::make_shared<const Result>(job->work(exec));
  } catch (const Cancelled&) {
    state = JobState::kStopped;
  } catch (const std::exception& fault) {
    state = JobState::kFailed;
    error = fault_text(fault);
  }
  const std::lock_guard lock(mutex_);
  if (ended(*job)) return;
  job->result = std::move(result);
  job->error = std::move(error);
  job->state = state;
  tell(*job);
  forget_old();
}

// The newest of the ended jobs stay: as many with a result as their number and their memory allow,
// and as many without one, which push no result out.
void Jobs::forget_old() {
  ResultMemory all;
  std::map<std::string, ResultMemory> of_clients;
  std::size_t results = 0, others = 0;
  const auto is_old = [&](const Job& job) {
    if (!ended(job)) return false;
    if (!job.result) return ++others > limits_.ended;
    const bool newest_of_client = !of_clients.contains(job.client);
    ResultMemory& own = of_clients[job.client];
    own.add(*job.result);
    if (!newest_of_client && own.bytes() > limits_.bytes_of_client) return true;
    all.add(*job.result);
    return ++results > limits_.ended || (results > 1 && all.bytes() > limits_.bytes);
  };
  std::deque<std::shared_ptr<Job>> kept;
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job)
    if (!is_old(**job)) kept.push_front(*job);
  jobs_ = std::move(kept);
}

std::shared_ptr<Job> Jobs::find(std::string_view id) const {
  const auto found = std::ranges::find(jobs_, id, &Job::id);
  return found == jobs_.end() ? nullptr : *found;
}

// Ears only hand the message on, so that this is safe under the lock.
void Jobs::tell(const Job& job) {
  for (const std::shared_ptr<Ear>& ear : ears_)
    if (ear->job == job.id) ear->send(state_json(job), ended(job));
}

void Jobs::unlisten(const Ear* ear) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Job> job = find(ear->job);
  std::erase_if(ears_, [&](const std::shared_ptr<Ear>& each) { return each.get() == ear; });
  if (!job || std::ranges::find(ears_, job->id, &Ear::job) != ears_.end()) return;
  job->alone = Clock::now();
  changed_.notify_all();
}

std::unique_ptr<Listener> Jobs::listen(std::string_view id, Send send) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Job> job = find(id);
  if (!job) return nullptr;
  const auto ear = std::make_shared<Ear>(Ear{job->id, std::move(send)});
  ears_.push_back(ear);
  job->alone.reset();
  ear->send(state_json(*job), ended(*job));
  return std::make_unique<Listening>(*this, ear);
}

std::string Jobs::keep(const std::string& client, std::shared_ptr<const Result> result) {
  const std::lock_guard lock(mutex_);
  auto job = std::make_shared<Job>();
  job->id = fmt::format("{}-{}", prefix_, next_++);
  job->client = client;
  job->state = JobState::kDone;
  job->result = std::move(result);
  jobs_.push_back(job);
  forget_old();
  return job->id;
}

std::shared_ptr<const Result> Jobs::result(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Job> job = find(id);
  return job ? job->result : nullptr;
}

}  // namespace fovea::view
