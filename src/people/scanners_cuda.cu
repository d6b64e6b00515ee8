#include <fovea/error.h>

#include "people/scanner.h"

namespace fovea::people::cuda {
std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel&) { throw DeviceError("no"); }
}  // namespace fovea::people::cuda
