// Where code of this process came from.
#pragma once
#include <filesystem>

namespace fovea::io {

// The file that holds the code at an address: a shared library, or the program. The path is
// absolute whatever the current folder was and is, because the kernel is asked: the dynamic linker
// only keeps the name that the file was loaded by, which may be relative to a folder that has been
// left. Without /proc that name is taken. Empty where neither is known.
std::filesystem::path loaded_from(const void* address);

}  // namespace fovea::io
