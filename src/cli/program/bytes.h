// Amounts of memory as users write them.
#pragma once
#include <cstdint>
#include <string>

namespace fovea::cli {

// "512M", "1.5G", "800000": bytes, with K, M, G or T for powers of 1024. Empty is 0. Throws
// InvalidArgument that names the option.
std::uint64_t parse_bytes(const std::string& option, const std::string& text);

}  // namespace fovea::cli
