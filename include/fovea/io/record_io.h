#pragma once
#include <fovea/core/record.h>
#include <fovea/io/sink.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Records as JSON, as rows of tables, as bytes, and what describes them: see <fovea/core/record.h>.
// What is read is not trusted.
namespace fovea::io {

class JsonWriter;

// What JSON has of arrays: their type and shape, their elements where these lie in host memory, or
// nothing.
enum class ArrayJson : unsigned char { kShape, kElements, kNone };

// Which fields are written, of those that are printed.
struct WrittenFields {
  bool times = true;  // also those that differ from run to run
  ArrayJson arrays = ArrayJson::kShape;
};

// Writes one object. Values that are absent are left out; numbers that are not finite are null.
FOVEA_API void write_record(JsonWriter& json, RecordRef record, const WrittenFields& which = {});
// Writes the fields of a record into an object that is open.
FOVEA_API void write_fields(JsonWriter& json, RecordRef record, const WrittenFields& which = {});
// The object in one line, with a space behind commas and colons: {"box": [1, 2, 3, 4], "score": 1}.
FOVEA_API std::string record_json(RecordRef record, const WrittenFields& which = {});
// The same without the braces, to be put into an object; empty where there are no fields.
FOVEA_API std::string record_members(RecordRef record, const WrittenFields& which = {});

// What a file has that its record does not: the paths of members, such as "people[3].color".
using UnknownMembers = std::vector<std::string>;

// Fills a record from the text of one JSON object. Throws FormatError "NAME: people[3].box: ..."
// where the text is not JSON, where a member is missing that is not optional, sparse, a time or
// came later, and where a value is of another kind. Members that the record does not know are added
// to `unknown`, or passed over.
FOVEA_API void parse_record(std::string_view json, RecordRef record, const std::string& name,
                            UnknownMembers* unknown = nullptr);
template <class Record>
Record parse_record(std::string_view json, const std::string& name,
                    UnknownMembers* unknown = nullptr) {
  Record record{};
  parse_record(json, record_ref(record), name, unknown);
  return record;
}

// All fields as bytes, also those that are not printed. They are read by the same version on
// machines with the same order of bytes, and two records of one type are equal if their bytes are.
// Arrays throw InvalidArgument.
FOVEA_API std::string pack_record(RecordRef record);
// Fills a record from the front of `bytes`, and removes what it has read from them. Throws
// FormatError where bytes are missing, or say that a list is longer than they are.
FOVEA_API void unpack_record(std::string_view& bytes, RecordRef record);

// A column of a table of records.
struct RecordColumn {
  std::string name{};  // "score", "box_x"
  std::string help{};
  std::string_view unit{};
  NumberType type{};
  bool text = false;      // a text, or a choice by its word
  bool optional = false;  // rows may be without a value
};
// The columns that rows of these records have, one behind the other. Lists and arrays have none.
FOVEA_API std::vector<RecordColumn> record_columns(std::span<const RecordRef> records,
                                                   const WrittenFields& which = {});

enum class TableFormat : unsigned char { kCsv, kParquet };

// Writes one row after the other, each made of one or more records. Nothing is written before the
// first row or finish().
class FOVEA_API RecordTable {
 public:
  // `like` are records of the types that every row has; their values do not matter.
  RecordTable(Sink sink, TableFormat format, std::span<const RecordRef> like,
              const WrittenFields& which = {});
  ~RecordTable();
  RecordTable(RecordTable&&) noexcept;
  RecordTable& operator=(RecordTable&&) noexcept;

  void row(std::span<const RecordRef> records);
  void row(std::initializer_list<RecordRef> records) {
    row(std::span(records.begin(), records.size()));
  }
  // Ends the table; `info` is a JSON object that says how it was made, which Parquet keeps.
  void finish(const std::string& info = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// JSON Schema (draft 2020-12) of the objects that write_record() writes.
FOVEA_API std::string record_schema(RecordRef record);
// The members of a schema's object that describe an object with the fields of these records.
FOVEA_API void write_record_schema(JsonWriter& json, std::span<const RecordRef> records);
// The fields as a table in markdown: name, kind, unit and help. Nested records follow each other.
FOVEA_API std::string record_markdown(RecordRef record);

}  // namespace fovea::io
