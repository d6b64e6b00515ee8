// Programs as a user would write them: a loop over images on one thread, or a pool in which each
// thread takes the next image.
#include "rivals/files_opencv.h"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rivals/ready.h"

namespace rivals {
namespace {

// The files of a case.
struct Files {
  explicit Files(const FoveaRivalFiles& files) : inputs(files.inputs, files.inputs + files.count) {
    if (files.outputs != nullptr) outputs.assign(files.outputs, files.outputs + files.count);
  }
  int count() const { return static_cast<int>(inputs.size()); }

  std::vector<std::string> inputs{}, outputs{};
};

cv::Mat read(const std::string& path) {
  cv::Mat image = cv::imread(path);
  if (image.empty()) throw std::runtime_error(path + ": OpenCV cannot read it");
  return image;
}

void write(const std::string& path, const cv::Mat& image) {
  if (!cv::imwrite(path, image)) throw std::runtime_error(path + ": OpenCV cannot write it");
}

// Calls step(i) for `count` images, each by the next thread that is free.
void run_pool(int count, int threads, const std::function<void(int)>& step) {
  std::atomic<int> next{0};
  std::exception_ptr fault;
  std::mutex faults;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      try {
        for (int i = next++; i < count; i = next++) step(i);
      } catch (...) {
        const std::lock_guard lock(faults);
        fault = std::current_exception();
      }
    });
  for (std::thread& each : pool) each.join();
  if (fault != nullptr) std::rethrow_exception(fault);
}

// The first run, which only warms up, takes one image for each thread.
FoveaRivalWork ready_files(int count, int threads, std::function<void(int)> step) {
  cv::setNumThreads(1);
  return ready([=, step = std::move(step), warm = false]() mutable {
    const int items = warm ? count : std::min(count, threads);
    warm = true;
    if (threads > 1) return run_pool(items, threads, step);
    for (int i = 0; i < items; ++i) step(i);
  });
}

}  // namespace

FoveaRivalWork people_files(const FoveaRivalShape* shape, int threads) {
  if (shape->files == nullptr) return {};
  const auto files = std::make_shared<const Files>(*shape->files);
  const auto hog = std::make_shared<cv::HOGDescriptor>();
  hog->setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  return ready_files(files->count(), threads, [files, hog, ratio = shape->ratio](int i) {
    const auto at = static_cast<std::size_t>(i);
    cv::Mat image = read(files->inputs[at]);
    std::vector<cv::Rect> found;
    hog->detectMultiScale(image, found, 0, cv::Size(8, 8), cv::Size(), ratio, 2);
    if (files->outputs.empty()) return;
    for (const cv::Rect& box : found) cv::rectangle(image, box, cv::Scalar(0, 255, 0), 2);
    write(files->outputs[at], image);
  });
}

FoveaRivalWork resize_files(const FoveaRivalShape* shape, int threads) {
  if (shape->files == nullptr || shape->files->outputs == nullptr) return {};
  const auto files = std::make_shared<const Files>(*shape->files);
  const cv::Size size(shape->to_width, shape->to_height);
  return ready_files(files->count(), threads, [files, size](int i) {
    const auto at = static_cast<std::size_t>(i);
    cv::Mat result;
    cv::resize(read(files->inputs[at]), result, size, 0, 0, cv::INTER_LINEAR);
    write(files->outputs[at], result);
  });
}

}  // namespace rivals
