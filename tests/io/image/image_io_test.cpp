#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_path.h>
#include <sys/stat.h>

#include <thread>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using test::as_bytes;
using test::images_equal;
using test::load;
using test::message_of;
using test::random_image;
using test::save;
using test::TempFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kNames[] = {"a.png", "a.jpg", "a.tif", "a.pgm", "a.pfm", "a.npy"};

void write_any(const std::string& path, int width, int height) {
  Random random(1);
  if (path.ends_with(".pfm")) write_image(path, random_image<float>(random, width, height));
  else write_image(path, random_image<std::uint8_t>(random, width, height));
}

TEST(ImageIo, TellsTheFormatByContent) {
  const TempFolder folder;
  for (const char* name : kNames) {
    write_any(folder / name, 6, 4);
    const ImageFormat format = image_info(folder / name).facts.format;
    std::filesystem::rename(folder / name, folder / "renamed.gif");
    const AnyImage image = read_image(folder / "renamed.gif");
    EXPECT_EQ(image.facts.format, format);
    EXPECT_EQ(image.width(), 6);
    EXPECT_EQ(image.height(), 4);
    EXPECT_EQ(read_pages(folder / "renamed.gif").size(), 1U);
  }
}

TEST(ImageIo, ReadsMemoryAndPipes) {
  const TempFolder folder;
  for (const char* name : kNames) {
    write_any(folder / name, 300, 200);
    const std::string bytes = load(folder / name);
    const AnyImage from_memory = read_image(as_bytes(bytes), "memory");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::thread writer([&] { save(folder / "pipe", bytes); });
    const AnyImage from_pipe = read_image(folder / "pipe");
    writer.join();
    std::filesystem::remove(folder / "pipe");
    EXPECT_TRUE(images_equal(to_float(from_memory), to_float(from_pipe))) << name;
    EXPECT_TRUE(images_equal(to_float(from_memory), to_float(read_image(folder / name)))) << name;
  }
}

TEST(ImageIo, NamesFormatsThatAreNotRead) {
  const auto message = [](const std::string& bytes) {
    return message_of<FormatError>([&] { read_image(as_bytes(bytes), "x.jpg"); });
  };
  EXPECT_EQ(message("GIF89a......"),
            "x.jpg: is a GIF, which is not read; convert it to PNG, for example with ffmpeg -i IN "
            "OUT.png");
  EXPECT_THAT(message("RIFF....WEBPVP8 "), HasSubstr("a WebP without an image"));
  EXPECT_THAT(message("BM0000000000"), HasSubstr("the header of the BMP is not whole"));
  EXPECT_THAT(message("\0\0\0\x18"
                      "ftypheic...."s),
              HasSubstr("is a HEIC"));
  EXPECT_THAT(message("\0\0\0\x18"
                      "ftypisom...."s),
              HasSubstr("MP4 or QuickTime video, not an image"));
  EXPECT_THAT(message("<!DOCTYPE html>"), HasSubstr("is an HTML page, not an image"));
  EXPECT_EQ(message(""), "x.jpg: is empty");
  EXPECT_THAT(message("\x01\x02zz"), StartsWith("x.jpg: begins with 01 02 7a 7a, as no image"));
}

TEST(ImageIo, NamesFilesThatCannotBeOpened) {
  const TempFolder folder;
  const std::string missing = folder / "none.png";
  EXPECT_THAT(message_of<IoError>([&] { read_image(missing); }),
              test::says(missing + ": ", "No such file or directory"));
  EXPECT_THAT(message_of<IoError>([&] { read_image(folder.path()); }),
              test::says(folder.path() + ": ", "folder"));
  EXPECT_THROW(image_info(missing), IoError);
  EXPECT_THROW(read_pages(missing), IoError);
  EXPECT_THROW(read_image("/dev/zero"), IoError);
}

TEST(ImageIo, FullDiskIsAnError) {
  // A full device under a name with an image's extension.
  const TempFolder folder;
  Random random(2);
  for (const char* name : kNames) {
    std::filesystem::create_symlink("/dev/full", folder / name);
    EXPECT_THAT(message_of<WriteError>([&] { write_any(folder / name, 900, 700); }),
                AllOf(StartsWith(folder / name), HasSubstr("cannot write")))
        << name;
    EXPECT_THAT(message_of<WriteError>([&] { write_any(folder / name, 3, 2); }),
                HasSubstr("cannot write"))
        << name;
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(ImageIo, TwoWritersLeaveOneWholeFile) {
  const TempFolder folder;
  for (const char* name : kNames) {
    const std::string path = folder / name;
    std::thread other([&] {
      for (int i = 0; i < 10; ++i) write_any(path, 64, 64);
    });
    for (int i = 0; i < 10; ++i) write_any(path, 32, 32);
    other.join();
    EXPECT_THAT(read_image(path).width(), testing::AnyOf(32, 64));
  }
  EXPECT_EQ(folder.files(), std::size(kNames));
}

TEST(ImageIo, SaysWhatCanBeWritten) {
  const TempFolder folder;
  const Image<std::uint8_t> image(2, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_image(folder / "a.gif", image); }),
              AllOf(HasSubstr("extension '.gif' names no image format"), HasSubstr(".png .jpg")));
  EXPECT_THROW(write_image(folder / "png", image), InvalidArgument);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { write_image(folder / "a.png", Image<std::uint8_t>()); }),
      HasSubstr("0x0x1"));
  EXPECT_THROW(write_image(folder / "no/a.png", image), WriteError);
  EXPECT_EQ(folder.files(), 0U);
  write_image(folder / "A.PNG", image);
  EXPECT_EQ(image_info(folder / "A.PNG").facts.format, ImageFormat::kPng);
}

TEST(ImageIo, NamesAreCheckedBeforeTheWork) {
  require_image_path("a.PNG");
  require_image_path("a.png", SampleType::kUint16, 1);
  require_image_path("a.npy", SampleType::kFloat64, 7);
  require_image_path("a.PFM", SampleType::kFloat32, 1);
  require_image_path("a.pam", SampleType::kUint16, 7);
  const auto refused = [](const char* path, SampleType type, int channels) {
    return message_of<InvalidArgument>([&] { require_image_path(path, type, channels); });
  };
  EXPECT_THAT(message_of<InvalidArgument>([] { require_image_path("a.txt"); }),
              HasSubstr("'.txt' names no image format"));
  EXPECT_THAT(refused("a.jpg", SampleType::kUint16, 1), HasSubstr("not uint16 with 1 channel"));
  EXPECT_THAT(refused("a.png", SampleType::kFloat32, 1), HasSubstr("PNG holds"));
  EXPECT_THAT(refused("a.pgm", SampleType::kUint8, 3), HasSubstr("PGM holds 1 channel"));
  EXPECT_THAT(refused("a.pfm", SampleType::kUint8, 1), HasSubstr("PFM holds"));
  EXPECT_THAT(refused("a.bmp", SampleType::kUint8, 1), HasSubstr("read but not written"));
}

TEST(ImageIo, WritesViewsWithAnyStride) {
  const TempFolder folder;
  Random random(3);
  const auto image = random_image<std::uint8_t>(random, 20, 10, 3);
  const auto part = image.view().crop(3, 2, 7, 5);
  for (const char* name : {"a.png", "a.tif", "a.ppm", "a.npy"}) {
    write_image(folder / name, part);
    EXPECT_TRUE(
        images_equal(std::get<Image<std::uint8_t>>(read_image(folder / name).pixels).view(), part));
  }
}

TEST(ImageIo, HonorsLimitsAndPages) {
  const TempFolder folder;
  for (const char* name : kNames) {
    write_any(folder / name, 20, 10);
    EXPECT_THAT(message_of<FormatError>([&] { read_image(folder / name, {.most_bytes = 199}); }),
                HasSubstr("more than the 199 bytes allowed"))
        << name;
    EXPECT_NO_THROW(read_image(folder / name, {.most_bytes = 800}));
    EXPECT_THAT(message_of<FormatError>([&] { read_image(folder / name, {.max_pixels = 199}); }),
                test::says("20x10", "is 200", "the 199"))
        << name;
    EXPECT_NO_THROW(read_image(folder / name, {.max_pixels = 200}));
    EXPECT_NO_THROW(read_image(folder / name, {.max_pixels = 0}));
    EXPECT_THROW(read_image(folder / name, {.page = 1}), InvalidArgument);
    EXPECT_THROW(read_image(folder / name, {.page = -1}), InvalidArgument);
  }
}

TEST(ImageIo, ListsItsCodecs) {
  const std::vector<Feature> features = codecs();
  ASSERT_EQ(features.size(), 8U);
  for (const Feature& feature : features) {
    EXPECT_TRUE(feature.usable || feature.name == "webp") << feature.name;
    EXPECT_FALSE(feature.detail.empty());
  }
  EXPECT_THAT(features[0].detail, StartsWith("libpng 1."));
  EXPECT_THAT(features[1].detail, StartsWith("libjpeg-turbo "));
  EXPECT_THAT(features[2].detail, AllOf(StartsWith("libtiff 4."), HasSubstr("LZW")));
}

TEST(ImageIo, DescribesItsOptions) {
  EXPECT_THAT(options_json(ImageReadOptions{}),
              AllOf(HasSubstr("\"orientation\": \"ignore\""), HasSubstr("\"page\": 0")));
  EXPECT_THAT(options_json(ImageWriteOptions{}),
              AllOf(HasSubstr("\"tiff-compression\": \"deflate\""), HasSubstr("\"quality\": 95")));
}

}  // namespace
}  // namespace fovea::io
