// Any bytes as a request to the view. Nobody has a session here, so that the guard must let nobody
// further than the empty page; and what stands behind the guard answers whatever is asked.
#include <fovea/core/error.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "view/fuzz_session.h"
#include "view/server.h"

namespace {

using fovea::view::Request;

bool is_open_to_all(const Request& request) {
  const std::string& path = request.target.path;
  if (request.method == "POST") return path == "/session";
  return !request.upgrade && (path == "/" || path == "/favicon.ico" || path.starts_with("/page/"));
}

bool has_plain_path(const Request& request) {
  const std::string& path = request.target.path;
  return path.starts_with('/') && path.find('\\') == path.npos &&
         (path + "/").find("/../") == path.npos && path.find('\0') == path.npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea::view;
  FuzzSession& fuzz = fuzz_session();
  std::optional<Request> request = parse_request({reinterpret_cast<const char*>(data), size});
  if (!request) return 0;
  if (!has_plain_path(*request)) std::abort();
  const auto admitted = fuzz.session.admit(*request);
  if (std::holds_alternative<std::size_t>(admitted) && !is_open_to_all(*request)) std::abort();
  if (fuzz.session.known(*request)) std::abort();
  if (request->method == "POST" && request->target.path != "/session") return 0;
  request->target.path = fuzz.with_id(request->target.path);
  try {
    const Response response = fuzz.session.respond(*request);
    if (request->method == "POST" && response.status != 401) std::abort();
  } catch (const fovea::Error&) {
  }
  return 0;
}
