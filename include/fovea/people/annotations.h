#pragma once
#include <fovea/core/options_fwd.h>
#include <fovea/people/detection.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Ground truth: where people stand in images, read from PASCAL 1.00 text files (one per image, as
// in the INRIA and Penn-Fudan sets) and from COCO JSON files (one per set). The files are not
// trusted: a damaged one is a FormatError whose message names it.
namespace fovea::people {

// One annotated person.
struct Annotation {
  Rect<float> box{};
  bool ignore =
      false;  // a crowd or an unclear object: finding it and missing it both count nothing
  std::string label{};  // as the file has it, such as "PASpersonWalking"
};

struct AnnotatedImage {
  std::string name{};                // as the file has it, with its folders
  int width = 0;                     // pixels; 0 where the file does not give the size
  int height = 0;                    // pixels; 0 where the file does not give the size
  std::int64_t frame = -1;           // of a video, where a COCO file says so by "frame"
  std::vector<Annotation> people{};  // may be empty
};

struct AnnotationOptions {
  std::string label = "person";  // objects whose label contains this word, in upper or lower case,
                                 // are people, and the others are left out. Empty: all are people
};
FOVEA_API void describe(OptionVisitor& visit, AnnotationOptions& options);

// The images of one file: a PASCAL file has one, a COCO file any number. COCO objects that are
// crowds (iscrowd), marked `ignore`, or empty get Annotation::ignore.
FOVEA_API std::vector<AnnotatedImage> read_annotations(const std::string& path,
                                                       const AnnotationOptions& options = {});
// The same from memory; messages call it `name`.
FOVEA_API std::vector<AnnotatedImage> parse_annotations(std::span<const std::byte> data,
                                                        const std::string& name,
                                                        const AnnotationOptions& options = {});

// The annotations of these images, in their order. `path` is a file, or a folder with .txt and
// .json files. An image and its annotation are matched by file name, without folders and extension;
// a PASCAL file may instead have the image's name itself. Throws IoError where an image has no
// annotation and FormatError where it has two.
FOVEA_API std::vector<AnnotatedImage> annotations_of(std::span<const std::string> images,
                                                     const std::string& path,
                                                     const AnnotationOptions& options = {});

}  // namespace fovea::people
