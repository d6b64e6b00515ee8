#pragma once
#include <fovea/core/api.h>
#include <fovea/core/geometry.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fovea {

struct Device;

// An enumerator and the word that users write for it. An enumeration that is used as an option has
// this function in its namespace:
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

// What a text is used for. Help and completion follow from it.
enum class TextUse : unsigned char { kText, kInput, kOutput, kFolder, kModel };

// A word and the file it goes to, such as --picture arrows arrows.png.
using WordAndFile = std::pair<std::string, std::string>;

// A reference to a field, by its kind. As text, a size is 640x480, a rectangle x,y,width,height, a
// range low,high, and a list has commas between its elements. As JSON these are arrays, and an
// optional field without a value is null.
using OptionValue =
    std::variant<bool*, int*, std::uint64_t*, float*, double*, std::string*, Device*, ChoiceRef,
                 std::optional<int>*, std::optional<double>*, std::optional<Rect<int>>*, Extent*,
                 std::array<double, 2>*, std::vector<int>*, std::vector<double>*,
                 std::vector<std::string>*, std::vector<Extent>*, std::vector<WordAndFile>*>;

// What a describe() function may add to a field besides its help. All of it is optional.
struct OptionTraits {
  TextUse use = TextUse::kText;
  std::string_view value_name{};  // name of the value in help, "KIND"; empty: chosen by its kind
  std::string_view off_help{};    // for a flag that is on by default: what --no-NAME does
  std::string_view absent{};      // for an optional field: what no value means, "the model's own"
  std::vector<std::string_view> words{};  // values to suggest, where not every one can be listed
  bool repeats = false;  // for a list of texts: each use of the option adds one element, even one
                         // with commas; otherwise commas separate elements
};

// One field of an options struct, as a visitor sees it.
struct OptionField {
  std::string name;       // as users write it: "window-stride"
  std::string_view help;  // one line: meaning, unit, consequence
  OptionValue value;
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool bytes = false;  // an amount of memory, written 512M
  OptionTraits traits{};
  std::string part{};  // the part of the options that it belongs to: "hog" of "hog-cell"
};

// The visitor that a describe() function gets. Every options struct has a function
//   void describe(OptionVisitor& visit, Options& options)
// that names each field once. Flags, help, completion, man page, JSON echo and range checks all
// come from it.
class FOVEA_API OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  // Flags, texts, devices, rectangles, sizes, lists of texts and of sizes, words with files.
  template <class Value>
  requires(std::is_constructible_v<OptionValue, Value*>) void operator()(
      std::string_view name, Value& value, std::string_view help, const OptionTraits& traits = {}) {
    add({.name = std::string(name), .help = help, .value = &value, .traits = traits});
  }

  // Numbers, optional numbers, ranges and lists of numbers, each number from `least` to `greatest`.
  template <class Number>
  requires(std::is_constructible_v<OptionValue, Number*> && !std::is_same_v<Number, bool>) void
  operator()(std::string_view name, Number& value, std::string_view help, double least,
             double greatest, const OptionTraits& traits = {}) {
    add({.name = std::string(name),
         .help = help,
         .value = &value,
         .least = least,
         .greatest = greatest,
         .traits = traits});
  }

  template <class Enum>
  requires(std::is_enum_v<Enum>) void operator()(std::string_view name, Enum& value,
                                                 std::string_view help,
                                                 const OptionTraits& traits = {}) {
    add({.name = std::string(name),
         .help = help,
         .value = ChoiceRef{
             &value,
             [](const void* field) { return static_cast<int>(*static_cast<const Enum*>(field)); },
             [](void* field, int chosen) {
               *static_cast<Enum*>(field) = static_cast<Enum>(chosen);
             },
             choices(value)},
         .traits = traits});
  }

  // An amount of memory.
  void bytes(std::string_view name, std::uint64_t& value, std::string_view help, double least = 0,
             double greatest = 0x1p62) {
    add({.name = std::string(name),
         .help = help,
         .value = &value,
         .least = least,
         .greatest = greatest,
         .bytes = true});
  }

  // The path of a file or folder, or the name of a model.
  void path(std::string_view name, std::string& value, TextUse use, std::string_view help) {
    (*this)(name, value, help, OptionTraits{.use = use});
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

  void add(OptionField described) {
    described.name.insert(0, prefix_);
    described.part = prefix_.substr(0, prefix_.find('-'));
    field(described);
  }

  std::string prefix_;
};

// The value as users write it ("0.25", "sobel", "cuda:0", "512M", "640x480").
FOVEA_API std::string option_text(const OptionField& field);
// The value as JSON.
FOVEA_API std::string option_json(const OptionField& field);
// What the field accepts, such as "a whole number from 1 to 32" or "sobel, scharr or centered";
// empty where every text is accepted.
FOVEA_API std::string option_range(const OptionField& field);
// The name that help gives to the value: "N", "FILE", "WxH"; empty for a flag.
FOVEA_API std::string option_value_name(const OptionField& field);
// Whether the field holds any number of values.
FOVEA_API bool is_list(const OptionField& field);
// Sets the field from a user's text; throws InvalidArgument that names the field, the text and what
// is accepted.
FOVEA_API void set_option(const OptionField& field, std::string_view text);
// Adds the elements in a user's text to a list.
FOVEA_API void append_option(const OptionField& field, std::string_view text);
// Throws InvalidArgument where the field holds a number outside its range or one that is not
// finite.
FOVEA_API void check_option(const OptionField& field);

// Reads a number of bytes such as "512M", "1.5G" or "800000", with K, M, G or T for powers of 1024.
// Throws InvalidArgument for anything else.
FOVEA_API std::uint64_t parse_bytes(std::string_view text);
// The shortest such text: 512M for 536870912, 1000 for 1000.
FOVEA_API std::string bytes_text(std::uint64_t bytes);

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

// The whole struct as one JSON object, as every result records it.
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
