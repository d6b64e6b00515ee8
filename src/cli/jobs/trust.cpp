#include "cli/jobs/trust.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// Where a file is, or would be written, behind all links, also those that lead to no file yet.
fs::path place_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path target = fs::read_symlink(place, error);
    if (error) break;  // it is no link
    place = place.parent_path() / target;
  }
  return fs::weakly_canonical(place, error);
}

}  // namespace

void require_own(const std::string& path, std::string_view option) {
  struct stat state {};
  if (lstat(path.c_str(), &state) != 0) return;  // whoever reads it says why
  const auto is_foreign = [](uid_t owner) { return owner != geteuid() && owner != 0; };
  uid_t owner = state.st_uid;
  if (!is_foreign(owner) && S_ISLNK(state.st_mode) && stat(path.c_str(), &state) == 0)
    owner = state.st_uid;
  if (is_foreign(owner))
    throw InvalidArgument(fmt::format(
        "{}: belongs to another user, whose number is {}, and says what is written; copy it, or "
        "give {} if you know who made it",
        detail::shown(path, 300), owner, option));
}

void require_own_folder(const std::string& folder, std::string_view option) {
  require_own(folder, option);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    require_own(entry->path().string(), option);
}

void require_below_here(std::string_view option, const std::string& path) {
  std::error_code error;
  const fs::path here = fs::canonical(fs::current_path(error), error);
  const fs::path below = place_of(path).lexically_relative(here);
  const bool hidden = std::any_of(below.begin(), below.end(), [](const fs::path& part) {
    return part.string().starts_with('.') && part != ".";
  });
  if (error || below.empty() || hidden)  // ".." counts as hidden
    throw InvalidArgument(fmt::format(
        "the command in the manifest writes {} {}, which {}; give another place with -o, or "
        "--trust if you know who made the manifest",
        option, detail::shown(path, 300),
        below.empty() || *below.begin() == ".." ? "does not lie below the current folder"
                                                : "is a hidden file"));
}

}  // namespace fovea::cli
