// Tables for pandas, polars, pyarrow and DuckDB through Arrow's C data interface, so that the
// package depends on none of them: https://arrow.apache.org/docs/format/CStreamInterface.html
#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "errors.h"
#include "systems.h"

// The structs of the interface, whose layout the specification fixes.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace fovea::python {
namespace {

// A column of numbers, or of texts, whose offsets and letters are in buffers of their own.
struct Column {
  std::string name;
  std::string format;  // Arrow's letter: "f" float32, "g" float64, "l" int64, "b" bits, "u" text
  std::vector<std::byte> values{};
  std::vector<std::int32_t> offsets{};
};
struct Rows {
  std::vector<Column> columns;
  std::int64_t length = 0;
};

// What the released structs own. Schemas and arrays of one table share its columns.
struct SchemaNode {
  std::shared_ptr<const Rows> rows;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};
struct ArrayNode {
  std::shared_ptr<const Rows> rows;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <class Struct, class Node>
void release(Struct* part) {
  for (std::int64_t i = 0; i < part->n_children; ++i)
    if (part->children[i]->release != nullptr) part->children[i]->release(part->children[i]);
  delete static_cast<Node*>(part->private_data);
  part->release = nullptr;
}

void fill_schema(ArrowSchema& schema, SchemaNode* node, const char* format, const char* name) {
  schema = {format,
            name,
            nullptr,
            0,
            static_cast<std::int64_t>(node->pointers.size()),
            node->pointers.data(),
            nullptr,
            &release<ArrowSchema, SchemaNode>,
            node};
}
void fill_array(ArrowArray& array, ArrayNode* node, std::int64_t length) {
  array = {length,
           0,
           0,
           static_cast<std::int64_t>(node->buffers.size()),
           static_cast<std::int64_t>(node->pointers.size()),
           node->buffers.data(),
           node->pointers.data(),
           nullptr,
           &release<ArrowArray, ArrayNode>,
           node};
}

void write_schema(const std::shared_ptr<const Rows>& rows, ArrowSchema& schema) {
  auto node = std::make_unique<SchemaNode>(SchemaNode{rows, {}, {}});
  node->children.resize(rows->columns.size());
  for (std::size_t i = 0; i < rows->columns.size(); ++i) {
    const Column& column = rows->columns[i];
    fill_schema(node->children[i], new SchemaNode{rows, {}, {}}, column.format.c_str(),
                column.name.c_str());
    node->pointers.push_back(&node->children[i]);
  }
  fill_schema(schema, node.release(), "+s", "");
}

void write_rows(const std::shared_ptr<const Rows>& rows, ArrowArray& array) {
  auto node = std::make_unique<ArrayNode>(ArrayNode{rows, {nullptr}, {}, {}});
  node->children.resize(rows->columns.size());
  for (std::size_t i = 0; i < rows->columns.size(); ++i) {
    const Column& column = rows->columns[i];
    auto part = std::make_unique<ArrayNode>(ArrayNode{rows, {nullptr}, {}, {}});
    if (!column.offsets.empty()) part->buffers.push_back(column.offsets.data());
    part->buffers.push_back(column.values.data());
    fill_array(node->children[i], part.release(), rows->length);
    node->pointers.push_back(&node->children[i]);
  }
  fill_array(array, node.release(), rows->length);
}

// A stream of one batch.
struct Stream {
  std::shared_ptr<const Rows> rows;
  bool given = false;
};

ArrowArrayStream make_stream(std::shared_ptr<const Rows> rows) {
  return {[](ArrowArrayStream* stream, ArrowSchema* schema) {
            write_schema(static_cast<Stream*>(stream->private_data)->rows, *schema);
            return 0;
          },
          [](ArrowArrayStream* stream, ArrowArray* array) {
            auto& own = *static_cast<Stream*>(stream->private_data);
            if (std::exchange(own.given, true)) array->release = nullptr;  // the end
            else write_rows(own.rows, *array);
            return 0;
          },
          [](ArrowArrayStream*) -> const char* { return nullptr; },
          [](ArrowArrayStream* stream) {
            delete static_cast<Stream*>(stream->private_data);
            stream->release = nullptr;
          },
          new Stream{std::move(rows)}};
}

template <class T>
bool take_numbers(nb::handle value, const char* format, Column& column, std::int64_t& length) {
  nb::ndarray<const T, nb::ndim<1>, nb::c_contig> array;
  if (!nb::try_cast(value, array, false)) return false;
  column.format = format;
  const auto* bytes = reinterpret_cast<const std::byte*>(array.data());
  column.values.assign(bytes, bytes + array.size() * sizeof(T));
  length = static_cast<std::int64_t>(array.size());
  return true;
}

// Truth values are bits in Arrow, the first one the lowest.
bool take_flags(nb::handle value, Column& column, std::int64_t& length) {
  nb::ndarray<const bool, nb::ndim<1>, nb::c_contig> array;
  if (!nb::try_cast(value, array, false)) return false;
  column.format = "b";
  column.values.resize((array.size() + 7) / 8);
  for (std::size_t i = 0; i < array.size(); ++i)
    if (array.data()[i]) column.values[i / 8] |= std::byte{1} << (i % 8);
  length = static_cast<std::int64_t>(array.size());
  return true;
}

void take_texts(nb::handle value, Column& column, std::int64_t& length) {
  column.format = "u";
  column.offsets.push_back(0);
  for (const nb::handle item : value) {
    const std::string text = text_of(item);
    const auto* letters = reinterpret_cast<const std::byte*>(text.data());
    column.values.insert(column.values.end(), letters, letters + text.size());
    column.offsets.push_back(static_cast<std::int32_t>(column.values.size()));
  }
  length = static_cast<std::int64_t>(column.offsets.size()) - 1;
}

Rows rows_of(const nb::dict& columns) {
  Rows rows;
  for (const auto& [name, value] : columns) {
    Column column{.name = nb::cast<std::string>(name), .format = {}};
    std::int64_t length = 0;
    if (!take_numbers<float>(value, "f", column, length) &&
        !take_numbers<double>(value, "g", column, length) &&
        !take_numbers<std::int32_t>(value, "i", column, length) &&
        !take_numbers<std::int64_t>(value, "l", column, length) &&
        !take_numbers<std::uint8_t>(value, "C", column, length) &&
        !take_numbers<std::uint16_t>(value, "S", column, length) &&
        !take_flags(value, column, length))
      take_texts(value, column, length);
    if (!rows.columns.empty() && length != rows.length)
      throw InvalidArgument("the columns of a table have different lengths");
    rows.length = length;
    rows.columns.push_back(std::move(column));
  }
  return rows;
}

// A capsule as __arrow_c_stream__ returns it.
nb::object arrow_stream(const nb::dict& columns) {
  auto stream = std::make_unique<ArrowArrayStream>(
      make_stream(std::make_shared<const Rows>(rows_of(columns))));
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* object) {
    auto* unused =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, "arrow_array_stream"));
    if (unused->release != nullptr) unused->release(unused);
    delete unused;
  });
  if (capsule == nullptr) throw nb::python_error();
  (void)stream.release();
  return nb::steal(capsule);
}

}  // namespace

void bind_tables(nb::module_& parent) { parent.def("arrow_stream", &arrow_stream); }

}  // namespace fovea::python
