// Opens pages in the user's browser.
#pragma once
#include <string>

namespace fovea::cli {

// Opens an address where there is a desktop, and does nothing elsewhere. The address holds a
// secret, and other users can see the words of processes; so the browser is given a file in a
// private folder that leads to the address.
void open_in_browser(const std::string& address, const std::string& private_folder);

}  // namespace fovea::cli
