#include <fovea/cluster/manifest.h>

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "cluster/manifest_line.h"

namespace fovea::cluster {
namespace {

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr std::size_t kWholeFile = std::size_t{1} << 20U, kOneRecord = 1024;

OpenFile opened(const std::string& path) {
  OpenFile file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

// Calls take(line, offset) for each line that ends, until it returns false. Reads `block` bytes at
// a time, and more where a line is longer.
template <class Take>
void for_each_line(std::FILE* file, const std::string& path, std::size_t block, const Take& take) {
  std::string text;
  std::uint64_t offset = 0;  // of the text's beginning
  for (;;) {
    const std::size_t known = text.size();
    const std::size_t wanted = std::max(block, known);
    text.resize(known + wanted);
    const std::size_t count = std::fread(text.data() + known, 1, wanted, file);
    text.resize(known + count);
    if (std::ferror(file) != 0)
      throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n', known); end != std::string::npos;
         end = text.find('\n', begin)) {
      if (!take(std::string_view(text).substr(begin, end - begin), offset + begin)) return;
      begin = end + 1;
    }
    text.erase(0, begin);
    offset += begin;
    if (count == 0) return;
  }
}

// The first member of an object, as our JSON writes it, that stands at or behind `from`.
std::string member_at(const std::string& json, std::size_t from) {
  const std::size_t comma = json.rfind(", \"", from);
  const std::size_t begin =
      comma == std::string::npos ? std::min<std::size_t>(1, json.size()) : comma + 2;
  const std::size_t end = std::min(json.find(", \"", std::max(begin, from)), json.size());
  const std::string member = json.substr(begin, end - begin);
  return member.ends_with('}') ? member.substr(0, member.size() - 1) : member;
}

std::string shown(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace

void require_same_job(const JobIdentity& found, const JobIdentity& expected,
                      const std::string& name) {
  const auto require = [&](const char* what, const std::string& there, const std::string& here) {
    if (there != here)
      throw InvalidArgument(
          fmt::format("{}: belongs to another job: its {} is {}, not {}", name, what, there, here));
  };
  require("version", found.version, expected.version);
  require("architecture", found.architecture, expected.architecture);
  require("command", found.command, expected.command);
  if (found.options != expected.options) {
    const auto [there, here] = std::ranges::mismatch(found.options, expected.options);
    const auto place = static_cast<std::size_t>(there - found.options.begin());
    throw InvalidArgument(fmt::format("{}: belongs to another job: its options have {}, not {}",
                                      name, member_at(found.options, place),
                                      member_at(expected.options, place)));
  }
  require("hash of models and other files that options name", shown(found.models),
          shown(expected.models));
  require("number of inputs", std::to_string(found.units), std::to_string(expected.units));
  require("hash of input names", shown(found.inputs), shown(expected.inputs));
}

// Where the record of each unit stands. A table of all units where the file is long enough to have
// them all, or nearly; otherwise those that it has, so that a short file which claims many units
// takes little memory.
class Places {
 public:
  static constexpr std::uint64_t kNothing = 0;

  void begin(const UnitRange& range, std::uint64_t file_bytes) {
    constexpr std::uint64_t kSmall = 1U << 16U, kShortestLine = 32;
    range_ = range;
    if (range.size() <= std::max(kSmall, file_bytes / kShortestLine))
      table_.assign(range.size(), kNothing);
  }
  // kNothing where there is none.
  std::uint64_t of(std::uint64_t unit) const {
    if (!range_.has(unit)) return kNothing;
    if (!table_.empty()) return table_[unit - range_.first];
    const auto found = some_.find(unit);
    return found == some_.end() ? kNothing : found->second;
  }
  void set(std::uint64_t unit, std::uint64_t place) {
    (table_.empty() ? some_[unit] : table_[unit - range_.first]) = place;
  }

 private:
  UnitRange range_{};
  std::vector<std::uint64_t> table_{};
  std::unordered_map<std::uint64_t, std::uint64_t> some_{};
};

struct Manifest::Impl {
  static constexpr std::uint64_t kNothing = Places::kNothing;
  // The place of a record's line times 2, plus 1 where the unit failed; kNothing where there is
  // none, since the header stands at 0.
  Places places{};
  std::string path{};
  detail::Header header{};
  UnitRange range{};
  std::uint64_t counts[2] = {0, 0};
  std::uint64_t whole_bytes = 0;
  mutable OpenFile file{nullptr, std::fclose};

  void read_header_line(std::string_view line) {
    header = detail::read_header(line, path);
    range = units_of(header.shard, header.job.units);
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
    places.begin(range, ignored ? 0 : bytes);
  }
  void read_record_line(std::string_view line, std::uint64_t offset) {
    const detail::RecordStart start = detail::read_record_start(line, path);
    if (!range.has(start.unit))
      throw FormatError(fmt::format("{}: unit {} is none of its part {}, which has {} to {}", path,
                                    start.unit, to_string(header.shard), range.first, range.last));
    const std::uint64_t failed = start.status == UnitStatus::kFailed ? 1 : 0;
    if (const std::uint64_t known = places.of(start.unit); known != kNothing) --counts[known % 2];
    places.set(start.unit, 2 * offset + failed);
    ++counts[failed];
  }
};

Manifest::Manifest(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->file = opened(path);
  bool torn = false;
  for_each_line(
      impl_->file.get(), path, kWholeFile, [&](std::string_view line, std::uint64_t offset) {
        if (offset == 0) {
          impl_->read_header_line(line);
        } else if (!detail::is_whole_line(line)) {
          torn = true;
          return true;
        } else {
          if (torn)
            throw FormatError(fmt::format(
                "{}: is damaged before its end, near byte {}; begin the job anew", path, offset));
          impl_->read_record_line(line, offset);
        }
        impl_->whole_bytes = offset + line.size() + 1;
        return true;
      });
  close();
  if (impl_->whole_bytes == 0)
    throw FormatError(fmt::format("{}: is not a manifest of Fovea: it has no whole line", path));
}
Manifest::~Manifest() = default;
Manifest::Manifest(Manifest&&) noexcept = default;
Manifest& Manifest::operator=(Manifest&&) noexcept = default;

const std::string& Manifest::path() const { return impl_->path; }
const JobIdentity& Manifest::job() const { return impl_->header.job; }
Shard Manifest::shard() const { return impl_->header.shard; }
const std::vector<std::string>& Manifest::words() const { return impl_->header.words; }
std::uint64_t Manifest::done() const { return impl_->counts[0]; }
std::uint64_t Manifest::failed() const { return impl_->counts[1]; }
std::uint64_t Manifest::whole_bytes() const { return impl_->whole_bytes; }

std::optional<UnitStatus> Manifest::status(std::uint64_t unit) const {
  const std::uint64_t place = impl_->places.of(unit);
  if (place == Impl::kNothing) return {};
  return place % 2 == 1 ? UnitStatus::kFailed : UnitStatus::kDone;
}

void Manifest::close() const { impl_->file.reset(); }

UnitRecord Manifest::record(std::uint64_t unit) const {
  if (!status(unit))
    throw InvalidArgument(fmt::format("{}: has no record of unit {}", impl_->path, unit));
  const std::uint64_t offset = impl_->places.of(unit) / 2;
  if (!impl_->file) impl_->file = opened(impl_->path);
  std::FILE* const file = impl_->file.get();
  if (fseeko(file, static_cast<off_t>(offset), SEEK_SET) != 0)
    throw IoError(fmt::format("{}: cannot be read: {}", impl_->path, std::strerror(errno)));
  UnitRecord record;
  bool found = false;
  for_each_line(file, impl_->path, kOneRecord, [&](std::string_view line, std::uint64_t) {
    record = detail::read_record(line, impl_->path);
    found = true;
    return false;
  });
  if (!found) throw FormatError(fmt::format("{}: was cut off while it was read", impl_->path));
  return record;
}

}  // namespace fovea::cluster
