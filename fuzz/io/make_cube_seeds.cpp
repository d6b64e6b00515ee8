// Writes a tiny file of each kind the readers of cubes know. Usage: make_cube_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/mat_writer.h"

namespace {

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void make_mats(const std::string& folder) {
  for (const bool big : {false, true}) {
    const fovea::test::MatWriter writer{big};
    const std::string order = big ? "big" : "little";
    const std::string cube =
        writer.matrix(6, {2, 3, 2}, "cube", writer.element(4, "abcdefghijklmnopqrstuvwx"));
    const std::string map = writer.matrix(0x209, {2, 2}, "truth_map", writer.small(2, "abcd"));
    save(folder + order + ".mat", writer.header() + cube + map);
    save(folder + order + "_packed.mat",
         writer.header() + writer.compressed(map) + writer.compressed(cube));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_cube_seeds FOLDER\n");
    return 2;
  }
  const std::string root = std::string(argv[1]) + "/";
  for (const char* name : {"envi", "mat"}) std::filesystem::create_directories(root + name);
  make_mats(root + "mat/");
  const std::string sides = "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = ";
  const std::string zero(1, '\0'), samples = "abcdefghijklmnopqrstuvwx";
  save(root + "envi/bsq", sides + "1\ninterleave = bsq\nheader offset = 12\n" + zero + samples);
  save(root + "envi/bil",
       sides + "2\ninterleave = bil\nbyte order = 1\nband names = {\n a, b }\n" + zero + samples);
  save(root + "envi/bip", sides +
                              "12\ninterleave = bip\nwavelength = { 400, 500.5 }\n"
                              "wavelength units = nm\n; words\n" +
                              zero + samples);
  save(root + "envi/wide",
       "ENVI\nsamples = 1\nlines = 3\nbands = 1\ndata type = 14\n" + zero + samples);
  return 0;
}
