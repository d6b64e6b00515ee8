// Lists as text and folders as lists, for the readers of inputs and of data sets.
#pragma once
#include <fovea/io/inputs.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

inline constexpr std::string_view kListSpace = " \t\r";

struct ListLine {
  int number = 0;  // counts from 1
  std::string_view text;
};

// The content of a text file. Throws IoError where it cannot be read and FormatError where it holds
// a byte 0.
std::string read_list(const std::string& path);
// The lines that are not blank, without surrounding space and without those that begin with #.
std::vector<ListLine> list_lines(std::string_view text);
// Throws FormatError "path: line 3: cause".
[[noreturn]] void fail_line(const std::string& path, int line, const std::string& cause);
// A piece of text as it appears in a message.
std::string shown(std::string_view text);

// The names of a folder's subfolders, or of its files of a kind, in natural order, without hidden
// ones.
std::vector<std::string> folders_in(const std::string& folder);
std::vector<std::string> files_in(const std::string& folder, const InputKind& kind);

}  // namespace fovea::io
