// The lock of a folder in which words are learned: that of manifests.
#include <fovea/scenes/parts.h>

#include "cluster/file_lock.h"

namespace fovea::scenes {

struct RoundLock::Impl {
  cluster::detail::FileLock lock;
};

RoundLock::RoundLock(const std::string& folder)
    : impl_(new Impl{cluster::detail::FileLock(folder + "/lock", folder)}) {}
RoundLock::RoundLock(RoundLock&&) noexcept = default;
RoundLock& RoundLock::operator=(RoundLock&&) noexcept = default;
RoundLock::~RoundLock() = default;

}  // namespace fovea::scenes
