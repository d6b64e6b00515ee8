// What records that the page reads have in common.
#pragma once
#include <fovea/core/record.h>
#include <fovea/io/record_io.h>

#include <string>
#include <utility>
#include <vector>

namespace fovea::view {

// An array of objects.
template <class Record>
std::string records_json(const std::vector<Record>& records) {
  std::string json = "[";
  for (const Record& each : records)
    json += (json.size() > 1 ? ", " : "") + io::record_json(record_ref(each));
  return json + "]";
}

// The words of what the page shows, or switches on and off.
template <class Titled>
void describe_title(FieldVisitor& visit, Titled& titled) {
  visit("name", titled.name, "in addresses");
  visit("title", titled.title, "for people");
  visit("text", titled.text, "one sentence that says what is shown");
}

// A name and a value of a list whose order counts.
template <class Value>
struct NamedValue {
  std::string name{};
  Value value{};
};
template <class Value>
void describe(FieldVisitor& visit, NamedValue<Value>& named) {
  visit("name", named.name, "for people");
  visit("value", named.value, "what it has");
}
template <class Value>
std::vector<NamedValue<Value>> named_values(
    const std::vector<std::pair<std::string, Value>>& pairs) {
  std::vector<NamedValue<Value>> values;
  values.reserve(pairs.size());
  for (const auto& [name, value] : pairs) values.push_back({name, value});
  return values;
}

}  // namespace fovea::view
