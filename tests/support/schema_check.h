// Compares JSON with the part of JSON Schema that fovea schema writes. Members that the schema does
// not name are mistakes, because every field of a result is described.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace fovea::test {

class SchemaCheck {
 public:
  // What is wrong, such as "results[0].people[1].box: has 3 items"; empty where nothing is.
  static std::vector<std::string> problems(const nlohmann::json& value,
                                           const nlohmann::json& schema) {
    SchemaCheck check;
    check.check(value, schema, "");
    return check.problems_;
  }

 private:
  using json = nlohmann::json;

  void fail(const std::string& at, const std::string& what) {
    problems_.push_back(fmt::format("{}: {}", at, what));
  }

  static bool is_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  // The properties of an object, also those of alternatives.
  static void collect(const json& schema, json& properties) {
    if (schema.contains("properties")) properties.update(schema["properties"]);
    for (const char* each : {"anyOf", "allOf"})
      if (schema.contains(each))
        for (const json& part : schema[each]) collect(part, properties);
  }

  void check(const json& value, const json& schema, const std::string& at) {
    if (schema.contains("type")) {
      const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
      bool fits = false;
      for (const json& type : types) fits = fits || is_type(value, type.get<std::string>());
      if (!fits) return fail(at, "is " + value.dump() + ", not " + schema["type"].dump());
    }
    if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end())
      fail(at, "is no word of the choice: " + value.dump());
    if (schema.contains("anyOf") && !value.is_object()) {
      const auto fits = [&](const json& part) { return problems(value, part).empty(); };
      if (std::ranges::none_of(schema["anyOf"], fits)) fail(at, "fits no alternative");
    }
    if (value.is_array()) check_array(value, schema, at);
    if (value.is_object()) check_object(value, schema, at);
  }

  void check_array(const json& value, const json& schema, const std::string& at) {
    if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>())
      fail(at, fmt::format("has {} items", value.size()));
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>())
      fail(at, fmt::format("has {} items", value.size()));
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i)
      check(value[i], schema["items"], fmt::format("{}[{}]", at, i));
  }

  void check_object(const json& value, const json& schema, const std::string& at) {
    json properties = json::object();
    collect(schema, properties);
    if (!properties.empty())
      for (const auto& [key, member] : value.items()) {
        const std::string place = at.empty() ? key : at + "." + key;
        if (properties.contains(key)) check(member, properties[key], place);
        else fail(place, "is not described");
      }
    if (schema.contains("additionalProperties"))
      for (const auto& [key, member] : value.items())
        check(member, schema["additionalProperties"], at + "." + key);
    require(value, schema, at);
    if (schema.contains("allOf"))
      for (const json& part : schema["allOf"]) require(value, part, at);
    if (schema.contains("anyOf") &&
        std::ranges::none_of(schema["anyOf"], [&](const json& part) { return has(value, part); }))
      fail(at, "fits no alternative");
  }

  static bool has(const json& value, const json& schema) {
    if (!schema.contains("required")) return true;
    return std::ranges::all_of(schema["required"], [&](const json& name) {
      return value.contains(name.get<std::string>());
    });
  }
  void require(const json& value, const json& schema, const std::string& at) {
    if (!schema.contains("required")) return;
    for (const json& name : schema["required"])
      if (!value.contains(name.get<std::string>())) fail(at, "lacks " + name.dump());
  }

  std::vector<std::string> problems_{};
};

}  // namespace fovea::test
