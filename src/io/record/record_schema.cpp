// What describes records: JSON Schema for programs, tables in markdown for people.
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include "io/record/record_kinds.h"

namespace fovea::io {
namespace {

// The name and meaning that a record gives itself.
struct RecordTitle {
  std::string name{}, help{};
};
RecordTitle title_of(RecordRef record) {
  class Title final : public FieldVisitor {
   public:
    RecordTitle title{};

   private:
    void begin(std::string_view name, std::string_view help) override {
      if (title.name.empty()) title = {std::string(name), std::string(help)};
    }
    void field(const Field&) override {}
  } visitor;
  record.visit(visitor, record.object);
  return visitor.title;
}

const char* json_type(const ScalarRef& scalar) {
  return std::visit(
      detail::Overloaded{[](const ChoiceRef&) { return "string"; },
                         [](std::string*) { return "string"; }, [](bool*) { return "boolean"; },
                         [](float*) { return "number"; }, [](double*) { return "number"; },
                         [](Position<double>*) { return "number"; },
                         [](Rect<float>*) { return "number"; },
                         [](Rect<double>*) { return "number"; }, [](auto*) { return "integer"; }},
      scalar);
}
std::size_t sides(const ScalarRef& scalar) {
  return std::visit(detail::Overloaded{[](const ChoiceRef&) -> std::size_t { return 0; },
                                       [](auto* value) -> std::size_t {
                                         if constexpr (requires { sides_of(*value); })
                                           return sides_of(*value).size();
                                         return 0;
                                       }},
                    scalar);
}

class Schema {
 public:
  explicit Schema(JsonWriter& json) : json_(json) {}

  void object(std::span<const RecordRef> records) {
    const RecordTitle title = title_of(records.back());
    json_.member("type", "object");
    if (!title.name.empty()) json_.member("title", title.name);
    if (!title.help.empty()) json_.member("description", title.help);
    std::vector<std::string> required;
    json_.key("properties").begin_object();
    for (const RecordRef& record : records)
      for_each_flat_field(record, [&](const Field& field) {
        if (!field.traits.printed) return;
        json_.key(field.name).begin_object();
        value(field.value);
        json_.member("description", described(field)).end_object();
        if (!std::holds_alternative<OptionalRef>(field.value.ref) && !field.optional &&
            !field.traits.later)
          required.emplace_back(field.name);
      });
    json_.end_object();
    json_.key("required").begin_inline_array();
    for (const std::string& name : required) json_.value(name);
    json_.end_array();
  }

 private:
  static std::string described(const Field& field) {
    return field.traits.unit.empty() ? std::string(field.help)
                                     : fmt::format("{}, in {}", field.help, field.traits.unit);
  }

  void value(const FieldValue& of) {
    std::visit(
        detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(scalar); },
                           [&](const RecordRef& nested) {
                             object({&nested, 1});
                           },
                           [&](const ListRef& list) {
                             json_.member("type", "array");
                             if (list.fixed > 0)
                               json_.member("minItems", list.fixed).member("maxItems", list.fixed);
                             json_.key("items").begin_object();
                             element(list.sample());
                             json_.end_object();
                           },
                           [&](const OptionalRef& optional) { value(optional.sample()); },
                           [&](const ArrayRef&) {
                             json_.member("type", "object").key("properties").begin_object();
                             json_.key("type").begin_object().member("type", "string").end_object();
                             json_.key("shape").begin_object().member("type", "array").end_object();
                             json_.end_object();
                           }},
        of.ref);
  }

  // An element that may be absent is null.
  void element(const FieldValue& of) {
    if (!std::holds_alternative<OptionalRef>(of.ref)) return value(of);
    json_.key("anyOf").begin_array().begin_object();
    value(of);
    json_.end_object().begin_object().member("type", "null").end_object().end_array();
  }

  void scalar(const ScalarRef& of) {
    const char* type = json_type(of);
    if (const std::size_t count = sides(of); count > 0) {
      json_.member("type", "array").member("minItems", count).member("maxItems", count);
      json_.key("items").begin_object().member("type", type).end_object();
      return;
    }
    if (std::string_view(type) == "number") {  // numbers that are not finite are null
      json_.key("type").begin_inline_array().value(type).value("null").end_array();
      return;
    }
    json_.member("type", type);
    if (const auto* choice = std::get_if<ChoiceRef>(&of)) {
      json_.key("enum").begin_inline_array();
      for (const Choice& each : choice->choices) json_.value(each.word);
      json_.end_array();
    }
  }

  JsonWriter& json_;
};

std::string kind_of(const FieldValue& of) {
  return std::visit(
      detail::Overloaded{
          [](const ScalarRef& scalar) -> std::string {
            const std::string type = json_type(scalar);
            const std::size_t count = sides(scalar);
            if (count == 4) return "x, y, width, height";
            if (count == 2)
              return std::holds_alternative<Extent*>(scalar) ? "width, height" : "x, y";
            if (const auto* choice = std::get_if<ChoiceRef>(&scalar)) return words_of(*choice);
            return type == "string" ? "text" : type == "boolean" ? "true or false" : type;
          },
          [](const RecordRef& nested) {
            const std::string name = title_of(nested).name;
            return name.empty() ? std::string("object") : name;
          },
          [](const ListRef& list) { return "list of " + kind_of(list.sample()); },
          [](const OptionalRef& optional) { return kind_of(optional.sample()) + ", optional"; },
          [](const ArrayRef& array) {
            return std::string("array of ") + to_string(array.view(array.array).type);
          }},
      of.ref);
}

// The records that a value holds, itself or in lists.
void collect(const FieldValue& of, std::vector<RecordRef>& into) {
  std::visit(detail::Overloaded{[](const ScalarRef&) {}, [](const ArrayRef&) {},
                                [&](const RecordRef& nested) { into.push_back(nested); },
                                [&](const ListRef& list) { collect(list.sample(), into); },
                                [&](const OptionalRef& o) { collect(o.sample(), into); }},
             of.ref);
}

}  // namespace

void write_record_schema(JsonWriter& json, std::span<const RecordRef> records) {
  Schema(json).object(records);
}

std::string record_schema(RecordRef record) {
  std::string text;
  JsonWriter json(string_sink(text));
  json.begin_object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
  write_record_schema(json, {&record, 1});
  json.end_object().finish();
  return text;
}

std::string record_markdown(RecordRef record) {
  std::string text;
  const RecordTitle title = title_of(record);
  if (!title.name.empty()) text += fmt::format("**{}**: {}.\n\n", title.name, title.help);
  text += "| field | kind | unit | meaning |\n| --- | --- | --- | --- |\n";
  std::vector<RecordRef> nested;
  for_each_flat_field(record, [&](const Field& field) {
    if (!field.traits.printed) return;
    text += fmt::format("| `{}` | {}{} | {} | {} |\n", field.name, kind_of(field.value),
                        field.optional ? ", optional" : "", field.traits.unit, field.help);
    collect(field.value, nested);
  });
  for (const RecordRef& each : nested) text += "\n" + record_markdown(each);
  return text;
}

}  // namespace fovea::io
