#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fovea::io {

// A page as it stands in a file: TiffWriter::encode() makes it, and write() of the same writer adds
// it.
class FOVEA_API TiffPage {
 public:
  ~TiffPage();
  TiffPage(TiffPage&&) noexcept;
  TiffPage& operator=(TiffPage&&) noexcept;

 private:
  friend class TiffWriter;
  struct Impl;
  explicit TiffPage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes a TIFF page by page, so that only one page is in memory at a time. The file appears whole
// or not at all: it has a temporary name until finish(). Pages need not have one size or type.
class FOVEA_API TiffWriter {
 public:
  // `expected_bytes` is an estimate of the size of all pages before compression. Up to 1 GiB the
  // file is a classic TIFF, which every program reads and which holds up to 4 GiB; beyond that, and
  // where the size is not known (0), it is a BigTIFF. Throws WriteError that names the path where
  // the system refuses it, as write() and finish() do. A page is compressed on exec.threads cores;
  // the bytes of the file do not depend on their number.
  explicit TiffWriter(const std::string& path, const ImageWriteOptions& options = {},
                      std::uint64_t expected_bytes = 0, const Exec& exec = {});
  // Without finish() the unfinished file is removed, and an older file of that name stays.
  ~TiffWriter();
  TiffWriter(TiffWriter&&) noexcept;
  TiffWriter& operator=(TiffWriter&&) noexcept;

  // Adds a page, which may lie in device memory.
  void write(const AnyView& page);
  // The same in two steps. Compressing takes most of the time, and several threads may compress
  // pages at once; pages are added one by one, in their order.
  TiffPage encode(const AnyView& page) const;
  void write(const TiffPage& page);
  // Completes the file and gives it its name. Throws InvalidArgument where no page was written.
  void finish();

  std::int64_t pages() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::io
