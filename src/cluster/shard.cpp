#include <fovea/cluster/shard.h>

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fovea::cluster {
namespace {

constexpr int kMostShards = 1'000'000;

bool read_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() &&
         text.front() != '-';
}

}  // namespace

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !read_number(text.substr(0, slash), shard.index) ||
      !read_number(text.substr(slash + 1), shard.count))
    throw InvalidArgument(
        fmt::format("'{}' is not a part of a job; expected INDEX/COUNT, such as 0/4", text));
  if (shard.count < 1 || shard.count > kMostShards)
    throw InvalidArgument(
        fmt::format("'{}': a job has 1 to {} parts, not {}", text, kMostShards, shard.count));
  if (shard.index >= shard.count)
    throw InvalidArgument(
        fmt::format("'{}': parts are counted from 0, so that the last of {} is {}", text,
                    shard.count, shard.count - 1));
  return shard;
}

std::string to_string(Shard shard) { return fmt::format("{}/{}", shard.index, shard.count); }

UnitRange units_of(Shard shard, std::uint64_t units) {
  const auto index = static_cast<std::uint64_t>(shard.index);
  const auto count = static_cast<std::uint64_t>(shard.count);
  const auto begin = [&](std::uint64_t part) {
    return units / count * part + std::min(part, units % count);
  };
  return {begin(index), begin(index + 1)};
}

}  // namespace fovea::cluster
