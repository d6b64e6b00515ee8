// The rule for devices, which every face keeps: data on a GPU while another device was asked for is
// refused before anything is read or moved.
#pragma once
#include <fovea/core/image.h>
#include <gmock/gmock.h>

#include "support/devices.h"
#include "support/messages.h"

namespace fovea::test {

// A view of host memory that claims to lie on a GPU. What is refused by the rule is never read, so
// that this needs no GPU.
template <class T>
ImageView<const T> said_to_lie_on_a_gpu(const Image<T>& image) {
  ImageView<const T> view = image.view();
  view.memory = Memory::kCuda;
  return view;
}

// work(view, device) hands the view to a face that was asked for the device.
template <class T, class Work>
void expect_refused_on_the_cpu(const Image<T>& image, const Work& work) {
  EXPECT_THAT(
      message_of([&] { work(said_to_lie_on_a_gpu(image), Device::cpu()); }),
      testing::HasSubstr("the data lies in GPU memory, but the device is cpu; clone() it to "
                         "the host first"));
}

// The same for a GPU other than the one that the data lies on, which need not exist.
template <class T, class Work>
void expect_refused_on_another_gpu(const Image<T>& image, const Work& work) {
  const Image<T> there = clone(image, Memory::kCuda);
  EXPECT_THAT(
      message_of([&] { work(there.view(), Device::cuda(1)); }),
      testing::HasSubstr("the data lies on cuda:0, but the device is cuda:1; choose cuda:0"));
}

}  // namespace fovea::test
