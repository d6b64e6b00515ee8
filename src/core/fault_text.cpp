#include "core/fault_text.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "core/words.h"

namespace fovea::detail {
namespace {

template <class Kind>
const Kind* as(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error);
}

}  // namespace

bool is_out_of_memory(const std::exception& error) {
  return as<std::bad_alloc>(error) != nullptr || as<std::length_error>(error) != nullptr;
}

std::string fault_text(const std::exception& error) {
  if (as<Error>(error) != nullptr) return error.what();
  if (is_out_of_memory(error))
    return "out of memory; take a smaller input, or fewer inputs and threads at a time";
  if (const auto* file = as<std::filesystem::filesystem_error>(error))
    return fmt::format("{}: {}", shown(file->path1().string(), 300), file->code().message());
  if (const auto* system = as<std::system_error>(error))
    return fmt::format("the system refused: {}", system->code().message());
  return "this failed where it should not, which is a mistake in Fovea; please report what led to "
         "it";
}

}  // namespace fovea::detail
