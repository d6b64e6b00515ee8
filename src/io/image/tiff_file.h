// libtiff over a Source or an OutputFile, its messages kept instead of printed.
#pragma once
#include <tiffio.h>

#include <exception>
#include <memory>
#include <string>

#include "io/image/codec.h"

namespace fovea::io {

struct TiffClose {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};

class TiffFile {
 public:
  explicit TiffFile(const Source& source);
  TiffFile(OutputFile& file, bool big);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_.get(); }
  const Source& source() const { return *source_; }
  // The first error libtiff reported, else `otherwise`.
  std::string message(const char* otherwise) const;
  bool failed() const { return !error_.empty(); }
  // A decoder reported that picture data is missing, though it went on.
  bool damaged() const { return !damage_.empty(); }
  // Throws what went wrong while reading: what the system refused, else FormatError.
  [[noreturn]] void fail_reading(const char* otherwise) const;
  // Flushes and closes; throws WriteError where the system refused a write.
  void finish_writing(OutputFile& file, bool written);

 private:
  struct Handlers;  // the C functions libtiff calls, which see all that is private here

  const Source* source_ = nullptr;
  std::FILE* stream_ = nullptr;
  std::uint64_t position_ = 0;
  std::string error_, damage_;
  std::exception_ptr exception_;
  int error_number_ = 0;
  std::unique_ptr<TIFF, TiffClose> tiff_;  // last: closing it may call the handlers
};

template <class T>
T tiff_field(TIFF* tiff, std::uint32_t tag) {
  T value{};
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

}  // namespace fovea::io
