// Origins of pages: scheme, host and port, which say whose a page is.
#pragma once
#include <string>
#include <string_view>

namespace fovea::view {

// An origin as browsers write it: in small letters, and without the port that the scheme has
// anyway; "HTTP://Desk:80" gives "http://desk". Throws InvalidArgument where the text is none, or
// none that a browser lets embed pages.
std::string parse_origin(std::string_view text);

// A name of a host or an origin as it is compared.
std::string in_small_letters(std::string_view text);

// What a Host header of requests to an origin says: "desk:8888" of "http://desk:8888".
std::string_view host_of_origin(std::string_view origin);

}  // namespace fovea::view
