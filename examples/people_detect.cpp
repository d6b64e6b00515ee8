// Finds people in an image and draws their boxes on it: people_detect IN.jpg OUT.png
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/people.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s IN.jpg OUT.png\n", argv[0]);
    return 2;
  }
  fovea::Image<unsigned char> image =
      fovea::io::to_bytes(fovea::io::drop_alpha(fovea::io::read_image(argv[1])));

  fovea::people::Detector detector("people/channels", {.scan = {.ratio = 1.1}});
  const auto people = detector.detect(image).people;

  for (const fovea::people::Detection& person : people)
    std::printf("score %5.2f at %.0f, %.0f, size %.0f x %.0f\n", person.score, person.box.x,
                person.box.y, person.box.width, person.box.height);
  fovea::people::draw_people(image, people);
  fovea::io::write_image(argv[2], image.view());
  return 0;
} catch (const fovea::Error& error) {
  std::fprintf(stderr, "people_detect: %s\n", error.what());
  return 1;
}
