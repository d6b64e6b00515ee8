#include <fovea/cluster/manifest.h>

#include <fovea/core/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cluster/file_lock.h"
#include "cluster/manifest_line.h"

namespace fovea::cluster {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kUnsafe = std::chrono::seconds(1);  // how long lines wait for the disk

}  // namespace

struct ManifestWriter::Impl {
  std::string path;
  detail::FileLock lock;
  int file = -1;
  std::uint64_t size = 0;
  Clock::time_point synced = Clock::now();

  explicit Impl(const std::string& name) : path(name), lock(name + ".lock", name) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (file < 0) return;
    fsync(file);
    close(file);
  }

  WriteError failed(int reason) const {
    return WriteError(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
  }
  void open_file(const std::string& name, int more) {
    file = open(name.c_str(), O_RDWR | O_CLOEXEC | more, 0666);
    if (file < 0) throw failed(errno);
  }
  // Makes a file that has its first line from the beginning.
  void make_file(const Start& start) {
    const std::string fresh = path + ".new";
    open_file(fresh, O_CREAT | O_TRUNC);
    append(detail::header_line({start.job, start.shard, start.words}));
    sync();
    if (rename(fresh.c_str(), path.c_str()) != 0) throw failed(errno);
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (directory < 0) return;
    fsync(directory);  // so that the name survives as well
    close(directory);
  }
  // Continues the file that is there, behind its last whole line.
  void continue_file(const Start& start) {
    const Manifest found(path);
    require_same_job(found.job(), start.job, path);
    if (found.shard() != start.shard)
      throw InvalidArgument(fmt::format("{}: belongs to part {} of the job, not to {}", path,
                                        to_string(found.shard()), to_string(start.shard)));
    open_file(path, 0);
    size = found.whole_bytes();
    if (ftruncate(file, static_cast<off_t>(size)) != 0) throw failed(errno);
  }
  // Writes a whole line or nothing.
  void append(std::string_view line) {
    std::size_t written = 0;
    while (written < line.size()) {
      const ssize_t count = pwrite(file, line.data() + written, line.size() - written,
                                   static_cast<off_t>(size + written));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const int reason = count == 0 ? ENOSPC : errno;
        // A torn line that stays is cut off by the next reader.
        [[maybe_unused]] const int cut = ftruncate(file, static_cast<off_t>(size));
        throw failed(reason);
      }
      written += static_cast<std::size_t>(count);
    }
    size += line.size();
  }
  void sync() {
    if (fsync(file) != 0) throw failed(errno);
    synced = Clock::now();
  }
};

ManifestWriter::ManifestWriter(const std::string& path, const Start& start)
    : impl_(std::make_unique<Impl>(path)) {
  struct stat state {};
  const bool there = stat(path.c_str(), &state) == 0;
  if (there && !start.resume)
    throw IoError(fmt::format("{}: exists already; continue it with --resume, or remove it", path));
  if (there) impl_->continue_file(start);
  else impl_->make_file(start);
}
ManifestWriter::~ManifestWriter() = default;
ManifestWriter::ManifestWriter(ManifestWriter&&) noexcept = default;
ManifestWriter& ManifestWriter::operator=(ManifestWriter&&) noexcept = default;

void ManifestWriter::add(const UnitRecord& record) {
  impl_->append(detail::record_line(record));
  if (Clock::now() - impl_->synced > kUnsafe) impl_->sync();
}

void ManifestWriter::flush() { impl_->sync(); }

}  // namespace fovea::cluster
