// The verbs of fovea bench pipeline that read photographs.
#include <fovea/io/image_io.h>
#include <fovea/ops/resize.h>
#include <fovea/people/detector.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "bench/pipeline/pipeline_jobs.h"
#include "bench/pipeline/pipeline_rivals.h"

namespace fovea::cli::pipeline {
namespace {

namespace fs = std::filesystem;

void decode_photos(const Photos& photos, const Exec& exec) {
  for_all(static_cast<int>(photos.paths.size()), exec,
          [&](int i) { io::read_image(photos.paths[static_cast<std::size_t>(i)]); });
}

void write_photos(const std::vector<Pixels>& images, const std::string& folder, const Exec& exec) {
  fs::create_directories(folder);
  for_all(static_cast<int>(images.size()), exec, [&](int i) {
    io::write_image((fs::path(folder) / fmt::format("{:06}.jpg", i)).string(),
                    images[static_cast<std::size_t>(i)]);
  });
}

// Names of files in a new folder that a rival writes, one for each photograph.
std::vector<std::string> rival_outputs(const Photos& photos, const std::string& folder) {
  fs::create_directories(folder);
  std::vector<std::string> paths;
  for (const std::string& path : photos.paths)
    paths.push_back((fs::path(folder) / fs::path(path).filename()).string());
  return paths;
}

Job people_job(Material& material, bool draws) {
  const Photos& photos = material.photos();
  const Workplace& place = material.place();
  const auto model = people::load_model("people/channels");
  Job job{.name = draws ? "people detect, pictures" : "people detect, list",
          .arguments = {"people", "detect", photos.folder}};
  if (draws) job.arguments.insert(job.arguments.end(), {"-o", place / "found"});
  else job.arguments.insert(job.arguments.end(), {"--csv", place / "found.csv"});
  job.decode = [&](const Exec& exec) { decode_photos(photos, exec); };
  job.work = [&, model](const Exec& exec) {
    for_all_with<people::Detector>(
        material.count(), exec,
        [&](const Exec& own) {
          people::DetectOptions options;
          options.exec = own;
          return people::Detector(model, options);
        },
        [&](people::Detector& detector, int i) {
          detector.detect(photos.images[static_cast<std::size_t>(i)]);
        });
  };
  if (draws)
    job.encode = [&](const Exec& exec) { write_photos(photos.images, place / "encoded", exec); };
  job.rival = files_case(
      "pipeline_people",
      {.inputs = photos.paths,
       .outputs = draws ? rival_outputs(photos, place / "rival") : std::vector<std::string>{}},
      {}, people::ScanOptions{}.ratio);
  return job;
}

Job resize_job(Material& material) {
  const Photos& photos = material.photos();
  const Workplace& place = material.place();
  const auto halves = std::make_shared<std::vector<Pixels>>();
  for (const Pixels& image : photos.images)
    halves->emplace_back(image.width() / 2, image.height() / 2, image.channels());
  return {
      .name = "ops resize",
      .arguments = {"ops", "resize", photos.folder, "--scale", "0.5", "-o", place / "small"},
      .decode = [&](const Exec& exec) { decode_photos(photos, exec); },
      .work =
          [&, halves](const Exec& exec) {
            ResizeOptions options;
            options.exec = exec;
            options.exec.threads = 1;
            for_all(material.count(), exec, [&](int i) {
              const auto at = static_cast<std::size_t>(i);
              resize(photos.images[at].view(), (*halves)[at].view(), options);
            });
          },
      .encode = [&, halves](const Exec& exec) { write_photos(*halves, place / "halves", exec); },
      .rival = files_case(
          "pipeline_resize",
          {.inputs = photos.paths, .outputs = rival_outputs(photos, place / "rival_halves")},
          {material.size().width / 2, material.size().height / 2}, 0)};
}

Job scenes_job(Material& material) {
  const Photos& photos = material.photos();
  return {
      .name = "scenes classify",
      .arguments = {"scenes", "classify", photos.folder, "-o", material.place() / "classes.csv"},
      .decode = [&](const Exec& exec) { decode_photos(photos, exec); },
      .work =
          [&](const Exec& exec) {
            scenes::ClassifyOptions options;
            options.exec = exec;
            scenes::Classifier classifier("scenes/sun8", options);
            const std::vector<ImageView<const std::uint8_t>> views(photos.images.begin(),
                                                                   photos.images.end());
            classifier.classify(views);
          }};
}

}  // namespace

std::vector<NamedJob> photo_jobs(Material& material) {
  return {{"people detect, list", [&] { return people_job(material, false); }},
          {"people detect, pictures", [&] { return people_job(material, true); }},
          {"ops resize", [&] { return resize_job(material); }},
          {"scenes classify", [&] { return scenes_job(material); }}};
}

}  // namespace fovea::cli::pipeline
