#pragma once
#include <fovea/core/api.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

// What a folder is searched for.
struct InputKind {
  std::string name;                     // in messages: "image"
  std::vector<std::string> extensions;  // without the dot, in small letters; case does not matter
  bool live = false;                    // cameras and the addresses of streams are inputs as well
};
FOVEA_API InputKind image_files();
FOVEA_API InputKind video_files();
FOVEA_API InputKind image_and_video_files();

// Whether the path ends in one of the kind's extensions.
FOVEA_API bool has_extension(std::string_view path, const InputKind& kind);

// Whether the source is live, not a file: camera:N, a device of a camera such as /dev/video0, or
// the address of a stream, such as rtsp://host/path, of whatever protocol. A file of such a name is
// read as ./camera:0.
FOVEA_API bool is_live_source(const std::string& source);
// The source as messages and results name it: of an address, what stands before its host and behind
// its path is replaced by ***, because passwords stand there. Other sources are named by
// themselves.
FOVEA_API std::string source_name(const std::string& source);

// Order of names as people count: frame2 before frame10, a folder's files together.
FOVEA_API bool natural_less(std::string_view a, std::string_view b);

// Turns the words of a command line into paths, in the order of the words.
//   file       stands for itself, whatever its extension.
//   folder     stands for its own files of that kind, in natural order, without hidden files.
//   folder/**  stands for the files of that kind in the folder and in all folders below it, and
//              folder/**/*.png for those that match. Hidden folders and links are not followed.
//   glob       (* ? [a-z]) stands for the files that match, in natural order. Quote it, or the
//              shell expands it.
//   @list      stands for the words in the file of that name, one per line, relative to the
//              list's folder. Blank lines and lines that begin with # are skipped.
//   -          stands for itself: the standard input.
//   camera:0, rtsp://...  stand for themselves where the kind is live, and never in a list: what a
//              file says must not open cameras or connections.
// A missing file among several inputs is kept, so that the others can be worked on and reading it
// fails with its name. Throws IoError that names the word where the only input is missing, nothing
// matches a glob, a folder has no file of that kind (with the extensions that were looked for), an
// input is live and the kind is not, its protocol is unknown, or a list names another list, - or a
// live source. Throws FormatError where a list is not text.
FOVEA_API std::vector<std::string> expand_inputs(std::span<const std::string> words,
                                                 const InputKind& kind);

}  // namespace fovea::io
