#include "cli/jobs/all_shards.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kShownNames = 5;  // of many

}  // namespace

std::vector<std::string> manifest_files(const std::vector<std::string>& inputs) {
  return io::expand_inputs(inputs, {.name = "manifest", .extensions = {"manifest"}});
}

std::string some_of(const std::vector<std::string>& names, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownNames, names.size()); ++i)
    text += (text.empty() ? "" : ", ") + detail::shown(names[i]);
  if (count > kShownNames) text += fmt::format(" and {} more", count - kShownNames);
  return text;
}

void require_all_shards(std::vector<cluster::Manifest>& parts) {
  if (parts.empty()) throw InvalidArgument("there is no manifest");
  std::ranges::sort(parts, {}, [](const cluster::Manifest& part) { return part.shard().index; });
  const cluster::Manifest& first = parts.front();
  const int count = first.shard().count;
  for (const cluster::Manifest& part : parts) {
    require_same_job(part.job(), first.job(), part.path());
    if (part.shard().count != count)
      throw InvalidArgument(fmt::format("{} is one of {} shards, but {} is one of {}", part.path(),
                                        part.shard().count, first.path(), count));
  }
  if (first.job().version != FOVEA_VERSION)
    throw InvalidArgument(fmt::format("{}: was written by version {}, but this is {}", first.path(),
                                      first.job().version, FOVEA_VERSION));
  std::vector<std::string> missing;
  std::size_t next = 0, absent = 0;
  for (int index = 0; index < count; ++index) {
    const bool found = next < parts.size() && parts[next].shard().index == index;
    if (!found) {
      if (++absent <= kShownNames) missing.push_back(to_string(cluster::Shard{index, count}));
      continue;
    }
    if (++next < parts.size() && parts[next].shard().index == index)
      throw InvalidArgument(fmt::format("{} and {} are both shard {}", parts[next - 1].path(),
                                        parts[next].path(), to_string(parts[next].shard())));
  }
  if (!missing.empty())
    throw InvalidArgument(fmt::format(
        "{} missing: {}", absent == 1 ? "a shard of the job is" : "shards of the job are",
        some_of(missing, absent)));
}

}  // namespace fovea::cli
