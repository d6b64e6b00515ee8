#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace fovea {

struct Device;

// An enumerator and the word users write for it. An enumeration usable as an option has, in its own
// namespace,
//   std::span<const Choice> choices(Enum)
struct Choice {
  const char* word;
  int value;
};

// A reference to an enumeration field, whatever its type.
struct ChoiceRef {
  void* field;
  int (*get)(const void* field);
  void (*set)(void* field, int value);
  std::span<const Choice> choices;
};

// One field of an options struct, seen from outside.
struct OptionField {
  std::string name;       // as users write it: "window-stride"
  std::string_view help;  // one line: meaning, unit, consequence
  std::variant<bool*, int*, std::uint64_t*, float*, double*, std::string*, Device*, ChoiceRef>
      value;
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
};

// What a describe() function is called with. Every options struct has one
//   void describe(OptionVisitor& visit, Options& options)
// that names each field once; flags, help, completion, man page, JSON echo and range checks all
// come from it.
class FOVEA_API OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  void operator()(std::string_view name, bool& value, std::string_view help) {
    field({prefix_ + std::string(name), help, &value});
  }
  void operator()(std::string_view name, std::string& value, std::string_view help) {
    field({prefix_ + std::string(name), help, &value});
  }
  void operator()(std::string_view name, Device& value, std::string_view help) {
    field({prefix_ + std::string(name), help, &value});
  }

  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>) void operator()(
      std::string_view name, Number& value, std::string_view help, double least, double greatest) {
    field({prefix_ + std::string(name), help, &value, least, greatest});
  }

  template <class Enum>
  requires(std::is_enum_v<Enum>) void operator()(std::string_view name, Enum& value,
                                                 std::string_view help) {
    field({prefix_ + std::string(name), help,
           ChoiceRef{
               &value,
               [](const void* field) { return static_cast<int>(*static_cast<const Enum*>(field)); },
               [](void* field, int chosen) {
                 *static_cast<Enum*>(field) = static_cast<Enum>(chosen);
               },
               choices(value)}});
  }

  // The fields of a part of the options, each named "<prefix>-<name>", so that two parts may have
  // fields of one name.
  template <class Options>
  void group(std::string_view prefix, Options& options) {
    const std::size_t kept = prefix_.size();
    prefix_ += prefix;
    prefix_ += '-';
    describe(*this, options);
    prefix_.resize(kept);
  }

 private:
  virtual void field(const OptionField& field) = 0;

  std::string prefix_;
};

// The value as users write it ("0.25", "sobel", "cuda:0").
FOVEA_API std::string option_text(const OptionField& field);
// The value as JSON.
FOVEA_API std::string option_json(const OptionField& field);
// "1 to 32", "sobel, scharr or centered", or empty where anything goes.
FOVEA_API std::string option_range(const OptionField& field);
// Sets the field from a user's text; throws InvalidArgument that names the field, the text and what
// is accepted.
FOVEA_API void set_option(const OptionField& field, std::string_view text);
// Throws InvalidArgument where the field holds a number outside its range or one that is not
// finite.
FOVEA_API void check_option(const OptionField& field);

namespace detail {

template <class Function>
class FieldVisitor final : public OptionVisitor {
 public:
  explicit FieldVisitor(Function function) : function_(function) {}

 private:
  void field(const OptionField& field) override { function_(field); }
  Function function_;
};

}  // namespace detail

// Calls function(const OptionField&) for each field of an options struct.
template <class Options, class Function>
void for_each_option(Options& options, Function function) {
  detail::FieldVisitor<Function> visitor(function);
  describe(visitor, options);
}

// Throws InvalidArgument for the first field out of its range.
template <class Options>
void check_options(const Options& options) {
  for_each_option(const_cast<Options&>(options),
                  [](const OptionField& field) { check_option(field); });
}

// The whole struct as one JSON object, as it is echoed into every result.
template <class Options>
std::string options_json(const Options& options) {
  std::string json = "{";
  for_each_option(const_cast<Options&>(options), [&](const OptionField& field) {
    if (json.size() > 1) json += ", ";
    json += '"';
    json += field.name;
    json += "\": ";
    json += option_json(field);
  });
  return json + "}";
}

}  // namespace fovea
