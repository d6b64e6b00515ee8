// Which files show colors, and which bands.
#include <fovea/emd/track.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

namespace fovea::emd {

bool is_band_file(const std::string& path) {
  if (!io::has_extension(path, io::image_files())) return true;
  const io::ImageInfo info = io::image_info(path);
  const bool opacity = info.facts.alpha != io::Alpha::kNone && info.channels > 1;
  const int channels = info.channels - (opacity ? 1 : 0);
  return info.type != io::SampleType::kUint8 || (channels != 1 && channels != 3) || info.pages > 1;
}

}  // namespace fovea::emd
