#include "cli/scenes/rounds.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>

#include "cli/program/files.h"
#include "cli/program/stopwatch.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kShortestPause = 0.0005, kLongestPause = 0.05;  // seconds

bool found_now(const std::string& file) {
  std::error_code error;
  return fs::exists(file, error);
}

void remove_file(const std::string& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

}  // namespace

void describe(OptionVisitor& visit, RoundOptions& options) {
  visit.path("rounds", options.folder, TextUse::kFolder,
             "folder through which words are learned from samples in parts: fovea scenes "
             "dictionary asks and fovea scenes assign answers");
  visit("wait", options.wait_seconds,
        "with --rounds: how many seconds to wait for the next request or answer before ending", 0,
        1e6);
}

cluster::Manifest open_samples(const std::string& path) {
  cluster::Manifest manifest(path);
  if (manifest.job().command != "scenes sample")
    throw InvalidArgument(
        fmt::format("{}: is the manifest of {}, expected one that fovea scenes sample wrote", path,
                    detail::shown(manifest.job().command, 40)));
  return manifest;
}

Patience::Patience(double seconds, const Exec& exec) : seconds_(seconds), exec_(exec) { renew(); }

void Patience::renew() {
  end_ = steady_seconds() + seconds_;
  pause_ = kShortestPause;
}

bool Patience::wait() {
  throw_if_stopped(exec_);
  if (steady_seconds() >= end_) return false;
  std::this_thread::sleep_for(std::chrono::duration<double>(pause_));
  pause_ = std::min(pause_ * 1.1, kLongestPause);
  return true;
}

RoundFolder::RoundFolder(const RoundOptions& options, const Exec& exec)
    : folder_(options.folder), wait_seconds_(options.wait_seconds), exec_(exec) {}

std::string RoundFolder::request_file(std::int64_t round) const {
  return fmt::format("{}/request-{}.safetensors", folder_, round);
}
std::string RoundFolder::answer_file(std::int64_t round, int part) const {
  return fmt::format("{}/answer-{}-{}.safetensors", folder_, round, part);
}
std::string RoundFolder::merged_file(std::int64_t round) const {
  return fmt::format("{}/merged/{}.safetensors", folder_, round);
}
std::string RoundFolder::end_file() const { return folder_ + "/finished"; }

void RoundFolder::begin() {
  make_folder(folder_ + "/merged");
  remove_file(end_file());
}

std::vector<int> RoundFolder::missing(std::int64_t round, int parts) const {
  std::vector<int> missing;
  for (int part = 0; part < parts; ++part)
    if (!has_answer(round, part)) missing.push_back(part);
  return missing;
}

// Answers to an earlier request of this number, of a learning with other options, are removed.
void RoundFolder::open_round(const scenes::RoundRequest& request, int parts) {
  const std::string file = request_file(request.number);
  if (found_now(file) && identity_of(scenes::read_request(file)) == identity_of(request)) return;
  for (int part = 0; part < parts; ++part) remove_file(answer_file(request.number, part));
  scenes::write_request(file, request);
}

scenes::RoundAnswer RoundFolder::ask(const scenes::RoundRequest& request, int parts) {
  const std::uint64_t identity = identity_of(request);
  const std::string merged = merged_file(request.number);
  if (found_now(merged)) return scenes::read_answer(merged, identity);
  open_round(request, parts);
  std::vector<int> left = missing(request.number, parts);
  for (Patience patience(wait_seconds_, exec_); !left.empty();
       left = missing(request.number, parts))
    if (!patience.wait()) throw AnswersNeeded{request.number, request.kind, left};
  std::vector<scenes::RoundAnswer> answers;
  for (int part = 0; part < parts; ++part)
    answers.push_back(scenes::read_answer(answer_file(request.number, part), identity));
  scenes::RoundAnswer answer = merge_answers(request, std::move(answers));
  scenes::write_answer(merged, answer, identity);
  remove_file(request_file(request.number));
  for (int part = 0; part < parts; ++part) remove_file(answer_file(request.number, part));
  return answer;
}

void RoundFolder::finish() {
  write_text(end_file(), "words are learned\n");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored))
    if (entry.path().extension() == ".safetensors") remove_file(entry.path());
  fs::remove_all(folder_ + "/merged", ignored);
}

std::optional<scenes::RoundRequest> RoundFolder::open_request() const {
  constexpr std::string_view kBegin = "request-";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (!entry.path().filename().string().starts_with(kBegin)) continue;
    try {
      return scenes::read_request(entry.path());
    } catch (const IoError&) {
      if (found_now(entry.path())) throw;  // else all parts have answered meanwhile
    }
  }
  return std::nullopt;
}

bool RoundFolder::has_answer(std::int64_t round, int part) const {
  return found_now(answer_file(round, part));
}

void RoundFolder::answer(const scenes::RoundRequest& request, int part,
                         const scenes::RoundAnswer& answer) {
  scenes::write_answer(answer_file(request.number, part), answer, identity_of(request));
}

bool RoundFolder::finished() const { return found_now(end_file()); }

}  // namespace fovea::cli
