// Requests and answers as files.
#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/version.h>
#include <fovea/scenes/parts.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/architecture.h"
#include "core/words.h"
#include "io/model/model_reader.h"

namespace fovea::scenes {
namespace {

constexpr const char *kRequestSchema = "scenes.round", *kAnswerSchema = "scenes.answer";
constexpr int kRoundVersion = 3;

template <class T>
void add_list(io::ModelFile& file, const char* name, const std::vector<T>& values) {
  file.add(name, {static_cast<std::int64_t>(values.size())}, values);
}

template <class T>
std::vector<T> list_in(const io::ModelFile& file, const char* name) {
  const auto values = file.tensor<T>(name, {io::kAnySize});
  return {values.begin(), values.end()};
}

Image<float> rows_in(const io::ModelFile& file, const char* name) {
  const auto numbers = file.tensor<float>(name, {io::kAnySize, io::kAnySize});
  const io::Shape& shape = file.shape(name);
  if (numbers.empty()) return {};
  Image<float> rows(static_cast<int>(shape[1]), static_cast<int>(shape[0]));
  for (int y = 0; y < rows.height(); ++y)
    std::copy_n(numbers.data() + std::ptrdiff_t{y} * rows.width(), rows.width(), rows.row(y));
  return rows;
}

void require_same_origin(const io::ModelReader& in) {
  const auto require = [&](const char* what, const char* now) {
    const std::string& then = in.fact(std::string("origin.") + what);
    if (then != now)
      throw InvalidArgument(fmt::format(
          "{}: was written by {} {}, but this is {}; all parts of a training need the same",
          in.file().name(), what, detail::shown(then, 40), now));
  };
  require("version", FOVEA_VERSION);
  require("architecture", detail::kArchitecture);
}

io::ModelFile begun(const char* schema) {
  io::ModelFile file;
  file.set_schema(schema, kRoundVersion);
  file.set_metadata("origin.version", FOVEA_VERSION);
  file.set_metadata("origin.architecture", detail::kArchitecture);
  return file;
}

io::ModelFile opened(const std::string& path, const char* schema) {
  io::ModelFile file = io::ModelFile::read(path);
  file.require_schema(schema, kRoundVersion);
  file.require_finite();
  require_same_origin(io::ModelReader(file));
  return file;
}

const char* word_of(RoundKind kind) { return choices(kind)[static_cast<std::size_t>(kind)].word; }

RoundKind kind_in(const io::ModelReader& in) {
  const std::string& text = in.fact("round.kind");
  for (const Choice& choice : choices(RoundKind{}))
    if (text == choice.word) return static_cast<RoundKind>(choice.value);
  in.unfit(fmt::format("round.kind is {}, which is unknown", detail::shown(text, 40)));
}

// The request that this one follows, which the first request of a start does not have. The file has
// its number and its hash.
std::optional<RoundName> after_in(const io::ModelFile& file) {
  const auto after = list_in<std::uint64_t>(file, "round.after");
  if (after.size() != 2) return std::nullopt;
  return RoundName{static_cast<std::int64_t>(after[0]), after[1]};
}

io::ModelFile file_of(const RoundRequest& request) {
  io::ModelFile file = begun(kRequestSchema);
  file.set_metadata("round.kind", word_of(request.kind));
  add_list(file, "round.number", std::vector<std::int64_t>{request.number});
  add_list(file, "round.job", std::vector<std::uint64_t>{request.job});
  add_list(file, "round.samples", request.samples);
  add_list(file, "round.firsts", request.firsts);
  add_list(file, "round.points", request.points);
  add_list(file, "round.numbers", request.numbers);
  add_list(file, "round.mean", request.mean);
  add_list(file, "round.scale", request.scale);
  io::add_rows(file, "round.centers", request.centers);
  io::add_rows(file, "round.before", request.before);
  std::vector<std::uint64_t> after;
  if (request.after)
    after = {static_cast<std::uint64_t>(request.after->number), request.after->identity};
  add_list(file, "round.after", after);
  return file;
}

}  // namespace

void write_request(const std::string& path, const RoundRequest& request) {
  file_of(request).write(path);
}

RoundRequest read_request(const std::string& path) {
  const io::ModelFile file = opened(path, kRequestSchema);
  const io::ModelReader in(file);
  RoundRequest request{.kind = kind_in(in),
                       .number = file.tensor<std::int64_t>("round.number", {1})[0],
                       .job = file.tensor<std::uint64_t>("round.job", {1})[0],
                       .samples = list_in<std::uint64_t>(file, "round.samples"),
                       .firsts = list_in<std::int64_t>(file, "round.firsts"),
                       .points = list_in<std::int64_t>(file, "round.points"),
                       .numbers = list_in<double>(file, "round.numbers"),
                       .mean = list_in<float>(file, "round.mean"),
                       .scale = list_in<float>(file, "round.scale"),
                       .centers = rows_in(file, "round.centers"),
                       .before = rows_in(file, "round.before"),
                       .after = after_in(file)};
  const bool possible =
      request.number >= 0 && (!request.after || request.after->number < request.number) &&
      request.mean.size() == request.scale.size() && std::ranges::is_sorted(request.firsts) &&
      (request.before.empty() || request.before.height() == request.centers.height());
  if (!possible) in.unfit("what it asks for is impossible");
  return request;
}

RoundName name_of(const RoundRequest& request) {
  const std::vector<std::byte> bytes = file_of(request).bytes();
  return {request.number,
          cluster::hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()})};
}

void write_answer(const std::string& path, const RoundAnswer& answer, std::uint64_t request) {
  io::ModelFile file = begun(kAnswerSchema);
  add_list(file, "answer.hashes", std::vector<std::uint64_t>{request, answer.job, answer.samples});
  add_list(file, "answer.wholes", answer.wholes);
  io::add_rows(file, "answer.rows", answer.rows);
  file.write(path);
}

RoundAnswer read_answer(const std::string& path, std::uint64_t request) {
  const io::ModelFile file = opened(path, kAnswerSchema);
  const auto hashes = file.tensor<std::uint64_t>("answer.hashes", {3});
  if (hashes[0] != request)
    throw InvalidArgument(
        fmt::format("{}: answers request {:016x}, but learning asks {:016x}; give the samples and "
                    "options that it was begun with, or remove the folder to begin anew",
                    path, hashes[0], request));
  return {.job = hashes[1],
          .samples = hashes[2],
          .wholes = list_in<std::int64_t>(file, "answer.wholes"),
          .rows = rows_in(file, "answer.rows")};
}

}  // namespace fovea::scenes
