// The folder through which fovea scenes dictionary and fovea scenes assign exchange the rounds of
// learning words from samples in parts. It holds the request of the open round, the answers of the
// parts to it, the merged answers of earlier rounds, with which learning is begun again, and the
// earlier requests that later ones follow, with which a part is begun again. All requests name the
// samples that words are learned from. One learning at a time holds the folder.
#pragma once
#include <fovea/cluster/manifest.h>
#include <fovea/scenes/parts.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The options of both verbs.
struct RoundOptions {
  std::string folder{};
  double wait_seconds = 0;
  bool trust = false;  // also what belongs to another user
};
void describe(OptionVisitor& visit, RoundOptions& options);

// The samples of one shard. Throws InvalidArgument where another command wrote the manifest, or
// where it belongs to another user who is not trusted.
cluster::Manifest open_samples(const std::string& path, const RoundOptions& options);

// All samples of the shard. Throws InvalidArgument where an image has no result yet.
Image<float> samples_in(const cluster::Manifest& manifest);

// Which part of which job the shard's samples are.
scenes::PartPlace place_of(const cluster::Manifest& manifest);

// Looks for something again and again until it is there or so many seconds have passed. Throws
// Cancelled where the program is interrupted.
class PollTimeout {
 public:
  PollTimeout(double seconds, const Exec& exec);
  // Waits a moment; false where the time has passed.
  bool wait();
  // Begins anew, after something was found.
  void renew();

 private:
  double seconds_;
  const Exec& exec_;
  double end_ = 0;
  double pause_ = 0;
};

// Ends learning that waits for answers.
struct AnswersNeeded {
  std::int64_t round = 0;
  scenes::RoundKind kind{};
  std::vector<int> parts{};  // without an answer
};

// Files are named after the number and the hash of their request, so that a late answer to another
// request of the same number is never looked at.
class RoundFolder {
 public:
  RoundFolder(const RoundOptions& options, const Exec& exec);
  const std::string& name() const { return folder_; }
  RoundOptions options() const { return {folder_, wait_seconds_, trust_}; }

  // For learning. Makes the folder, in which an earlier learning may have ended, and holds it.
  // Throws IoError that names the owner where another process learns in it.
  void begin();
  // Gives the merged answer of all parts, or throws AnswersNeeded. Removes answers that do not fit,
  // for which it throws InvalidArgument or FormatError.
  scenes::RoundAnswer ask(const scenes::RoundRequest& request, int parts);
  // Removes all rounds and says from which samples words were learned.
  void finish(const scenes::SampleParts& parts);

  // For parts. The open round, where there is one.
  std::optional<scenes::RoundName> open_round() const;
  bool is_open(scenes::RoundName round) const;
  // Throws IoError where it is not there: all parts may have answered meanwhile.
  scenes::RoundRequest request(scenes::RoundName round) const;
  bool has_answer(scenes::RoundName round, int part) const;
  void answer(scenes::RoundName round, int part, const scenes::RoundAnswer& answer) const;
  // The end of the last learning: a request that names its samples, and asks for nothing.
  std::optional<scenes::RoundRequest> finished() const;

 private:
  std::string request_file(scenes::RoundName round) const;
  std::string followed_file(scenes::RoundName round) const;
  std::string answer_file(scenes::RoundName round, int part) const;
  std::string merged_file(scenes::RoundName round) const;
  std::string end_file() const;
  scenes::RoundAnswer answer_of(const scenes::RoundRequest& request, scenes::RoundName round,
                                int part) const;
  // Returns the file. Throws InvalidArgument where it belongs to another user who is not trusted.
  std::string own(std::string file) const;
  void remove_all_but(std::string_view kept) const;
  std::vector<int> missing(scenes::RoundName round, int parts) const;
  void open(scenes::RoundName round, const scenes::RoundRequest& request) const;

  std::string folder_;
  double wait_seconds_;
  bool trust_;
  const Exec& exec_;
  std::optional<scenes::RoundLock> lock_{};
};

}  // namespace fovea::cli
