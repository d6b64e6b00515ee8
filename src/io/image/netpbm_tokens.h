// The words and numbers of PNM and PFM headers, and of images in ASCII. Comments begin with # and
// end with their line.
#pragma once
#include <cstdint>
#include <string>

#include "io/text/source.h"

namespace fovea::io {

class NetpbmTokens {
 public:
  explicit NetpbmTokens(Cursor& cursor) : cursor_(cursor) {}

  static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // Reads the next whole number and one white space after it; `what` names it in messages.
  std::uint32_t number(const char* what, std::uint32_t most);
  // Reads the characters up to a white space, which is consumed as well; at most 64.
  std::string word();
  // Reads the next digit 0 or 1; there may be no white space between digits.
  bool bit();
  // Reads a line of a PAM header without its end; comments are skipped.
  std::string line();

 private:
  int skip_space();
  void skip_line();
  [[noreturn]] void fail(const char* what, int c) const;

  Cursor& cursor_;
};

}  // namespace fovea::io
