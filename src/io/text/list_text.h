// Lists as text and folders as lists: what readers of inputs and of corpora share.
#pragma once
#include <fovea/io/inputs.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

inline constexpr std::string_view kListSpace = " \t\r";

struct ListLine {
  int number = 0;  // from 1
  std::string_view text;
};

// A text file's content. IoError where it cannot be read, FormatError where it holds a byte 0.
std::string read_list(const std::string& path);
// Lines that are not blank, without space around them; those that begin with # are left out.
std::vector<ListLine> list_lines(std::string_view text);
// FormatError "path: line 3: cause".
[[noreturn]] void fail_line(const std::string& path, int line, const std::string& cause);
// A piece of text as it may stand in a message.
std::string shown(std::string_view text);

// Names of a folder's folders, or of its files of a kind, in natural order, without hidden ones.
std::vector<std::string> folders_in(const std::string& folder);
std::vector<std::string> files_in(const std::string& folder, const InputKind& kind);

}  // namespace fovea::io
