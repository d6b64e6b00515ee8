// Reads the header event by event instead of into a tree: nesting is bounded by what a header may
// hold, repeated keys are seen, and memory stays within a small multiple of the text.
#include "io/model/safetensors.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_text.h"

namespace fovea::io {
namespace {

constexpr std::array<std::pair<TensorType, const char*>, 12> kTensorTypes = {
    {{TensorType::kBool, "BOOL"},
     {TensorType::kU8, "U8"},
     {TensorType::kI8, "I8"},
     {TensorType::kU16, "U16"},
     {TensorType::kI16, "I16"},
     {TensorType::kF16, "F16"},
     {TensorType::kU32, "U32"},
     {TensorType::kI32, "I32"},
     {TensorType::kF32, "F32"},
     {TensorType::kU64, "U64"},
     {TensorType::kI64, "I64"},
     {TensorType::kF64, "F64"}}};

// Text from a file as it appears in a message: on one line, printable, and not too long.
std::string excerpt(std::string_view text) {
  return detail::json_quote(text.size() > 80 ? text.substr(0, 80) : text);
}

class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::string cause;  // the reason for the first refusal

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is not whole or does not fit 64 bits");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kShape) {
      if (value > static_cast<std::uint64_t>(INT64_MAX)) return number_float(0, {});
      entry_.shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (place_ != Place::kOffsets) return unexpected("a number");
    if (++offsets_ > 2) return refuse("data_offsets has more than two numbers");
    (offsets_ == 1 ? entry_.begin : entry_.end) = value;
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata && has_key_) {
      has_key_ = false;
      header.metadata[key_] = text;
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") return unexpected("a text");
    const auto dtype = parse_tensor_type(text);
    if (!dtype) return refuse("unknown dtype " + excerpt(text) + "; expected BOOL, U8 to F64");
    entry_.dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::kStart) place_ = Place::kTop;
    else if (place_ == Place::kTop && key_ == "__metadata__") place_ = Place::kMetadata;
    else if (place_ == Place::kTop) {
      place_ = Place::kTensor;
      entry_ = {.name = key_, .shape = {}};
      fields_.clear();
    } else return unexpected("an object");
    return true;
  }

  bool key(string_t& name) override {
    key_ = name;
    has_key_ = true;
    if (place_ == Place::kTop) {
      if (!names_.insert(name).second) return refuse("the name " + excerpt(name) + " occurs twice");
    } else if (place_ == Place::kMetadata) {
      if (header.metadata.contains(name))
        return refuse("the metadata key " + excerpt(name) + " occurs twice");
    } else {
      if (name != "dtype" && name != "shape" && name != "data_offsets")
        return refuse("tensor " + excerpt(entry_.name) + " has the unknown field " + excerpt(name));
      if (!fields_.insert(name).second)
        return refuse("tensor " + excerpt(entry_.name) + " has " + name + " twice");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      if (fields_.size() != 3)
        return refuse("tensor " + excerpt(entry_.name) + " lacks dtype, shape or data_offsets");
      header.entries.push_back(std::move(entry_));
    }
    place_ = place_ == Place::kTop ? Place::kEnd : Place::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::kTensor && key_ == "shape") place_ = Place::kShape;
    else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
      offsets_ = 0;
    } else return unexpected("a list");
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_ != 2)
      return refuse("tensor " + excerpt(entry_.name) + " has data_offsets without two numbers");
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse(fmt::format("the header is not JSON at byte {}", position));
  }

 private:
  enum class Place : unsigned char { kStart, kTop, kMetadata, kTensor, kShape, kOffsets, kEnd };

  bool refuse(std::string why) {
    if (cause.empty()) cause = std::move(why);
    return false;
  }
  bool unexpected(const char* what) {
    return refuse(fmt::format("the header has {} at {}, where it does not belong", what,
                              key_.empty() ? "its start" : excerpt(key_)));
  }

  Place place_ = Place::kStart;
  std::string key_;
  bool has_key_ = false;
  SafetensorsEntry entry_;
  int offsets_ = 0;
  std::set<std::string> names_, fields_;
};

void check_entry(const SafetensorsEntry& entry, std::uint64_t expected_begin,
                 std::uint64_t data_bytes, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw FormatError(fmt::format("{}: tensor {} {}", file, excerpt(entry.name), why));
  };
  if (entry.end < entry.begin || entry.end > data_bytes)
    refuse(
        fmt::format("lies at bytes {} to {}, but the file has {} bytes of data; it may be "
                    "truncated",
                    entry.begin, entry.end, data_bytes));
  if (entry.begin != expected_begin)
    refuse(fmt::format("begins at byte {}, but the one before it ends at {}", entry.begin,
                       expected_begin));
  const auto elements = shape_elements(entry.shape, entry.dtype);
  if (!elements || *elements * size_of(entry.dtype) != entry.end - entry.begin)
    refuse(fmt::format("is {} {} but has {} bytes", to_string(entry.dtype), shape_text(entry.shape),
                       entry.end - entry.begin));
}

}  // namespace

const char* to_string(TensorType dtype) {
  for (const auto& [known, name] : kTensorTypes) {
    if (known == dtype) return name;
  }
  return "?";
}

std::size_t size_of(TensorType dtype) {
  switch (dtype) {
    case TensorType::kBool:
    case TensorType::kU8:
    case TensorType::kI8: return 1;
    case TensorType::kU16:
    case TensorType::kI16:
    case TensorType::kF16: return 2;
    case TensorType::kU32:
    case TensorType::kI32:
    case TensorType::kF32: return 4;
    case TensorType::kU64:
    case TensorType::kI64:
    case TensorType::kF64: return 8;
  }
  return 1;
}

std::optional<TensorType> parse_tensor_type(std::string_view text) {
  for (const auto& [dtype, name] : kTensorTypes) {
    if (text == name) return dtype;
  }
  return {};
}

std::optional<std::uint64_t> shape_elements(const Shape& shape, TensorType dtype) {
  const std::uint64_t most = UINT64_MAX / size_of(dtype);
  std::uint64_t elements = 1;
  for (const std::int64_t side : shape) {
    if (side < 0) return {};
    const auto length = static_cast<std::uint64_t>(side);
    if (length != 0 && elements > most / length) return {};
    elements *= length;
  }
  return elements;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == 8 && shape.size() > 9) return text + fmt::format(", ... {} sides]", shape.size());
    if (i > 0) text += ", ";
    text += shape[i] == kAnySize ? "*" : std::to_string(shape[i]);
  }
  return text + "]";
}

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::string& file) {
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(json, &events)) {
    if (events.cause.empty()) events.cause = "the header is not JSON";
    throw FormatError(file + ": not a usable safetensors file: " + events.cause);
  }
  auto& entries = events.header.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const auto& entry : entries) {
    check_entry(entry, end, data_bytes, file);
    end = entry.end;
  }
  if (end != data_bytes)
    throw FormatError(
        fmt::format("{}: has {} bytes of data, but its tensors take {}", file, data_bytes, end));
  return std::move(events.header);
}

}  // namespace fovea::io
