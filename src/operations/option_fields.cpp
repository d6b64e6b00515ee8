#include <algorithm>
#include <iterator>

#include "operations/operation.h"

namespace fovea::operations {
namespace {

// The options for outputs that stand behind the option of this name.
std::vector<OptionField> outputs_after(std::string_view option, const Operation& operation,
                                       std::vector<NamedOutput>& named) {
  std::vector<OptionField> fields;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Output& output = operation.outputs[i];
    if (output.after != option) continue;
    OptionField& field = fields.emplace_back();
    field.name = output.name;
    field.help = output.help;
    if (output.kinds.empty()) {
      field.value = &named[i].path;
      field.traits.use = output.share == Share::kOneFolder ? TextUse::kFolder : TextUse::kOutput;
    } else {
      field.value = &named[i].kinds;
      field.traits.words = output.kinds;
    }
  }
  return fields;
}

}  // namespace

std::vector<OptionField> option_fields(const Operation& operation, Call& call,
                                       std::vector<NamedOutput>& named) {
  std::vector<OptionField> fields = outputs_after("", operation, named);
  const auto add = [&](const OptionField& field) {
    fields.push_back(field);
    std::ranges::move(outputs_after(field.name, operation, named), std::back_inserter(fields));
  };
  detail::FieldVisitor<decltype(add)> visitor(add);
  call.visit_options(visitor);
  return fields;
}

}  // namespace fovea::operations
