// Records from JSON, and from the bytes of a manifest: whatever is read is written and read again.
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>
#include <fovea/people/detector.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using fovea::people::DetectResult;

void read_json(std::string_view text) {
  fovea::io::UnknownMembers unknown;
  const auto result = fovea::io::parse_record<DetectResult>(text, "fuzz.json", &unknown);
  const std::string written = fovea::io::record_json(fovea::record_ref(result));
  const auto again = fovea::io::parse_record<DetectResult>(written, "written.json");
  if (fovea::io::record_json(fovea::record_ref(again)) != written) std::abort();
}

void read_bytes(std::string_view bytes) {
  DetectResult result;
  fovea::io::unpack_record(bytes, fovea::record_ref(result));
  const std::string packed = fovea::io::pack_record(fovea::record_ref(result));
  std::string_view rest = packed;
  DetectResult again;
  fovea::io::unpack_record(rest, fovea::record_ref(again));
  if (fovea::io::pack_record(fovea::record_ref(again)) != packed) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_json, read_bytes}) try {
      read(text);
    } catch (const fovea::Error&) {
    }
  return 0;
}
