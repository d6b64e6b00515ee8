// Writes a tiny file of each kind the image readers know. Usage: make_image_seeds FOLDER
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>
#include <png.h>
#include <tiffio.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace fovea;
using namespace std::string_literals;

template <class T>
Image<T> picture(int width, int height, int channels = 1) {
  Image<T> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i) image.row(y)[i] = static_cast<T>(y * 9 + i * 5);
  return image;
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Layouts that write_image() does not write.
void save_tiff(const std::string& path, int compression, int bits, int photometric, int planar,
               int tile) {
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  const int samples = photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 16);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, planar);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  if (photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
  if (compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (photometric == PHOTOMETRIC_PALETTE) {
    std::vector<std::uint16_t> map(std::size_t{1} << bits, 0x1234);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  }
  std::vector<char> row(4096, 'x');
  if (tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile);
    TIFFWriteTile(tiff, row.data(), 0, 0, 0, 0);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 8);
    for (int plane = 0; plane < (planar == PLANARCONFIG_SEPARATE ? samples : 1); ++plane)
      for (std::uint32_t y = 0; y < 8; ++y)
        TIFFWriteScanline(tiff, row.data(), y, static_cast<std::uint16_t>(plane));
  }
  TIFFClose(tiff);
}

// Palette of 16 colors with a transparent one, interlaced.
void save_palette_png(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, 9, 3, 4, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_ADAM7, 0, 0);
  const std::vector<png_color> palette(16, png_color{1, 2, 3});
  const png_byte opacity = 7;
  png_set_PLTE(png, info, palette.data(), 16);
  png_set_tRNS(png, info, &opacity, 1, nullptr);
  png_write_info(png, info);
  std::string row = "abcde";
  png_bytep rows[3];
  for (png_bytep& each : rows) each = reinterpret_cast<png_bytep>(row.data());
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

void make_tiffs(const std::string& folder) {
  using io::TiffCompression;
  const auto color = picture<std::uint16_t>(5, 4, 3);
  io::write_image(folder + "none.tif", color, {.tiff_compression = TiffCompression::kNone});
  io::write_image(folder + "lzw.tif", color, {.tiff_compression = TiffCompression::kLzw});
  io::write_image(folder + "float.tif", picture<float>(4, 3, 2));
  const auto first = picture<std::uint8_t>(3, 3), second = picture<std::uint8_t>(2, 4);
  const std::vector<io::AnyView> pages{first, second};
  io::write_pages(folder + "pages.tif", pages,
                  {.tiff_compression = TiffCompression::kPackBits, .orientation = 7});
  const int together = PLANARCONFIG_CONTIG;
  save_tiff(folder + "fax3.tif", COMPRESSION_CCITTFAX3, 1, PHOTOMETRIC_MINISWHITE, together, 0);
  save_tiff(folder + "fax4.tif", COMPRESSION_CCITTFAX4, 1, PHOTOMETRIC_MINISWHITE, together, 0);
  save_tiff(folder + "palette.tif", COMPRESSION_NONE, 4, PHOTOMETRIC_PALETTE, together, 0);
  save_tiff(folder + "planes.tif", COMPRESSION_PACKBITS, 8, PHOTOMETRIC_RGB, PLANARCONFIG_SEPARATE,
            0);
  save_tiff(folder + "tiles.tif", COMPRESSION_LZW, 8, PHOTOMETRIC_RGB, together, 16);
  save_tiff(folder + "twelve.tif", COMPRESSION_NONE, 12, PHOTOMETRIC_MINISBLACK, together, 0);
  save_tiff(folder + "ycbcr.tif", COMPRESSION_NONE, 8, PHOTOMETRIC_YCBCR, together, 0);
  save_tiff(folder + "jpeg.tif", COMPRESSION_JPEG, 8, PHOTOMETRIC_YCBCR, together, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_image_seeds FOLDER\n");
    return 2;
  }
  const std::string root = std::string(argv[1]) + "/";
  for (const char* name : {"png", "jpeg", "tiff", "pnm", "pfm", "npy"})
    std::filesystem::create_directories(root + name);
  io::write_image(root + "png/gray.png", picture<std::uint8_t>(7, 5));
  io::write_image(root + "png/wide.png", picture<std::uint16_t>(3, 4, 4), {.orientation = 6});
  save_palette_png(root + "png/palette.png");
  io::write_image(root + "jpeg/gray.jpg", picture<std::uint8_t>(17, 9), {.quality = 30});
  io::write_image(root + "jpeg/color.jpg", picture<std::uint8_t>(9, 17, 3),
                  {.quality = 20, .orientation = 5});
  io::write_image(root + "jpeg/progressive.jpg", picture<std::uint8_t>(16, 16, 3),
                  {.quality = 20, .progressive = true});
  make_tiffs(root + "tiff/");
  save(root + "pnm/bits_ascii.pbm", "P1\n# c\n3 2\n1 0 1\n010");
  save(root + "pnm/gray_ascii.pgm", "P2 2 2 255 1 2\n3 255\n");
  save(root + "pnm/color_ascii.ppm", "P3\n1 2\n15\n0 5 15 1 2 3\n");
  save(root + "pnm/bits.pbm", "P4\n9 2\n\xa0\x80\x01\x00"s);
  save(root + "pnm/gray.pgm", "P5 2 2 1023\n\x01\x02\x03\x00\x00\x09\x00\x08"s);
  save(root + "pnm/color.ppm", "P6 1 2 255\nabcdef");
  io::write_image(root + "pnm/alpha.pam", picture<std::uint8_t>(2, 2, 4));
  io::write_image(root + "pfm/gray.pfm", picture<float>(3, 2));
  io::write_image(root + "pfm/color.pfm", picture<float>(2, 2, 3));
  io::write_image(root + "npy/color.npy", picture<std::uint16_t>(3, 2, 3));
  io::write_image(root + "npy/double.npy", picture<double>(2, 2));
  const std::size_t shape[] = {2, 1, 3};
  io::write_array(root + "npy/cube.npy", io::DType::kInt64, shape, std::string(48, 'a').data());
  save(
      root + "npy/half.npy",
      "\x93NUMPY\x02\0\x40\0\0\0{'descr': '>f2', 'fortran_order': True, 'shape': (2, 3)}         \nabcdefghijkl"s);
  return 0;
}
