// The lines of a manifest: a checksum of eight hexadecimal digits, and fields behind tabs. Fields
// of text have their tabs, line breaks and backslashes escaped, so that a line is a line whatever
// they contain, and numbers in binary take little more than their own length.
#pragma once
#include <fovea/cluster/manifest.h>

#include <string>
#include <string_view>

namespace fovea::cluster::detail {

inline constexpr std::string_view kManifestFormat = "fovea-manifest-1";

struct Header {
  JobIdentity job{};
  Shard shard{};
  std::vector<std::string> words{};  // of the command
};
std::string header_line(const Header& header);
std::string record_line(const UnitRecord& record);

// Whether the checksum of a line, which has no line break, is right.
bool is_whole_line(std::string_view line);

// These throw FormatError; `name` is the file's.
Header read_header(std::string_view line, const std::string& name);
UnitRecord read_record(std::string_view line, const std::string& name);

// Number and status alone, which is all that is read of most lines.
struct RecordStart {
  std::uint64_t unit = 0;
  UnitStatus status = UnitStatus::kDone;
};
RecordStart read_record_start(std::string_view line, const std::string& name);

}  // namespace fovea::cluster::detail
