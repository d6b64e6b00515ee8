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

// A call with arguments that are not allowed: a size, an option or a combination of them.
class FOVEA_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

// The system refused to read or write a file: it is missing, there is no permission, the disk is
// full.
class FOVEA_API IoError : public Error {
 public:
  using Error::Error;
};

// The system refused to write an output: the disk is full, there is no permission, the folder is
// missing.
class FOVEA_API WriteError : public IoError {
 public:
  using IoError::IoError;
};

// A file that is not what it claims to be: it is truncated, states a wrong size or has another
// format.
class FOVEA_API FormatError : public Error {
 public:
  using Error::Error;
};

// A device that is absent, has too little memory, or failed while working.
class FOVEA_API DeviceError : public Error {
 public:
  using Error::Error;
};

// A well-formed model file that cannot be used: it has another kind or version, impossible geometry
// or weights that are not finite.
class FOVEA_API ModelError : public Error {
 public:
  using Error::Error;
};

// The caller requested a stop (Exec::stop). Whoever catches it keeps what was finished by then.
class FOVEA_API Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace fovea
