// Hashes that say whether a file is still the one that was worked on. They find changes and
// accidents; they are no protection against forgery.
#pragma once
#include <fovea/core/api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::cluster {

// XXH64 with seed 0 (Collet, xxHash specification, 2016), over text that comes in pieces.
class FOVEA_API Hasher {
 public:
  void add(std::string_view text);
  std::uint64_t result() const;

 private:
  static constexpr std::size_t kStripe = 32;

  std::array<std::uint64_t, 4> lanes_{0x60EA27EEADC0B5D6, 0xC2B2AE3D27D4EB4F, 0,
                                      0x61C8864E7A143579};
  std::array<char, kStripe> rest_{};
  std::size_t waiting_ = 0;  // bytes of `rest_`
  std::uint64_t length_ = 0;
};

FOVEA_API std::uint64_t hash_of(std::string_view text);

struct FileIdentity {
  std::uint64_t size = 0;  // bytes
  std::uint64_t hash = 0;  // of the content

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
// Throws IoError where the file cannot be read.
FOVEA_API FileIdentity identity_of_file(const std::string& path);

}  // namespace fovea::cluster
