#include "cli/scenes/distributed_kmeans.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/jobs/journal.h"
#include "cli/jobs/trust.h"
#include "cli/program/files.h"
#include "cli/program/stopwatch.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using scenes::RoundName;

constexpr double kShortestPause = 0.0005, kLongestPause = 0.05;  // seconds

bool found_now(const std::string& file) {
  std::error_code error;
  return fs::exists(file, error);
}

void remove_file(const std::string& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

constexpr std::string_view kRequest = "request-", kAnswer = "answer-";
// Files that a process was writing when it was killed.
constexpr std::string_view kTornRequest = ".request-", kTornAnswer = ".answer-";

// The files of a folder whose names begin so.
std::vector<fs::path> files_in(const std::string& folder, std::string_view begin) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(begin)) files.push_back(entry.path());
  return files;
}

// From the end of a request's name: the number, a hyphen and the identity.
std::optional<RoundName> round_in(std::string_view text) {
  RoundName round;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, round.number);
  if (number.ec != std::errc() || number.ptr == end) return std::nullopt;
  const auto identity = std::from_chars(number.ptr + 1, end, round.identity, 16);
  if (identity.ec != std::errc() || identity.ptr != end) return std::nullopt;
  return round;
}

}  // namespace

void describe(OptionVisitor& visit, RoundOptions& options) {
  visit.path("rounds", options.folder, TextUse::kFolder,
             "folder through which words are learned from samples in parts: fovea scenes "
             "dictionary asks and fovea scenes assign answers");
  visit("wait", options.wait_seconds,
        "with --rounds: how many seconds to wait for the next request or answer before ending", 0,
        1e6);
  visit("trust", options.trust, "take manifests and files of rounds that belong to another user");
}

cluster::Manifest open_samples(const std::string& path, const RoundOptions& options) {
  if (!options.trust) require_own(path, "--trust");
  cluster::Manifest manifest(path);
  if (manifest.job().command != "scenes sample")
    throw InvalidArgument(
        fmt::format("{}: is the manifest of {}, expected one that fovea scenes sample wrote", path,
                    detail::shown(manifest.job().command, 40)));
  return manifest;
}

Image<float> samples_in(const cluster::Manifest& manifest) {
  const cluster::UnitRange range = units_of(manifest.shard(), manifest.job().units);
  RowTable table;
  for (std::uint64_t unit = range.first; unit < range.last; ++unit) {
    if (!manifest.status(unit))
      throw InvalidArgument(
          fmt::format("{}: has no result of image {} yet; run that shard again with --resume",
                      manifest.path(), unit + 1));
    const cluster::UnitRecord record = manifest.record(unit);
    if (record.status == cluster::UnitStatus::kDone)
      table.add(result_of(record).record<ImageRows>());
  }
  return table.rows();
}

scenes::PartPlace place_of(const cluster::Manifest& manifest) {
  const cluster::JobIdentity& job = manifest.job();
  return {manifest.shard().index,
          cluster::hash_of(fmt::format("{} {} {} {} {} {}", job.options, job.models, job.inputs,
                                       job.units, job.version, manifest.shard().count))};
}

PollTimeout::PollTimeout(double seconds, const Exec& exec) : seconds_(seconds), exec_(exec) {
  renew();
}

void PollTimeout::renew() {
  end_ = steady_seconds() + seconds_;
  pause_ = kShortestPause;
}

bool PollTimeout::wait() {
  throw_if_stopped(exec_);
  if (steady_seconds() >= end_) return false;
  std::this_thread::sleep_for(std::chrono::duration<double>(pause_));
  pause_ = std::min(pause_ * 1.1, kLongestPause);
  return true;
}

RoundFolder::RoundFolder(const RoundOptions& options, const Exec& exec)
    : folder_(options.folder),
      wait_seconds_(options.wait_seconds),
      trust_(options.trust),
      exec_(exec) {
  if (trust_) return;
  for (const char* name : {"", "/merged", "/followed"})
    require_own_folder(folder_ + name, "--trust");
}

std::string RoundFolder::own(std::string file) const {
  if (!trust_) require_own(file, "--trust");
  return file;
}

std::string RoundFolder::request_file(RoundName round) const {
  return fmt::format("{}/{}{}-{:016x}.safetensors", folder_, kRequest, round.number,
                     round.identity);
}
std::string RoundFolder::followed_file(RoundName round) const {
  return fmt::format("{}/followed/{}-{:016x}.safetensors", folder_, round.number, round.identity);
}
std::string RoundFolder::answer_file(RoundName round, int part) const {
  return fmt::format("{}/{}{}-{}-{:016x}.safetensors", folder_, kAnswer, round.number, part,
                     round.identity);
}
std::string RoundFolder::merged_file(RoundName round) const {
  return fmt::format("{}/merged/{}.safetensors", folder_, round.number);
}
std::string RoundFolder::end_file() const { return folder_ + "/finished.safetensors"; }

void RoundFolder::begin() {
  make_folder(folder_);
  lock_.emplace(folder_);
  for (const char* name : {"/merged", "/followed"}) make_folder(folder_ + name);
  remove_file(end_file());
}

std::vector<int> RoundFolder::missing(RoundName round, int parts) const {
  std::vector<int> missing;
  for (int part = 0; part < parts; ++part)
    if (!has_answer(round, part)) missing.push_back(part);
  return missing;
}

// Removes requests and answers, but for those whose names have this in them. Requests go first, so
// that nobody answers them again.
void RoundFolder::remove_all_but(std::string_view kept) const {
  for (const std::string_view begin : {kRequest, kTornRequest, kAnswer, kTornAnswer})
    for (const fs::path& file : files_in(folder_, begin))
      if (kept.empty() || file.filename().string().find(kept) == std::string::npos)
        remove_file(file);
}

// What other rounds have left is removed: the last one, that of a process which was killed, or that
// of a learning with other options.
void RoundFolder::open(RoundName round, const scenes::RoundRequest& request) const {
  remove_all_but(fmt::format("-{:016x}.", round.identity));
  if (is_open(round)) return;
  // What others follow is kept. Its round is open once a file has its name, be it an empty one.
  if (request.kind == scenes::RoundKind::kNearest) {
    if (!found_now(followed_file(round))) scenes::write_request(followed_file(round), request);
    write_text(request_file(round), "");
  } else {
    scenes::write_request(request_file(round), request);
  }
}

// An answer that does not fit is removed, so that the right one can take its place.
scenes::RoundAnswer RoundFolder::answer_of(const scenes::RoundRequest& request, RoundName round,
                                           int part) const {
  const std::string file = own(answer_file(round, part));
  try {
    scenes::RoundAnswer answer = scenes::read_answer(file, round.identity);
    if (is_asked(request, {part, answer.job}, answer.samples)) return answer;
  } catch (const InvalidArgument&) {
    remove_file(file);
    throw;
  } catch (const FormatError&) {
    remove_file(file);
    throw;
  }
  remove_file(file);
  throw InvalidArgument(
      fmt::format("{}: was made from other samples than those of the manifests; it is removed: "
                  "run fovea scenes assign for shard {} again",
                  file, part));
}

scenes::RoundAnswer RoundFolder::ask(const scenes::RoundRequest& request, int parts) {
  const RoundName round = name_of(request);
  const std::string merged = merged_file(round);
  if (found_now(merged)) return scenes::read_answer(own(merged), round.identity);
  open(round, request);
  std::vector<int> left = missing(round, parts);
  for (PollTimeout timeout(wait_seconds_, exec_); !left.empty(); left = missing(round, parts))
    if (!timeout.wait()) throw AnswersNeeded{request.number, request.kind, left};
  std::vector<scenes::RoundAnswer> answers;
  answers.reserve(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part) answers.push_back(answer_of(request, round, part));
  scenes::RoundAnswer answer = merge_answers(request, std::move(answers));
  scenes::write_answer(merged, answer, round.identity);
  return answer;
}

void RoundFolder::finish(const scenes::SampleParts& parts) {
  scenes::write_request(end_file(), {.job = parts.job, .samples = parts.samples});
  remove_all_but("");
  std::error_code ignored;
  for (const char* name : {"/merged", "/followed"}) fs::remove_all(folder_ + name, ignored);
}

std::optional<RoundName> RoundFolder::open_round() const {
  for (const fs::path& file : files_in(folder_, kRequest))
    if (const auto round = round_in(file.stem().string().substr(kRequest.size()))) return round;
  return std::nullopt;
}

bool RoundFolder::is_open(RoundName round) const { return found_now(request_file(round)); }

scenes::RoundRequest RoundFolder::request(RoundName round) const {
  const std::string open = request_file(round);
  return scenes::read_request(own(file_bytes(open) > 0 ? open : followed_file(round)));
}

bool RoundFolder::has_answer(RoundName round, int part) const {
  return found_now(answer_file(round, part));
}

void RoundFolder::answer(RoundName round, int part, const scenes::RoundAnswer& answer) const {
  scenes::write_answer(answer_file(round, part), answer, round.identity);
}

std::optional<scenes::RoundRequest> RoundFolder::finished() const {
  if (!found_now(end_file())) return std::nullopt;
  try {
    return scenes::read_request(own(end_file()));
  } catch (const IoError&) {  // another learning begins
    return std::nullopt;
  }
}

}  // namespace fovea::cli
