// The verbs of fovea bench pipeline that read a video.
#include <fovea/actions/points.h>
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "bench/pipeline/pipeline_jobs.h"
#include "cli/emd/map.h"

namespace fovea::cli::pipeline {
namespace {

namespace fs = std::filesystem;

// Reads the video and decodes its frames on all threads.
void decode_video(const Video& video, io::VideoColor color, const Exec& exec) {
  io::VideoReader reader(video.path, {.color = color});
  const io::FrameWorkers plan =
      io::plan_frame_workers(exec, static_cast<std::int64_t>(video.frames.size()));
  struct Item {
    io::StoredFrame stored{};
    io::Frame frame{};
  };
  struct Nothing {};
  Nothing nothing;
  io::run_frames<Item, Nothing>({&nothing, 1},
                                {.read = [&](Item& item) { return reader.fetch(item.stored); },
                                 .prepare = [](Item& item) { item.stored.decode(item.frame); },
                                 .write = [](Item&) {}},
                                {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

Job flow_job(Material& material) {
  const Video& video = material.video();
  const Workplace& place = material.place();
  const auto field =
      std::make_shared<flow::Flow>(flow::Estimator().estimate(video.frames[0], video.frames[1]));
  return {.name = "flow lk",
          .arguments = {"flow", "lk", video.path, "--quality", "fast", "-o", place / "fields"},
          .decode = [&](const Exec& exec) { decode_video(video, io::VideoColor::kRgb, exec); },
          .work =
              [&](const Exec& exec) {
                for_all_with<flow::Estimator>(
                    material.count(), exec,
                    [&](const Exec& own) {
                      flow::FlowOptions options;
                      options.quality = flow::Quality::kFast;
                      options.exec = own;
                      return flow::Estimator(options);
                    },
                    [&](flow::Estimator& estimator, int i) {
                      const std::size_t at =
                          static_cast<std::size_t>(i) % (video.frames.size() - 1);
                      estimator.estimate(video.frames[at], video.frames[at + 1]);
                    });
              },
          .encode =
              [&, field](const Exec& exec) {
                const std::string folder = place / "written";
                fs::create_directories(folder);
                for_all(material.count(), exec, [&](int i) {
                  io::write_flow((fs::path(folder) / fmt::format("{:06}.flo", i)).string(),
                                 {field->u, field->v});
                });
              }};
}

// The frames of the video as emd map takes them, their labels, and the map of the first.
struct MapMaterial {
  MapRequest request{};
  std::vector<BandFrame> frames{};
  std::vector<emd::PreparedFrame> prepared{};
  Image<float> map{};
};

// Maps all frames in order, as emd map does: one mapper has all threads.
void map_all(const MapMaterial& all, const Exec& exec) {
  emd::SceneMapper mapper = frame_mapper(all.request, all.frames[0], exec);
  Image<float> map;
  for (const emd::PreparedFrame& frame : all.prepared) mapper.map(frame, map);
}

// Reads, decodes and labels the frames on all threads, as emd map does.
void label_all(const Video& video, const MapMaterial& all, const Exec& exec) {
  const emd::SceneMapper mapper =
      frame_mapper(all.request, all.frames[0], {.device = Device::cpu()});
  BandFrames frames({video.path}, false, {});
  struct Item {
    StoredBands stored{};
    BandFrame frame{};
    emd::PreparedFrame prepared{};
  };
  const io::FrameWorkers plan = io::plan_frame_workers(exec, frames.expected_frames(), 1);
  struct Nothing {};
  Nothing nothing;
  io::run_frames<Item, Nothing>({&nothing, 1},
                                {.read = [&](Item& item) { return frames.fetch(item.stored); },
                                 .prepare =
                                     [&](Item& item) {
                                       frames.decode(item.stored, item.frame);
                                       mapper.prepare(item.frame, item.prepared, 1);
                                     },
                                 .write = [](Item&) {}},
                                {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

// Compresses one copy of the map per frame on all threads and writes them as pages, as emd map
// does.
void write_pages(const std::string& path, const Video& video, const MapMaterial& all,
                 const Exec& exec) {
  MapRequest request = all.request;
  request.output = path;
  MapFiles files(request, BandFrames({video.path}, false, {}).facts());
  files.begin(all.map);
  const int count = static_cast<int>(all.frames.size());
  const io::FrameWorkers plan = io::plan_frame_workers(exec, count, 1);
  int next = 0;
  struct Nothing {};
  Nothing nothing;
  struct Item {
    int number = 0;
    MapFiles::Encoded encoded{};
  };
  io::run_frames<Item, Nothing>(
      {&nothing, 1},
      {.read =
           [&](Item& item) {
             item.number = next++;
             return item.number < count;
           },
       .complete = [&](Item& item) { item.encoded = files.encode(all.map, item.number); },
       .write = [&](Item& item) { files.add(all.map, item.encoded); }},
      {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
  files.finish();
}

Job map_job(Material& material) {
  const Video& video = material.video();
  const Workplace& place = material.place();
  const auto all = std::make_shared<MapMaterial>();
  const int width = video.frames[0].width(), height = video.frames[0].height();
  all->request.target =
      fmt::format("{},{},{},{}", width / 2, height / 2, width / 10 + 1, height / 10 + 1);
  BandFrames reader({video.path}, false, {});
  for (BandFrame frame; reader.next(frame); frame = {}) all->frames.push_back(std::move(frame));
  emd::SceneMapper mapper = frame_mapper(all->request, all->frames[0], {.device = Device::cpu()});
  all->prepared.resize(all->frames.size());
  for (std::size_t i = 0; i < all->frames.size(); ++i)
    mapper.prepare(all->frames[i], all->prepared[i], 1);
  mapper.map(all->prepared[0], all->map);
  return {.name = "emd map",
          .arguments = {"emd", "map", video.path, "--target", all->request.target, "-o",
                        place / "maps.tif"},
          .decode = [&, all](const Exec& exec) { label_all(video, *all, exec); },
          .work = [all](const Exec& exec) { map_all(*all, exec); },
          .encode =
              [&, all](const Exec& exec) { write_pages(place / "pages.tif", video, *all, exec); }};
}

Job points_job(Material& material) {
  const Video& video = material.video();
  const Workplace& place = material.place();
  const auto frames = std::make_shared<std::vector<Pixels>>();
  io::VideoReader reader(video.path, {.color = io::VideoColor::kGray});
  for (io::Frame frame; reader.next(frame); frame = {}) frames->push_back(std::move(frame.image));
  const auto found = std::make_shared<actions::PointSet>(actions::find_points(
      std::vector<ImageView<const std::uint8_t>>(frames->begin(), frames->end()),
      {.exec = {.device = Device::cpu()}}));
  return {.name = "actions points",
          .arguments = {"actions", "points", video.path, "-o", place / "points.txt"},
          .decode = [&](const Exec& exec) { decode_video(video, io::VideoColor::kGray, exec); },
          .work =
              [frames](const Exec& exec) {
                actions::PointOptions options;
                options.exec = exec;
                actions::PointStream stream(options);
                for (const Pixels& frame : *frames) stream.push(frame);
                stream.finish();
              },
          .encode =
              [&, found](const Exec& exec) {
                io::FileSink file(place / "written.txt");
                actions::write_points(file.sink(), *found, exec);
                file.commit();
              },
          .encoding = Encoding::kAtTheEnd};
}

}  // namespace

std::vector<NamedJob> video_jobs(Material& material) {
  return {{"flow lk", [&] { return flow_job(material); }},
          {"emd map", [&] { return map_job(material); }},
          {"actions points", [&] { return points_job(material); }}};
}

}  // namespace fovea::cli::pipeline
