// Records as rows of CSV and Parquet tables.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/parquet_writer.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <optional>

#include "io/record/record_kinds.h"

namespace fovea::io {
namespace {

// Calls see(column, value) for every column that a field has; `value` is a pointer to a number or a
// text, and null where there is none.
template <class See>
class Columns {
 public:
  Columns(See see, const WrittenFields& which) : see_(see), which_(which) {}

  void record(RecordRef record, const std::string& prefix, bool there, bool optional) {
    for_each_flat_field(record, [&](const Field& field) {
      if (!is_written(field.traits, which_)) return;
      const std::string name = prefix + std::string(field.name);
      value({name, field, there && field.there, optional || field.optional}, field.value);
    });
  }

 private:
  struct Place {
    const std::string& name;
    const Field& field;
    bool there;
    bool optional;
  };

  void value(const Place& place, const FieldValue& of) {
    std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(place, scalar); },
                                  [&](const RecordRef& nested) {
                                    record(nested,
                                           place.field.traits.prefixed ? place.name + "_" : "",
                                           place.there, place.optional);
                                  },
                                  [&](const OptionalRef& nested) {
                                    const bool has = place.there && nested.has(nested.field);
                                    value({place.name, place.field, has, true},
                                          has ? nested.value(nested.field) : nested.sample());
                                  },
                                  [](const ListRef&) {}, [](const ArrayRef&) {}},
               of.ref);
  }

  void scalar(const Place& place, const ScalarRef& scalar) {
    std::visit(
        detail::Overloaded{
            [&](const ChoiceRef& choice) { see_text(place, word_of(choice)); },
            [&](std::string* text) { see_text(place, *text); },
            [&](bool* flag) { see(place, place.name, static_cast<int>(*flag)); },
            [&](auto* number) {
              if constexpr (requires { sides_of(*number); }) {
                const auto sides = sides_of(*number);
                const std::string prefix = place.field.traits.prefixed ? place.name + "_" : "";
                for (std::size_t i = 0; i < sides.size(); ++i)
                  see(place,
                      prefix + std::string(side_name<std::remove_pointer_t<decltype(number)>>(i)),
                      sides[i]);
              } else {
                see(place, place.name, *number);
              }
            }},
        scalar);
  }

  template <class Number>
  void see(const Place& place, const std::string& name, Number number) {
    const RecordColumn column{.name = name,
                              .help = std::string(place.field.help),
                              .unit = place.field.traits.unit,
                              .type = fovea::detail::number_type<Number>(),
                              .optional = place.optional};
    see_(column, place.there ? &number : nullptr);
  }
  void see_text(const Place& place, std::string_view text) {
    const RecordColumn column{.name = place.name,
                              .help = std::string(place.field.help),
                              .unit = place.field.traits.unit,
                              .text = true,
                              .optional = place.optional};
    see_(column, place.there ? &text : nullptr);
  }

  See see_;
  const WrittenFields& which_;
};

template <class See>
void for_each_column(std::span<const RecordRef> records, const WrittenFields& which, See see) {
  Columns<See> columns(see, which);
  for (const RecordRef& record : records) columns.record(record, {}, true, false);
}

ParquetType parquet_type(const RecordColumn& column) {
  if (column.text) return ParquetType::kText;
  if (column.type == NumberType::kFloat) return ParquetType::kFloat;
  return column.type == NumberType::kDouble ? ParquetType::kDouble : ParquetType::kInt64;
}

// A field of either writer; they have the same functions.
template <class Writer>
void write_row(Writer& table, std::span<const RecordRef> records, const WrittenFields& which) {
  for_each_column(records, which, [&](const RecordColumn&, const auto* value) {
    if (value == nullptr) table.empty();
    else table.field(*value);
  });
  table.end_row();
}

}  // namespace

std::vector<RecordColumn> record_columns(std::span<const RecordRef> records,
                                         const WrittenFields& which) {
  std::vector<RecordColumn> columns;
  for_each_column(records, which,
                  [&](const RecordColumn& column, const auto*) { columns.push_back(column); });
  return columns;
}

struct RecordTable::Impl {
  Sink sink;
  TableFormat format;
  std::vector<RecordColumn> columns;
  WrittenFields which;
  std::optional<CsvWriter> csv{};
  std::optional<ParquetWriter> parquet{};

  void start() {
    if (csv || parquet) return;
    if (format == TableFormat::kCsv) {
      std::vector<std::string> names;
      for (const RecordColumn& column : columns) names.push_back(column.name);
      csv.emplace(sink, names);
      return;
    }
    std::vector<ParquetColumn> typed;
    for (const RecordColumn& column : columns)
      typed.push_back({column.name, parquet_type(column), column.optional});
    parquet.emplace(sink, std::move(typed));
  }
};

RecordTable::RecordTable(Sink sink, TableFormat format, std::span<const RecordRef> like,
                         const WrittenFields& which)
    : impl_(std::make_unique<Impl>(
          Impl{std::move(sink), format, record_columns(like, which), which})) {}
RecordTable::~RecordTable() = default;
RecordTable::RecordTable(RecordTable&&) noexcept = default;
RecordTable& RecordTable::operator=(RecordTable&&) noexcept = default;

void RecordTable::row(std::span<const RecordRef> records) {
  impl_->start();
  if (impl_->csv) write_row(*impl_->csv, records, impl_->which);
  else write_row(*impl_->parquet, records, impl_->which);
}

void RecordTable::finish(const std::string& info) {
  impl_->start();
  if (!impl_->parquet) return;
  if (info.empty()) impl_->parquet->finish();
  else impl_->parquet->finish({{"fovea", info}});
}

}  // namespace fovea::io
