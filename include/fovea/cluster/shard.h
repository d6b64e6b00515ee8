// Parts of a job that can run apart: which units of work belong to which of them.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::cluster {

// One of `count` parts, counted from 0 as the tasks of an array job are.
struct Shard {
  int index = 0;
  int count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

// Reads "3/8", the fourth of eight parts. Throws InvalidArgument.
FOVEA_API Shard parse_shard(std::string_view text);
FOVEA_API std::string to_string(Shard shard);

// Units from `first` up to `last`, which is not among them.
struct UnitRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first; }
  bool has(std::uint64_t unit) const { return unit >= first && unit < last; }
  friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

// The units of a part: neighbors stay together, and the sizes of two parts differ by at most 1.
FOVEA_API UnitRange units_of(Shard shard, std::uint64_t units);

}  // namespace fovea::cluster
