#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <new>
#include <vector>

#include "support/messages.h"

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::Not;

template <class Function>
std::string told(Function function) {
  try {
    function();
  } catch (const std::exception& error) {
    const std::string text = fault_text(error);
    if (dynamic_cast<const Error*>(&error) == nullptr) {
      EXPECT_NE(text, error.what());
    }
    return text;
  }
  return {};
}

TEST(FaultText, StandardMessagesReachNobody) {
  EXPECT_EQ(told([] { throw FormatError("a.png: is cut off"); }), "a.png: is cut off");
  volatile std::size_t huge = ~std::size_t{0};
  EXPECT_THAT(told([&] { std::vector<int>().reserve(huge); }), HasSubstr("out of memory"));
  EXPECT_THAT(told([] { throw std::bad_alloc(); }), HasSubstr("out of memory"));
  const std::string missing =
      told([] { static_cast<void>(std::filesystem::file_size("/no such folder/no such file")); });
  EXPECT_THAT(missing, test::says("/no such folder/no such file: ", "No such file"));
  EXPECT_THAT(missing, Not(HasSubstr("filesystem error")));
  EXPECT_THAT(told([] { throw std::system_error(std::make_error_code(std::errc::io_error)); }),
              HasSubstr("the system refused: "));
  EXPECT_THAT(told([&] { static_cast<void>(std::vector<int>().at(huge)); }),
              test::says("a mistake in Fovea", "report"));
}

}  // namespace
}  // namespace fovea
