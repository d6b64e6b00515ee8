// The manifests of a job as inputs of a command, and whether they are those of all its shards.
#pragma once
#include <fovea/cluster/manifest.h>

#include <string>
#include <vector>

namespace fovea::cli {

// The files that inputs name: files, folders, globs or @list.
std::vector<std::string> manifest_files(const std::vector<std::string>& inputs);

// Names some of many.
std::string some_of(const std::vector<std::string>& names, std::size_t count);

// Sorts the manifests of a job by their shards. Throws InvalidArgument where shards are missing,
// are there twice, or are not of one job.
void require_all_shards(std::vector<cluster::Manifest>& parts);

}  // namespace fovea::cli
