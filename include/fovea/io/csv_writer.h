#pragma once
#include <fovea/core/options.h>
#include <fovea/io/sink.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

enum class CsvSeparator : unsigned char { kComma, kSemicolon, kTab };
FOVEA_API std::span<const Choice> choices(CsvSeparator);

struct CsvOptions {
  CsvSeparator separator = CsvSeparator::kComma;  // what stands between fields
  bool crlf = true;  // end rows with CR LF, as RFC 4180 requires, instead of LF
};
FOVEA_API void describe(OptionVisitor& visit, CsvOptions& options);

// Writes a table row by row (RFC 4180); only one row is kept in memory. Fields with separators,
// quotes or line ends are quoted. Numbers are written as the shortest text that reads back the
// same, whatever the locale; NaN and infinities are written as nan, inf and -inf. A row with more
// or fewer fields than the header throws InvalidArgument.
//
//   CsvWriter csv(file.sink(), {"frame", "x", "y", "score"});
//   csv.row(index, box.x, box.y, box.score);
class FOVEA_API CsvWriter {
 public:
  CsvWriter(Sink sink, const std::vector<std::string>& header, const CsvOptions& options = {});

  CsvWriter& field(std::string_view text);
  CsvWriter& field(const char* text) { return field(std::string_view(text)); }
  CsvWriter& field(const std::string& text) { return field(std::string_view(text)); }
  CsvWriter& field(double number);
  CsvWriter& field(float number);
  template <std::same_as<bool> Bool>
  CsvWriter& field(Bool flag) {
    return put(flag ? "true" : "false");
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) CsvWriter& field(Integer number) {
    return put(std::to_string(number));
  }
  // A field without a value.
  CsvWriter& empty() { return put({}); }
  // Ends the row and hands it to the sink.
  void end_row();

  template <class... Fields>
  void row(const Fields&... fields) {
    (field(fields), ...);
    end_row();
  }
  std::int64_t rows() const { return rows_; }  // without the header

 private:
  CsvWriter& put(std::string_view text);

  Sink sink_;
  CsvOptions options_;
  std::size_t columns_;
  std::size_t fields_ = 0;  // fields of the current row so far
  std::int64_t rows_ = -1;
  std::string row_;
};

}  // namespace fovea::io
