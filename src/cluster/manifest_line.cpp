#include "cluster/manifest_line.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <charconv>

namespace fovea::cluster::detail {
namespace {

constexpr std::size_t kChecksum = 8;
constexpr int kMostShards = 1'000'000;  // as parse_shard() takes them

std::uint32_t checksum_of(std::string_view text) {
  return static_cast<std::uint32_t>(hash_of(text));
}

void add_text(std::string& line, std::string_view text) {
  line += '\t';
  for (const char letter : text) {
    if (letter == '\\') line += "\\\\";
    else if (letter == '\t') line += "\\t";
    else if (letter == '\n') line += "\\n";
    else line += letter;
  }
}
void add_number(std::string& line, std::uint64_t number) {
  fmt::format_to(std::back_inserter(line), "\t{}", number);
}
void add_hash(std::string& line, std::uint64_t hash) {
  fmt::format_to(std::back_inserter(line), "\t{:016x}", hash);
}

std::string with_checksum(const std::string& fields) {
  return fmt::format("{:08x}{}\n", checksum_of(fields), fields);
}

// Reads the fields of a line one after the other.
class Fields {
 public:
  Fields(std::string_view line, const std::string& name) : rest_(line), name_(name) {
    if (!is_whole_line(line)) damaged("its checksum is wrong");
    rest_.remove_prefix(kChecksum);
  }

  std::string text() {
    const std::string_view raw = next();
    std::string result;
    result.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        result += raw[i];
        continue;
      }
      const char kind = ++i < raw.size() ? raw[i] : ' ';
      if (kind == '\\') result += '\\';
      else if (kind == 't') result += '\t';
      else if (kind == 'n') result += '\n';
      else damaged("a letter behind a backslash is unknown");
    }
    return result;
  }
  std::uint64_t number() { return parsed(next(), 10); }
  std::uint64_t hash() { return parsed(next(), 16); }
  int count() {
    const std::uint64_t value = number();
    if (value > 1'000'000'000) damaged(fmt::format("{} is too large", value));
    return static_cast<int>(value);
  }
  char letter() {
    const std::string_view field = next();
    if (field.size() != 1) damaged("a field has not the length of one letter");
    return field[0];
  }
  FileIdentity identity() {
    const std::uint64_t size = number();
    return {size, hash()};
  }
  void finish() const {
    if (!rest_.empty()) damaged("it has too many fields");
  }
  [[noreturn]] void damaged(const std::string& why) const {
    throw FormatError(fmt::format("{}: a line is damaged: {}", name_, why));
  }

 private:
  std::string_view next() {
    if (rest_.empty() || rest_.front() != '\t') damaged("it has too few fields");
    rest_.remove_prefix(1);
    const std::size_t end = std::min(rest_.find('\t'), rest_.size());
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return field;
  }
  std::uint64_t parsed(std::string_view text, int base) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size())
      damaged(fmt::format("'{}' is not a number", text));
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

RecordStart start_of(Fields& fields) {
  RecordStart start;
  start.unit = fields.number();
  const char status = fields.letter();
  if (status != 'd' && status != 'f') fields.damaged("a status is neither d nor f");
  start.status = status == 'd' ? UnitStatus::kDone : UnitStatus::kFailed;
  return start;
}

}  // namespace

std::string header_line(const Header& header) {
  const JobIdentity& job = header.job;
  std::string line;
  add_text(line, kManifestFormat);
  add_text(line, job.version);
  add_text(line, job.architecture);
  add_text(line, job.command);
  add_text(line, job.options);
  add_hash(line, job.models);
  add_hash(line, job.inputs);
  add_number(line, job.units);
  add_number(line, static_cast<std::uint64_t>(header.shard.index));
  add_number(line, static_cast<std::uint64_t>(header.shard.count));
  add_number(line, header.words.size());
  for (const std::string& word : header.words) add_text(line, word);
  return with_checksum(line);
}

std::string record_line(const UnitRecord& record) {
  std::string line;
  line.reserve(record.payload.size() + record.input.size() + 128);
  add_number(line, record.unit);
  add_text(line, record.status == UnitStatus::kDone ? "d" : "f");
  add_text(line, record.input);
  const auto add_identity = [&](const FileIdentity& identity) {
    add_number(line, identity.size);
    add_hash(line, identity.hash);
  };
  add_identity(record.identity);
  add_number(line, record.outputs.size());
  for (const UnitOutput& output : record.outputs) {
    add_text(line, output.path);
    add_identity(output.identity);
  }
  add_text(line, record.message);
  add_text(line, record.payload);
  return with_checksum(line);
}

bool is_whole_line(std::string_view line) {
  if (line.size() < kChecksum) return false;
  std::uint32_t stated = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + kChecksum, stated, 16);
  return error == std::errc() && end == line.data() + kChecksum &&
         stated == checksum_of(line.substr(kChecksum));
}

Header read_header(std::string_view line, const std::string& name) {
  const std::string_view fields_text = line.substr(std::min(line.size(), kChecksum));
  if (!fields_text.starts_with("\tfovea-manifest-"))
    throw FormatError(fmt::format("{}: is not a manifest of Fovea", name));
  Fields fields(line, name);
  if (const std::string format = fields.text(); format != kManifestFormat)
    throw FormatError(fmt::format("{}: is a manifest of the format {}, but this version reads {}",
                                  name, format, kManifestFormat));
  Header header;
  header.job.version = fields.text();
  header.job.architecture = fields.text();
  header.job.command = fields.text();
  header.job.options = fields.text();
  header.job.models = fields.hash();
  header.job.inputs = fields.hash();
  header.job.units = fields.number();
  header.shard.index = fields.count();
  header.shard.count = fields.count();
  const int words = fields.count();
  for (int i = 0; i < words; ++i) header.words.push_back(fields.text());
  fields.finish();
  if (header.shard.index >= header.shard.count || header.shard.count > kMostShards)
    fields.damaged("its part is none of its parts");
  return header;
}

UnitRecord read_record(std::string_view line, const std::string& name) {
  Fields fields(line, name);
  UnitRecord record;
  const RecordStart start = start_of(fields);
  record.unit = start.unit;
  record.status = start.status;
  record.input = fields.text();
  record.identity = fields.identity();
  const int outputs = fields.count();
  for (int i = 0; i < outputs; ++i) {
    UnitOutput& output = record.outputs.emplace_back();
    output.path = fields.text();
    output.identity = fields.identity();
  }
  record.message = fields.text();
  record.payload = fields.text();
  fields.finish();
  return record;
}

RecordStart read_record_start(std::string_view line, const std::string& name) {
  Fields fields(line, name);
  return start_of(fields);
}

}  // namespace fovea::cluster::detail
