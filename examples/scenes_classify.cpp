// Finds which kind of place images show: scenes_classify IMAGE... [--model NAME_OR_FILE]
#include <fovea/core/error.h>
#include <fovea/io/image_set.h>
#include <fovea/scenes.h>

#include <cstdio>
#include <string_view>

using namespace fovea;

int main(int argc, char** argv) try {
  std::string model = "scenes/sun8";
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--model" && i + 1 < argc) model = argv[++i];
    else paths.emplace_back(argv[i]);
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: %s IMAGE... [--model NAME_OR_FILE]\n", argv[0]);
    return 2;
  }
  scenes::Classifier classifier(model);
  const io::ImageFileSet images(paths);
  for (int i = 0; i < images.count(); ++i) {
    const scenes::ClassifyResult place = classifier.classify(images.read(i));
    std::printf("%s: %s (%.2f)\n", images.path(i).c_str(), place.name.c_str(), place.score);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "scenes_classify: %s\n", error.what());
  return 1;
}
