#include "core/words.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace fovea::detail {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string shown(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  if (cut) {
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  std::string line;
  line.reserve(text.size());
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x20 && byte != 0x7F) line += letter;
    else if (letter == '\n') line += "\\n";
    else if (letter == '\t') line += "\\t";
    else line += fmt::format("\\x{:02x}", byte);
  }
  if (cut) line += "...";
  return line;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  if (count == 1 || !many.empty()) return fmt::format("{} {}", count, count == 1 ? one : many);
  return fmt::format("{} {}s", count, one);
}

}  // namespace fovea::detail

namespace fovea {
namespace {

template <class Kind>
const Kind* fault_as(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error);
}

}  // namespace

bool is_out_of_memory(const std::exception& error) {
  return fault_as<std::bad_alloc>(error) != nullptr ||
         fault_as<std::length_error>(error) != nullptr;
}

std::string fault_text(const std::exception& error) {
  if (fault_as<Error>(error) != nullptr) return error.what();
  if (is_out_of_memory(error))
    return "out of memory; take a smaller input, or fewer inputs and threads at a time";
  if (const auto* file = fault_as<std::filesystem::filesystem_error>(error))
    return fmt::format("{}: {}", detail::shown(file->path1().string(), 300),
                       file->code().message());
  if (const auto* system = fault_as<std::system_error>(error))
    return fmt::format("the system refused: {}", system->code().message());
  return "this failed where it should not, which is a mistake in Fovea; please report what led to "
         "it";
}

}  // namespace fovea
