#pragma once
#include <fovea/scenes/dictionary.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Words that are learned from samples in parts, such as those of the shards of a corpus, which may
// lie on different machines. Learning goes in rounds: every part answers a request about its own
// samples, and the answers are merged. Sums are whole numbers, so that the dictionary has the bits
// of learn_dictionary() on all samples together, for any number of parts and threads. A part may be
// begun anew before any round: what it needs of earlier rounds is in the request or in those that
// the request follows.
namespace fovea::scenes {

enum class RoundKind : unsigned char {
  kRanges,   // how many samples there are, and the least and greatest of each number
  kSums,     // the sum of each number
  kSquares,  // the sum of its squared differences from the mean
  kRows,     // some samples
  kNearest,  // the sum of squared distances from the nearest of all centers so far (k-means++)
  kFind,     // the sample at which the sum of these distances exceeds a number
  kAssign,   // the samples of each center: their number and sums
  kFarthest  // the samples that lie farthest from their centers
};
FOVEA_API std::span<const Choice> choices(RoundKind);

// A request by its number and its hash, by which two requests of the same number are told apart.
struct RoundName {
  std::int64_t number = 0;
  std::uint64_t identity = 0;
  bool operator==(const RoundName&) const = default;
};

struct RoundRequest {
  RoundKind kind = RoundKind::kRanges;
  std::int64_t number = 0;  // of the round, from 0
  // The samples that are learned from, as SampleParts has them.
  std::uint64_t job = 0;
  std::vector<std::uint64_t> samples{};
  // The number of each part's first sample among all, and the number of all samples.
  std::vector<std::int64_t> firsts{};
  // kRows: samples; kFind: a part and a number below its last sum; kAssign: samples that moved
  // since the last assignment, each with the centers that it left and went to; kFarthest: how many.
  std::vector<std::int64_t> points{};
  std::vector<double> numbers{};       // scales of whole numbers; kSquares: means before them
  std::vector<float> mean{}, scale{};  // as those of a dictionary; empty before they are known
  // One per row. kNearest: the newest center; kAssign: now and at the last assignment.
  Image<float> centers{}, before{};
  // kNearest, kFind: the last request for distances, from which this one continues. The first of a
  // start has none. Since the hash covers it, a request stands for all centers so far.
  std::optional<RoundName> after{};
};

struct RoundAnswer {
  std::uint64_t job = 0;               // what the part is one of
  std::uint64_t samples = 0;           // hash of the samples of the part, or of all parts
  std::vector<std::int64_t> wholes{};  // sums, counts and numbers of samples
  Image<float> rows{};
};

// Which part it is. Answers of parts of different jobs are not merged.
struct PartPlace {
  int index = 0;
  std::uint64_t job = 0;
};

// Of samples, one per row, before they are standardized.
FOVEA_API std::uint64_t hash_of_samples(ImageView<const float> samples);

// All parts that words are learned from.
struct SampleParts {
  int count = 1;
  std::uint64_t job = 0;  // what they are parts of
  // The hash of each part's samples. Every request has them, and only parts with these samples
  // answer it. Where they are empty, parts are not looked at before they have answered.
  std::vector<std::uint64_t> samples{};
};

// Whether a request is for a part with samples of this hash.
FOVEA_API bool is_asked(const RoundRequest& request, const PartPlace& part, std::uint64_t samples);

// Gives an earlier request, of kind kNearest, to a part that was begun anew or has missed it. Where
// it is not there, the function throws an exception of its own.
using RecallRequest = std::function<RoundRequest(const RoundName&)>;

// The samples of one part, one per row.
class FOVEA_API SamplePart {
 public:
  // Computes on the CPU with the threads of `exec`.
  SamplePart(Image<float> samples, PartPlace place, const Exec& exec = {});
  SamplePart(SamplePart&&) noexcept;
  SamplePart& operator=(SamplePart&&) noexcept;
  ~SamplePart();

  // False once the samples were standardized for another learning: then the part must be made
  // anew.
  bool can_answer(const RoundRequest& request) const;
  // The next round costs less where it was this object that answered the last one; otherwise it
  // first looks at earlier requests, as far as it has to go back. Throws InvalidArgument where a
  // request does not fit the samples, or where it would need earlier ones and cannot recall them.
  RoundAnswer answer(const RoundRequest& request, const RecallRequest& recall = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One answer of all parts, which are given in their order. Throws InvalidArgument where they are
// not of one job, or not the parts that were asked.
FOVEA_API RoundAnswer merge_answers(const RoundRequest& request, std::vector<RoundAnswer>&& parts);

// Asks all parts and merges their answers. Where an answer is not yet there, the function throws an
// exception of its own, which ends the learning. Learning that is begun again makes the same
// requests.
using AskParts = std::function<RoundAnswer(const RoundRequest&)>;

// Learns a dictionary from samples in parts. Throws InvalidArgument as the function for samples in
// one place does, where mini-batches are asked for (options.kmeans.batch), and where an answer is
// from other samples.
FOVEA_API Dictionary learn_dictionary(const SampleParts& parts, const AskParts& ask,
                                      const DescriptorOptions& descriptor,
                                      const DictionaryOptions& options = {});

// Requests and answers as safetensors files. They name the version and the architecture that wrote
// them, and are refused by others, because the last bits of distances may differ.
FOVEA_API void write_request(const std::string& path, const RoundRequest& request);
FOVEA_API RoundRequest read_request(const std::string& path);
// Its number, and a hash of all that a request has.
FOVEA_API RoundName name_of(const RoundRequest& request);
// An answer names the request by its hash. Reading throws InvalidArgument where that is another
// one.
FOVEA_API void write_answer(const std::string& path, const RoundAnswer& answer,
                            std::uint64_t request);
FOVEA_API RoundAnswer read_answer(const std::string& path, std::uint64_t request);

// Holds a folder of such files, which is for one learning at a time. The file FOLDER/lock says
// which process has it; the system frees what a process that died has held.
class FOVEA_API RoundLock {
 public:
  // Throws IoError that names the owner where there is one.
  explicit RoundLock(const std::string& folder);
  RoundLock(RoundLock&&) noexcept;
  RoundLock& operator=(RoundLock&&) noexcept;
  ~RoundLock();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::scenes
