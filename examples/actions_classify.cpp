// Prints which action each clip shows: actions_classify VIDEO...
#include <fovea/actions/classify.h>
#include <fovea/core/error.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s VIDEO...\n", argv[0]);
    return 2;
  }
  actions::Classifier classifier("actions/weizmann");
  for (int i = 1; i < argc; ++i) {
    const actions::ClipClass found = classifier.classify(std::string(argv[i]));
    std::printf("%s: %s, score %.2f\n", argv[i], found.name.c_str(), found.score);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "actions_classify: %s\n", error.what());
  return 1;
}
