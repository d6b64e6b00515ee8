#include "io/image/tiff_file.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>

extern "C" {
// Is there where libtiff runs with the stand-ins of tools/wheel/missing_codecs.c, and else is null.
[[gnu::weak, gnu::visibility("default")]] extern const char fovea_missing_codecs;
}

namespace fovea::io {
namespace {

// The most memory that libtiff may allocate at once for tables, compressed strips and decoder
// state.
double most_library_bytes(const Source& source) {
  return std::min(0x1p62, 64e6 + 1032.0 * static_cast<double>(source.size()));
}

std::string format_message(const char* format, std::va_list arguments) {
  std::array<char, 300> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text.data();
}

}  // namespace

struct TiffFile::Handlers {
  static TiffFile& of(void* handle) { return *static_cast<TiffFile*>(handle); }

  static tmsize_t read(thandle_t handle, void* to, tmsize_t bytes) {
    TiffFile& file = of(handle);
    const auto wanted = static_cast<std::size_t>(std::max<tmsize_t>(bytes, 0));
    if (file.stream_ != nullptr)
      return static_cast<tmsize_t>(std::fread(to, 1, wanted, file.stream_));
    std::size_t got = 0;
    try {
      got = file.source_->read_at(file.position_, std::span(static_cast<std::byte*>(to), wanted));
    } catch (...) {
      file.exception_ = std::current_exception();
    }
    file.position_ += got;
    return static_cast<tmsize_t>(got);
  }

  static tmsize_t write(thandle_t handle, void* from, tmsize_t bytes) {
    TiffFile& file = of(handle);
    if (file.stream_ == nullptr) return -1;
    const std::size_t done = std::fwrite(from, 1, static_cast<std::size_t>(bytes), file.stream_);
    if (done < static_cast<std::size_t>(bytes)) file.error_number_ = errno;
    return static_cast<tmsize_t>(done);
  }

  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffFile& file = of(handle);
    if (file.stream_ != nullptr) {
      if (fseeko(file.stream_, static_cast<off_t>(offset), whence) != 0) {
        file.error_number_ = errno;
        return static_cast<toff_t>(-1);
      }
      return static_cast<toff_t>(ftello(file.stream_));
    }
    if (whence == SEEK_CUR) offset += file.position_;
    if (whence == SEEK_END) offset += file.source_->size();
    return file.position_ = offset;
  }

  static toff_t size(thandle_t handle) {
    TiffFile& file = of(handle);
    if (file.stream_ == nullptr) return file.source_->size();
    const off_t here = ftello(file.stream_);
    if (fseeko(file.stream_, 0, SEEK_END) != 0) return 0;
    const off_t end = ftello(file.stream_);
    return fseeko(file.stream_, here, SEEK_SET) == 0 ? static_cast<toff_t>(end) : 0;
  }

  static int close(thandle_t) { return 0; }
  static int map(thandle_t, void**, toff_t*) { return 0; }
  static void unmap(thandle_t, void*, toff_t) {}

  static int error(TIFF*, void* handle, const char* module, const char* format,
                   std::va_list arguments) {
    TiffFile& file = of(handle);
    if (file.error_.empty())
      file.error_ = fmt::format("{} ({})", format_message(format, arguments),
                                module == nullptr ? "libtiff" : module);
    return 1;
  }

  // Only the warnings that decoders give for lost image data count.
  static int warning(TIFF*, void* handle, const char* module, const char* format,
                     std::va_list arguments) {
    TiffFile& file = of(handle);
    const std::string_view from = module == nullptr ? "" : module;
    if (file.damage_.empty() && (from == "JPEGLib" || from.starts_with("Fax")))
      file.damage_ = fmt::format("{} ({})", format_message(format, arguments), from);
    return 1;
  }

  static TIFF* open(TiffFile& file, const char* mode, double most_bytes) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), error, &file);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), warning, &file);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most_bytes));
    return TIFFClientOpenExt("libtiff", mode, &file, read, write, seek, close, size, map, unmap,
                             options.get());
  }
};

// The mode "mc" turns off memory mapping and the splitting of large strips, because rows are read
// one after another.
TiffFile::TiffFile(const Source& source)
    : source_(&source), tiff_(Handlers::open(*this, "rmc", most_library_bytes(source))) {
  if (tiff_ == nullptr) fail_reading("its first directory cannot be read");
}

TiffFile::TiffFile(OutputFile& file, bool big)
    : stream_(file.stream()), tiff_(Handlers::open(*this, big ? "w8" : "w", 0x1p62)) {
  if (tiff_ == nullptr) finish_writing(file, false);
}

std::string TiffFile::message(const char* otherwise) const {
  return !error_.empty() ? error_ : !damage_.empty() ? damage_ : otherwise;
}

void TiffFile::fail_reading(const char* otherwise) const {
  if (exception_) std::rethrow_exception(exception_);
  const auto scheme =
      tiff_ ? tiff_field<std::uint16_t>(tiff_.get(), TIFFTAG_COMPRESSION) : std::uint16_t{};
  if (&fovea_missing_codecs != nullptr &&
      (scheme == COMPRESSION_JBIG || scheme == COMPRESSION_LERC))
    source_->fail(
        fmt::format("cannot be decoded: {}. It is compressed as {}, which the Python package does "
                    "not read; save it with another compression, such as deflate",
                    message(otherwise), scheme == COMPRESSION_JBIG ? "JBIG" : "LERC"));
  source_->fail(fmt::format("is truncated or damaged: {}", message(otherwise)));
}

void TiffFile::finish_writing(OutputFile& file, bool written) {
  if (written) written = TIFFFlush(tiff_.get()) == 1;
  tiff_.reset();
  if (written && error_number_ == 0) return;
  if (error_number_ != 0) {
    errno = error_number_;
    file.fail("write");
  }
  throw WriteError(
      fmt::format("{}: cannot write: {}", file.path(), message("libtiff gave no reason")));
}

struct TiffMemory::Handlers {
  static TiffMemory& of(void* handle) { return *static_cast<TiffMemory*>(handle); }

  static tmsize_t read(thandle_t handle, void* to, tmsize_t bytes) {
    TiffMemory& memory = of(handle);
    const std::size_t here = std::min(memory.position_, memory.bytes_.size());
    const std::size_t count = std::min(static_cast<std::size_t>(std::max<tmsize_t>(bytes, 0)),
                                       memory.bytes_.size() - here);
    std::copy_n(memory.bytes_.begin() + static_cast<std::ptrdiff_t>(here), count,
                static_cast<std::byte*>(to));
    memory.position_ = here + count;
    return static_cast<tmsize_t>(count);
  }
  // An exception must not pass through libtiff, so that memory that is used up is a failed write.
  static tmsize_t write(thandle_t handle, void* from, tmsize_t bytes) {
    TiffMemory& memory = of(handle);
    const std::size_t end = memory.position_ + static_cast<std::size_t>(bytes);
    try {
      if (end > memory.bytes_.size()) memory.bytes_.resize(end);
    } catch (const std::exception&) {
      return -1;
    }
    std::copy_n(static_cast<const std::byte*>(from), bytes,
                memory.bytes_.begin() + static_cast<std::ptrdiff_t>(memory.position_));
    memory.position_ = end;
    return bytes;
  }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffMemory& memory = of(handle);
    if (whence == SEEK_CUR) offset += memory.position_;
    if (whence == SEEK_END) offset += memory.bytes_.size();
    memory.position_ = static_cast<std::size_t>(offset);
    return offset;
  }
  static toff_t size(thandle_t handle) { return of(handle).bytes_.size(); }
  static int close(thandle_t) { return 0; }
  static int map(thandle_t, void**, toff_t*) { return 0; }
  static void unmap(thandle_t, void*, toff_t) {}
  static int ignore(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }
};

TiffMemory::TiffMemory() {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), Handlers::ignore, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), Handlers::ignore, nullptr);
  tiff_.reset(TIFFClientOpenExt("libtiff", "w", this, Handlers::read, Handlers::write,
                                Handlers::seek, Handlers::close, Handlers::size, Handlers::map,
                                Handlers::unmap, options.get()));
}

std::vector<std::byte> TiffMemory::strip() const {
  const std::uint64_t* offsets = nullptr;
  const std::uint64_t* counts = nullptr;
  if (TIFFGetField(tiff_.get(), TIFFTAG_STRIPOFFSETS, &offsets) != 1 ||
      TIFFGetField(tiff_.get(), TIFFTAG_STRIPBYTECOUNTS, &counts) != 1 ||
      offsets[0] + counts[0] > bytes_.size())
    return {};
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offsets[0]);
  return {begin, begin + static_cast<std::ptrdiff_t>(counts[0])};
}

}  // namespace fovea::io
