// Requests of searches and their results as files. A result carries the hash of its request, so
// that a training takes no other one.
#include <fovea/people/mine.h>

#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/architecture.h"
#include "core/words.h"
#include "people/model_parts.h"
#include "people/train/samples.h"

namespace fovea::people {
namespace {

constexpr const char *kRequestSchema = "people.search", *kMinedSchema = "people.mined";
constexpr int kFileVersion = 1;

void add_origin(io::ModelFile& file) {
  file.set_metadata("origin.version", FOVEA_VERSION);
  file.set_metadata("origin.architecture", detail::kArchitecture);
}

void require_origin(const io::ModelReader& in) {
  const auto require = [&](const char* what, const char* now) {
    const std::string& then = in.fact(std::string("origin.") + what);
    if (then != now)
      throw InvalidArgument(
          fmt::format("{}: was written by {} {}, but this is {}; all parts of a training need the "
                      "same",
                      in.file().name(), what, detail::shown(then, 40), now));
  };
  require("version", FOVEA_VERSION);
  require("architecture", detail::kArchitecture);
}

std::int64_t length(std::size_t size) { return static_cast<std::int64_t>(size); }

std::uint64_t unsigned_fact(const io::ModelReader& in, const std::string& key) {
  const std::string& text = in.fact(key);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    in.unfit(fmt::format("{} is {}, expected a whole number", key, detail::shown(text, 40)));
  return value;
}

WindowChoice choice_fact(const io::ModelReader& in) {
  const std::string& text = in.fact("search.choice");
  for (const Choice& choice : choices(WindowChoice{}))
    if (text == choice.word) return static_cast<WindowChoice>(choice.value);
  in.unfit(fmt::format("search.choice is {}, which is unknown", detail::shown(text, 40)));
}

Kind kind_fact(const io::ModelReader& in) {
  const std::string& text = in.fact("search.kind");
  for (const Choice& choice : choices(Kind{}))
    if (text == choice.word) return static_cast<Kind>(choice.value);
  in.unfit(fmt::format("search.kind is {}, which is unknown", detail::shown(text, 40)));
}

io::ModelFile file_of(const SearchRequest& request) {
  io::ModelFile file;
  file.set_schema(kRequestSchema, kFileVersion);
  add_origin(file);
  std::visit([&](const auto& model) { save(file, model); }, request.model.classifier);
  file.set_metadata("search.kind", to_string(request.model.kind));
  file.set_metadata("search.what", request.what);
  file.set_metadata("search.choice",
                    choices(request.choice)[static_cast<std::size_t>(request.choice)].word);
  file.set_metadata("search.seed", std::to_string(request.seed));
  file.set_metadata("search.sequence", std::to_string(request.sequence));
  io::add_options(file, "search.scan.", request.scan);
  io::add_floats(file, "search.numbers",
                 {request.model.person_height, request.model.person_aspect, request.least_score});
  file.add("search.limits", {2}, std::vector<std::int32_t>{request.per_image, request.most});
  file.add("search.images", {length(request.images.size())},
           std::vector<std::int32_t>(request.images.begin(), request.images.end()));
  file.add("search.checksums", {length(request.checksums.size())}, request.checksums);
  std::vector<std::int32_t> known;
  known.reserve(4 * request.known.size());
  for (const WindowPlace& place : request.known)
    known.insert(known.end(), {place.image, place.level, place.column, place.row});
  file.add("search.known", {length(request.known.size()), 4}, known);
  return file;
}

std::string identity_text(const SearchRequest& request) {
  return fmt::format("{:016x}", identity_of(request));
}

}  // namespace

void write_request(const std::string& path, const SearchRequest& request) {
  file_of(request).write(path);
}

SearchRequest read_request(const std::string& path) {
  const io::ModelFile file = io::ModelFile::read(path);
  file.require_schema(kRequestSchema, kFileVersion);
  file.require_finite();
  const io::ModelReader in(file);
  require_origin(in);
  SearchRequest request;
  request.what = in.fact("search.what");
  request.model.kind = kind_fact(in);
  request.model.classifier = load_classifier(request.model.kind, in);
  request.choice = choice_fact(in);
  request.seed = unsigned_fact(in, "search.seed");
  request.sequence = unsigned_fact(in, "search.sequence");
  in.options("search.scan.", request.scan);
  const std::vector<float> numbers = in.floats("search.numbers", 3);
  request.model.person_height = numbers[0];
  request.model.person_aspect = numbers[1];
  request.least_score = numbers[2];
  const auto limits = file.tensor<std::int32_t>("search.limits", {2});
  request.per_image = limits[0];
  request.most = limits[1];
  const auto checksums = file.tensor<std::uint32_t>("search.checksums", {io::kAnySize});
  request.checksums.assign(checksums.begin(), checksums.end());
  const auto images = file.tensor<std::int32_t>("search.images", {io::kAnySize});
  request.images.assign(images.begin(), images.end());
  const auto known = file.tensor<std::int32_t>("search.known", {io::kAnySize, 4});
  for (std::size_t i = 0; i < known.size(); i += 4)
    request.known.push_back({known[i], known[i + 1], known[i + 2], known[i + 3]});
  const auto count = static_cast<std::int32_t>(request.checksums.size());
  const bool possible =
      request.per_image >= 1 && request.most >= 0 &&
      (request.choice != WindowChoice::kHighest || request.most >= 1) &&
      std::ranges::all_of(images, [&](auto image) { return image >= 0 && image < count; }) &&
      std::is_sorted(request.known.begin(), request.known.end(), before);
  if (!possible) in.unfit("what it asks for is impossible");
  return request;
}

std::uint64_t identity_of(const SearchRequest& request) {
  const std::vector<std::byte> bytes = file_of(request).bytes();
  return cluster::hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_mined(const std::string& path, const SearchRequest& request,
                 std::span<const MinedImage> mined) {
  std::vector<std::int32_t> images, places;
  std::vector<std::int64_t> counts;
  std::vector<float> scores;
  images.reserve(mined.size());
  for (const MinedImage& image : mined) {
    images.push_back(image.image);
    counts.insert(counts.end(), {image.windows, image.passed, image.evaluations,
                                 static_cast<std::int64_t>(image.found.size())});
    for (const auto& [place, score] : image.found) {
      places.insert(places.end(), {place.level, place.column, place.row});
      scores.push_back(score);
    }
  }
  io::ModelFile file;
  file.set_schema(kMinedSchema, kFileVersion);
  add_origin(file);
  file.set_metadata("search", identity_text(request));
  file.add("images", {length(images.size())}, images);
  file.add("counts", {length(images.size()), 4}, counts);
  file.add("places", {length(scores.size()), 3}, places);
  file.add("scores", {length(scores.size())}, scores);
  file.write(path);
}

std::vector<MinedImage> read_mined(const std::string& path, const SearchRequest& request) {
  const io::ModelFile file = io::ModelFile::read(path);
  file.require_schema(kMinedSchema, kFileVersion);
  file.require_finite();
  const io::ModelReader in(file);
  require_origin(in);
  const std::string &found = in.fact("search"), wanted = identity_text(request);
  if (found != wanted)
    throw InvalidArgument(
        fmt::format("{}: has the results of search {}, but the training asks for search {}; remove "
                    "the file, and search again",
                    path, detail::shown(found, 40), wanted));
  const auto images = file.tensor<std::int32_t>("images", {io::kAnySize});
  const auto counts = file.tensor<std::int64_t>("counts", {length(images.size()), 4});
  const auto scores = file.tensor<float>("scores", {io::kAnySize});
  const auto places = file.tensor<std::int32_t>("places", {length(scores.size()), 3});
  std::vector<MinedImage> mined;
  mined.reserve(images.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto* count = &counts[4 * i];
    if (count[3] < 0 || static_cast<std::uint64_t>(count[3]) > scores.size() - next)
      in.unfit("it has fewer windows than its images");
    MinedImage image{images[i], count[0], count[1], count[2], {}};
    for (const std::size_t end = next + static_cast<std::size_t>(count[3]); next < end; ++next)
      image.found.push_back(
          {{images[i], places[3 * next], places[3 * next + 1], places[3 * next + 2]},
           scores[next]});
    mined.push_back(std::move(image));
  }
  if (next != scores.size()) in.unfit("it has more windows than its images");
  return mined;
}

}  // namespace fovea::people
