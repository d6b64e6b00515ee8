#pragma once
#include <fovea/core/api.h>

#include <stdexcept>
#include <string>

namespace fovea {

// Base of everything the library throws. A message says what happened with the offending value,
// what was expected, and what to do about it, in one line.
class FOVEA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A call that cannot be carried out as asked: a size, an option or a combination of them.
class FOVEA_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

// The system refused to read or write (WriteError): a missing file, no permission, a full disk.
class FOVEA_API IoError : public Error {
 public:
  using Error::Error;
};

// An output that the system refused: a full disk, no permission, a folder that is not there.
class FOVEA_API WriteError : public IoError {
 public:
  using IoError::IoError;
};

// A file that is not what it claims to be: truncated, lying about its size, of another format.
class FOVEA_API FormatError : public Error {
 public:
  using Error::Error;
};

// A device that is absent, too small, or failed while working.
class FOVEA_API DeviceError : public Error {
 public:
  using Error::Error;
};

// A well-formed model file that does not fit: another kind or version, impossible geometry,
// non-finite weights.
class FOVEA_API ModelError : public Error {
 public:
  using Error::Error;
};

// The caller asked to stop (Exec::stop). What was finished by then is kept by whoever caught it.
class FOVEA_API Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace fovea
