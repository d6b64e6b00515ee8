// The options of a system as a form: what a page needs to draw a control per field, and what it
// sends back. Everything comes from describe(), as flags and help do.
#pragma once
#include <fovea/core/options.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::view {

// What the page has set, by the names of options, as a user would write it.
using FormValues = std::map<std::string, std::string, std::less<>>;

// The options of a run, whatever their type. `fields` refer to them.
struct Form {
  std::vector<OptionField> fields;
};

// Fields that a page may set: none that names a file, and none of `hidden`.
template <class Options>
Form form_of(Options& options, const std::vector<std::string_view>& hidden = {});

// A JSON array with one object per field: name, kind, help, value, default, and by kind least,
// greatest, step, choices, absent.
std::string controls_json(const Form& form);

// Sets fields. Throws InvalidArgument for a name that is no field, and as set_option() does.
void fill_form(Form& form, const FormValues& values);

// What differs between two forms of one kind of options, as a command line has it (" --stride 4
// --no-wide") and as Python keywords (", stride=4, wide=False").
std::string changed_flags(const Form& form, const Form& defaults);
std::string changed_keywords(const Form& form, const Form& defaults);

// A sentence of the program with controls in place of flags: 'the option "enlarge" at 2' of
// "--enlarge 2".
std::string with_controls(std::string text, const Form& form);

// A word as a shell reads it back.
std::string shell_word(const std::string& word);

namespace detail_form {
void keep_allowed(std::vector<OptionField>& fields, const std::vector<std::string_view>& hidden);
}

template <class Options>
Form form_of(Options& options, const std::vector<std::string_view>& hidden) {
  Form form;
  for_each_option(options, [&](const OptionField& field) { form.fields.push_back(field); });
  detail_form::keep_allowed(form.fields, hidden);
  return form;
}

}  // namespace fovea::view
