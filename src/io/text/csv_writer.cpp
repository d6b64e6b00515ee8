#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>

#include <fmt/format.h>

#include <array>

namespace fovea::io {
namespace {

char character(CsvSeparator separator) {
  switch (separator) {
    case CsvSeparator::kSemicolon: return ';';
    case CsvSeparator::kTab: return '\t';
    default: return ',';
  }
}

}  // namespace

std::span<const Choice> choices(CsvSeparator) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"comma", static_cast<int>(CsvSeparator::kComma)},
       {"semicolon", static_cast<int>(CsvSeparator::kSemicolon)},
       {"tab", static_cast<int>(CsvSeparator::kTab)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, CsvOptions& options) {
  visit("separator", options.separator, "what stands between the fields of a row");
  visit("crlf", options.crlf, "end rows with CR LF, as RFC 4180 requires",
        {.off_help = "end rows with LF alone"});
}

CsvWriter::CsvWriter(Sink sink, const std::vector<std::string>& header, const CsvOptions& options)
    : sink_(std::move(sink)), options_(options), columns_(header.size()) {
  if (header.empty()) throw InvalidArgument("CsvWriter: a table needs at least one column");
  for (const std::string& name : header) field(name);
  end_row();
}

CsvWriter& CsvWriter::field(std::string_view text) {
  const std::array special = {character(options_.separator), '"', '\n', '\r', '\0'};
  // A row of one empty field would be a blank line, which readers skip.
  const bool quoted = text.find_first_of(special.data(), 0, special.size()) != text.npos ||
                      (columns_ == 1 && text.empty());
  if (!quoted) return put(text);
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"') escaped += '"';
    escaped += c;
  }
  return put(escaped + '"');
}

// fmt ignores the locale unless the format string has an L.
CsvWriter& CsvWriter::field(double number) { return put(fmt::format("{}", number)); }
CsvWriter& CsvWriter::field(float number) { return put(fmt::format("{}", number)); }

void CsvWriter::end_row() {
  if (fields_ != columns_)
    throw InvalidArgument(fmt::format("CsvWriter: row {} has {} fields, but the header has {}",
                                      rows_ + 1, fields_, columns_));
  row_ += options_.crlf ? "\r\n" : "\n";
  sink_(row_);
  row_.clear();
  fields_ = 0;
  ++rows_;
}

CsvWriter& CsvWriter::put(std::string_view text) {
  if (fields_ == columns_)
    throw InvalidArgument(
        fmt::format("CsvWriter: row {} has more fields than the header's {}; call end_row() first",
                    rows_ + 1, columns_));
  if (fields_++ > 0) row_ += character(options_.separator);
  row_ += text;
  return *this;
}

}  // namespace fovea::io
