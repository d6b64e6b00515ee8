#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/system.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

// Image files: PNG, JPEG, TIFF, PNM (with PAM), PFM, .npy and, for reading only, BMP and WebP
// (where libwebp was there when the library was built). The content of a file decides its format,
// never its name. Errors are FormatError (the file is damaged or of another format), IoError (the
// system could not read it) and WriteError (the system could not write it); each message is one
// line with the file and the cause. Before memory is taken, a picture is checked against the length
// of its file and against ImageReadOptions::max_pixels. Samples are returned as they are stored:
// there is no color management and no gamma correction.
namespace fovea::io {

enum class ImageFormat : unsigned char { kPng, kJpeg, kTiff, kPnm, kPfm, kNpy, kBmp, kWebp };
FOVEA_API const char* to_string(ImageFormat format);

// The kinds of sample an image may have, in the order of the alternatives of AnyPixels and AnyView.
enum class SampleType : unsigned char {
  kUint8,
  kUint16,
  kUint32,
  kInt8,
  kInt16,
  kInt32,
  kFloat32,
  kFloat64
};
FOVEA_API const char* to_string(SampleType type);

using AnyPixels = std::variant<Image<std::uint8_t>, Image<std::uint16_t>, Image<std::uint32_t>,
                               Image<std::int8_t>, Image<std::int16_t>, Image<std::int32_t>,
                               Image<float>, Image<double>>;
using AnyView = std::variant<ImageView<const std::uint8_t>, ImageView<const std::uint16_t>,
                             ImageView<const std::uint32_t>, ImageView<const std::int8_t>,
                             ImageView<const std::int16_t>, ImageView<const std::int32_t>,
                             ImageView<const float>, ImageView<const double>>;

// What the last channel means: nothing special, opacity, or opacity by which the colors are
// already multiplied.
enum class Alpha : unsigned char { kNone, kStraight, kPremultiplied };
FOVEA_API std::span<const Choice> choices(Alpha);

// What a file says about its picture besides the pixels.
struct ImageFacts {
  ImageFormat format = ImageFormat::kPng;
  int bits = 8;           // bits per sample in the file: 1 to 64
  double white = 255;     // the sample value of full brightness; 1 for floating point
  int orientation = 1;    // EXIF's 1 to 8: how the stored picture is to be turned
  bool oriented = false;  // whether that has been done (see ImageReadOptions::orientation)
  Alpha alpha = Alpha::kNone;
};

// A decoded image of any sample type. It can be moved but not copied.
// Samples of fewer than 8 bits are spread over 0..255; all others keep their values in the smallest
// type that holds them (a 12-bit TIFF gives uint16 with facts.white 4095, half floats give float).
// Palettes, CMYK, YCbCr, CIE L*a*b* and LogLuv become RGB, transparent colors an alpha channel,
// and pictures stored with white as 0 are inverted.
struct AnyImage {
  AnyPixels pixels;
  ImageFacts facts{};

  FOVEA_API int width() const;
  FOVEA_API int height() const;
  FOVEA_API int channels() const;
  FOVEA_API SampleType type() const;
  FOVEA_API AnyView view() const;
};

// What read_image() would return, found from the headers alone.
struct ImageInfo {
  int width = 0;
  int height = 0;
  int channels = 0;
  int pages = 1;
  SampleType type = SampleType::kUint8;
  ImageFacts facts{};
};

// What to do with a file's note that the camera was turned.
enum class Orientation : unsigned char { kIgnore, kApply };
FOVEA_API std::span<const Choice> choices(Orientation);

struct ImageReadOptions {
  // apply turns the picture upright as its EXIF tag says (JPEG, PNG, TIFF, WebP)
  Orientation orientation = Orientation::kIgnore;
  int page = 0;                  // which page of a TIFF, from 0
  bool partial = false;          // accept a truncated or damaged JPEG; what is missing is gray
  std::uint64_t most_bytes = 0;  // refuse pictures of more memory; 0: 16 bytes for each max_pixels
  // Refuse pictures of more pixels, such as a small PNG that claims 100000x100000; 0: no such limit
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
};
FOVEA_API void describe(OptionVisitor& visit, ImageReadOptions& options);

FOVEA_API AnyImage read_image(const std::string& path, const ImageReadOptions& options = {});
// For what may keep the reader waiting, a pipe or "-", the standard input: throws Cancelled where a
// stop is requested before its end.
FOVEA_API AnyImage read_image(const std::string& path, const ImageReadOptions& options,
                              const std::stop_token& stop);
// Reads from memory, such as an upload; `name` takes the place of the path in messages.
FOVEA_API AnyImage read_image(std::span<const std::byte> data, const std::string& name,
                              const ImageReadOptions& options = {});
// Every page of a TIFF; one page for other formats. options.page is not used.
FOVEA_API std::vector<AnyImage> read_pages(const std::string& path,
                                           const ImageReadOptions& options = {});
FOVEA_API std::vector<AnyImage> read_pages(std::span<const std::byte> data, const std::string& name,
                                           const ImageReadOptions& options = {});
FOVEA_API ImageInfo image_info(const std::string& path);
FOVEA_API ImageInfo image_info(std::span<const std::byte> data, const std::string& name);

enum class TiffCompression : unsigned char { kNone, kPackBits, kLzw, kDeflate };
FOVEA_API std::span<const Choice> choices(TiffCompression);

struct ImageWriteOptions {
  int quality = 95;          // JPEG, 1 to 100
  bool progressive = false;  // JPEG: a smaller file that is slower to read
  bool full_chroma = false;  // JPEG: keep color at full resolution (4:4:4 instead of 4:2:0)
  int level = 4;             // effort of PNG and deflate: 0 (store) to 9 (smallest)
  TiffCompression tiff_compression = TiffCompression::kDeflate;
  Alpha alpha = Alpha::kStraight;  // what the last of 2 or 4 channels is (TIFF, PAM)
  int orientation = 1;             // tag written into JPEG, PNG and TIFF, 1 to 8; pixels stay
  double white = 0;                // greatest value of PNM samples; 0: the sample type's greatest
};
FOVEA_API void describe(OptionVisitor& visit, ImageWriteOptions& options);

// Writes by extension: .png .jpg .jpeg .tif .tiff .pgm .ppm .pnm .pam .pfm .npy. The file appears
// whole or not at all. What the format cannot hold (float in JPEG, five channels in PNG) is an
// InvalidArgument that says what can. Any Image or ImageView, also one in device memory, converts
// to AnyView.
//   PNG   uint8, uint16; 1 to 4 channels
//   JPEG  uint8; 1 or 3 channels
//   TIFF  every type, any number of channels
//   PNM   uint8, uint16; 1 (.pgm) or 3 (.ppm) channels; .pam any number
//   PFM   float; 1 or 3 channels
//   .npy  every type, any number of channels; one channel is written as a 2-D array
FOVEA_API void write_image(const std::string& path, const AnyView& image,
                           const ImageWriteOptions& options = {});
// As above; alpha, orientation and white come from image.facts.
FOVEA_API void write_image(const std::string& path, const AnyImage& image,
                           const ImageWriteOptions& options = {});
// One TIFF of several pages, which need not have one size or type.
FOVEA_API void write_pages(const std::string& path, std::span<const AnyView> pages,
                           const ImageWriteOptions& options = {});

// Samples divided by facts.white: unsigned integers become [0, 1] and signed ones [-1, 1]. Floating
// point stays as it is, including NaN and infinities. A temporary image that is float already is
// moved, not copied.
FOVEA_API Image<float> to_float(const AnyImage& image);
FOVEA_API Image<float> to_float(AnyImage&& image);
// Samples from 0 to facts.white become 0 to 255, rounded. Values outside are clamped, and NaN
// becomes 0.
FOVEA_API Image<std::uint8_t> to_bytes(const AnyImage& image);
FOVEA_API Image<std::uint8_t> to_bytes(AnyImage&& image);

// The gray value 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), rounded to nearest for integers. The
// last of 2 or 4 channels counts as alpha and is left out; more than 4 are an InvalidArgument. A
// pixel with a NaN in a color channel becomes NaN.
FOVEA_API Image<std::uint8_t> to_gray(ImageView<const std::uint8_t> image);
FOVEA_API Image<std::uint16_t> to_gray(ImageView<const std::uint16_t> image);
FOVEA_API Image<float> to_gray(ImageView<const float> image);
FOVEA_API AnyImage to_gray(const AnyImage& image);

// The channels with these numbers, in this order; a number may occur twice.
FOVEA_API AnyImage select_channels(const AnyImage& image, std::span<const int> channels);
// The picture without its alpha channel; a picture that has none is copied.
FOVEA_API AnyImage drop_alpha(const AnyImage& image);
// The picture over a plain background, blended by its alpha channel, which the result does not
// have. The background is red, green and blue, or their mean for gray; 1 is white. A picture
// without alpha is copied.
FOVEA_API AnyImage blend_alpha(const AnyImage& image,
                               const std::array<double, 3>& background = {1, 1, 1});
// The picture turned upright from one of EXIF's eight orientations.
FOVEA_API AnyImage apply_orientation(const AnyImage& image, int orientation);

// The formats that can be read here, and the libraries that read them.
FOVEA_API std::vector<Feature> codecs();

}  // namespace fovea::io
