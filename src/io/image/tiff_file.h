// libtiff on a Source or an OutputFile. Its messages are kept instead of printed.
#pragma once
#include <tiffio.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

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
  // The first error that libtiff reported, or else `otherwise`.
  std::string message(const char* otherwise) const;
  bool failed() const { return !error_.empty(); }
  // Whether a decoder reported missing image data, though it went on.
  bool damaged() const { return !damage_.empty(); }
  // Throws what went wrong while reading: the system's error, or else a FormatError.
  [[noreturn]] void fail_reading(const char* otherwise) const;
  // Flushes and closes; throws WriteError where a write failed.
  void finish_writing(OutputFile& file, bool written);

 private:
  struct Handlers;  // the C functions that libtiff calls, which need the private members

  const Source* source_ = nullptr;
  std::FILE* stream_ = nullptr;
  std::uint64_t position_ = 0;
  std::string error_, damage_;
  std::exception_ptr exception_;
  int error_number_ = 0;
  std::unique_ptr<TIFF, TiffClose> tiff_;  // last, because closing it may call the handlers
};

// A file of one strip in memory, from which the strip is taken as it was compressed.
class TiffMemory {
 public:
  TiffMemory();
  TiffMemory(const TiffMemory&) = delete;
  TiffMemory& operator=(const TiffMemory&) = delete;

  TIFF* get() const { return tiff_.get(); }  // null where libtiff has no memory for it
  // The bytes of the strip that was written and flushed.
  std::vector<std::byte> strip() const;

 private:
  struct Handlers;

  std::vector<std::byte> bytes_;
  std::size_t position_ = 0;
  std::unique_ptr<TIFF, TiffClose> tiff_;  // last, because closing it writes
};

template <class T>
T tiff_field(TIFF* tiff, std::uint32_t tag) {
  T value{};
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

}  // namespace fovea::io
