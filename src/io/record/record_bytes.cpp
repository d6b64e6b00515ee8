// Records as bytes, for manifests and for comparing.
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <cstring>

#include "io/record/record_kinds.h"

namespace fovea::io {
namespace {

class Packer {
 public:
  void record(RecordRef from) {
    for_each_field(from, [&](const Field& field) { value(field.value); });
  }
  std::string bytes{};

 private:
  template <class Number>
  void number(const Number& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void count(std::size_t value) { number(static_cast<std::uint64_t>(value)); }

  void value(const FieldValue& from) {
    std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(scalar); },
                                  [&](const RecordRef& record) { this->record(record); },
                                  [&](const ListRef& list) { this->list(list); },
                                  [&](const OptionalRef& optional) {
                                    number(optional.has(optional.field));
                                    if (optional.has(optional.field))
                                      value(optional.value(optional.field));
                                  },
                                  [](const ArrayRef&) {
                                    throw InvalidArgument("a record with arrays cannot be packed");
                                  }},
               from.ref);
  }
  void scalar(const ScalarRef& from) {
    std::visit(
        detail::Overloaded{[&](const ChoiceRef& choice) { number(choice.get(choice.field)); },
                           [&](std::string* text) {
                             count(text->size());
                             bytes += *text;
                           },
                           [&](auto* value) { number(*value); }},
        from);
  }
  void list(const ListRef& from) {
    const std::size_t size = from.size(from.list);
    if (from.fixed == 0) count(size);
    if (from.data != nullptr) {
      bytes.append(static_cast<const char*>(from.data(from.list)), size * number_bytes(from.type));
      return;
    }
    for (std::size_t i = 0; i < size; ++i) value(from.at(from.list, i));
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view& rest) : rest_(rest) {}

  void record(RecordRef into) {
    for_each_field(into, [&](const Field& field) { value(field.value); });
  }

 private:
  [[noreturn]] static void damaged() {
    throw FormatError("a manifest's record of a result ends too early; begin the job anew");
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) damaged();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // How many of something follow that takes at least `bytes` each, so that a damaged number does
  // not take all memory.
  std::size_t count(std::size_t bytes) {
    const auto value = number<std::uint64_t>();
    if (value > rest_.size() / bytes) damaged();
    return value;
  }

  void value(const FieldValue& into) {
    std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(scalar); },
                                  [&](const RecordRef& record) { this->record(record); },
                                  [&](const ListRef& list) { this->list(list); },
                                  [&](const OptionalRef& optional) {
                                    const bool there = number<unsigned char>() != 0;
                                    optional.set(optional.field, there);
                                    if (there) value(optional.value(optional.field));
                                  },
                                  [](const ArrayRef&) {
                                    throw InvalidArgument("a record with arrays cannot be packed");
                                  }},
               into.ref);
  }
  void scalar(const ScalarRef& into) {
    std::visit(detail::Overloaded{[&](const ChoiceRef& choice) {
                                    choice.set(choice.field, number<int>());
                                    if (word_of(choice).empty()) damaged();
                                  },
                                  [&](bool* flag) { *flag = number<unsigned char>() != 0; },
                                  [&](std::string* text) { *text = take(number<std::uint64_t>()); },
                                  [&](auto* value) {
                                    *value = number<std::remove_reference_t<decltype(*value)>>();
                                  }},
               into);
  }
  void list(const ListRef& into) {
    const std::size_t least = into.data != nullptr ? number_bytes(into.type) : 1;
    const std::size_t size = into.fixed > 0 ? into.fixed : count(least);
    into.resize(into.list, size);
    if (into.size(into.list) != size) damaged();
    if (into.data != nullptr) {
      const std::string_view numbers = take(size * number_bytes(into.type));
      if (size > 0) std::memcpy(into.data(into.list), numbers.data(), numbers.size());
      return;
    }
    for (std::size_t i = 0; i < size; ++i) value(into.at(into.list, i));
  }

  std::string_view& rest_;
};

}  // namespace

std::string pack_record(RecordRef record) {
  Packer packer;
  packer.record(record);
  return std::move(packer.bytes);
}

void unpack_record(std::string_view& bytes, RecordRef record) { Unpacker(bytes).record(record); }

}  // namespace fovea::io
