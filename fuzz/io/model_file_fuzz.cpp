// Any bytes as a model file: refused, or read and written again to something that reads the same.
#include <fovea/core/error.h>
#include <fovea/io/model_file.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fovea::io::ModelFile;
  try {
    const ModelFile model =
        ModelFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    const auto bytes = model.bytes();
    if (ModelFile::parse(bytes, "again").bytes() != bytes) std::abort();
    model.require_schema("people.hog", 1);
    model.require_finite();
    for (const auto& name : model.names()) model.tensor<float>(name, {fovea::io::kAnySize});
  } catch (const fovea::Error&) {
  }
  return 0;
}
