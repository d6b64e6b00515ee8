// A session with one image, for fuzzers of what the page sends. The word ID stands for the image in
// seeds, because ids differ from run to run.
#pragma once
#include <fovea/io/image_memory.h>

#include <memory>
#include <string>

#include "view/session.h"

namespace fovea::view {

struct FuzzSession {
  Session session{
      {.guard = {.token = random_token()}, .exec = {.device = Device::cpu(), .threads = 1}}};
  std::string image =
      session.inputs().add_upload("fuzz.png", io::png_bytes(Image<std::uint8_t>(300, 40, 3)));

  std::string with_id(std::string text) const {
    for (std::size_t at = 0; (at = text.find("ID", at)) != text.npos; at += image.size())
      text.replace(at, 2, image);
    return text;
  }
};

inline FuzzSession& fuzz_session() {
  static FuzzSession session;
  return session;
}

}  // namespace fovea::view
