// What a manifest or a folder of rounds may make a command do that another user could have written.
#pragma once
#include <string>
#include <string_view>

namespace fovea::cli {

// Throws InvalidArgument where the file or folder is there and belongs to another user who is not
// the administrator; `option` is how to take it all the same, such as "--trust".
void require_own(const std::string& path, std::string_view option);
// The same for the files and folders in a folder.
void require_own_folder(const std::string& folder, std::string_view option);

// Throws InvalidArgument where a file that a manifest's command writes by the option would not lie
// below the current folder, whatever links lead there, or would be hidden, as settings of users
// are.
void require_below_here(std::string_view option, const std::string& path);

}  // namespace fovea::cli
