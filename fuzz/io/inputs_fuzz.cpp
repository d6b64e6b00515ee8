// Any bytes as an @list of inputs: words that are names, in an order, or an exception. Nothing is
// looked up in the file system.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "io/text/input_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    auto words = fovea::io::parse_input_list({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::sort(words.begin(), words.end(), fovea::io::natural_less);
    const fovea::io::InputKind images = fovea::io::image_files();
    for (std::size_t i = 0; i < words.size(); ++i) {
      fovea::io::has_extension(words[i], images);
      if (words[i].empty() ||
          words[i].find_first_of(std::string_view("\n\0", 2)) != std::string::npos)
        std::abort();
      if (i > 0 && fovea::io::natural_less(words[i], words[i - 1])) std::abort();
    }
  } catch (const fovea::Error&) {
  }
  return 0;
}
