#pragma once
#include <fovea/core/options.h>
#include <fovea/people/detection.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Where people stand in images, as others have marked them: text files of PASCAL's version 1.00,
// one an image, as the INRIA and Penn-Fudan sets have them, and JSON files of COCO, one a set.
// Files are not trusted: damage is a FormatError with one line that names the file.
namespace fovea::people {

// A person marked in an image.
struct Annotation {
  Box box{};
  bool ignore = false;  // finding it is no gain, not finding it no loss: crowds, the unclear
  std::string label{};  // what the file calls it: "PASpersonWalking"
};

struct AnnotatedImage {
  std::string name{};  // as the file gives it, with its folders
  int width = 0;       // pixels; 0: the file does not say
  int height = 0;
  std::vector<Annotation> people{};  // may be none
};

struct AnnotationOptions {
  std::string label = "person";  // objects whose label holds this word, in letters of any size, are
                                 // people; the others do not count. Empty: everything is
};
FOVEA_API void describe(OptionVisitor& visit, AnnotationOptions& options);

// The images of a file: one of PASCAL's, any number of COCO's, where crowds (iscrowd), objects
// marked `ignore` and those of no size are to be ignored.
FOVEA_API std::vector<AnnotatedImage> read_annotations(const std::string& path,
                                                       const AnnotationOptions& options = {});
// From memory; `name` stands for the path in messages.
FOVEA_API std::vector<AnnotatedImage> parse_annotations(std::span<const std::byte> data,
                                                        const std::string& name,
                                                        const AnnotationOptions& options = {});

// The annotations of some images, in their order. `path` is a file or a folder of .txt and .json
// files. An image and its annotation have the same name without folders and ending: that in the
// file, or that of the file. Throws IoError where an image has none, FormatError where it has two.
FOVEA_API std::vector<AnnotatedImage> annotations_of(std::span<const std::string> images,
                                                     const std::string& path,
                                                     const AnnotationOptions& options = {});

}  // namespace fovea::people
