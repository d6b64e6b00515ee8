// Inputs that a caller has in memory give the results of files, and files of both are the same.
// Covers: output
#include <fovea/io/mesh_io.h>
#include <fovea/io/record_io.h>
#include <fovea/mesh/dual_graph.h>
#include <fovea/people/model.h>
#include <gmock/gmock.h>

#include "cli/mesh/shapes.h"
#include "cli/people/scene.h"
#include "operations/flow/images.h"
#include "operations/operation.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::operations {
namespace {

const Operation& named(std::string_view system, std::string_view verb) {
  const auto found = std::ranges::find_if(operations(), [&](const Operation& each) {
    return each.words.system == system && each.words.verb == verb;
  });
  EXPECT_NE(found, operations().end());
  return *found;
}

class Setter final : public OptionVisitor {
 public:
  Setter(std::string_view name, std::string_view value) : name_(name), value_(value) {}

 private:
  void field(const OptionField& field) override {
    if (field.name == name_) set_option(field, value_);
  }
  std::string_view name_, value_;
};
void set(Call& call, std::string_view name, std::string_view value) {
  Setter setter(name, value);
  call.visit_options(setter);
}

class Names final : public OptionVisitor {
 public:
  std::vector<std::string> all{};

 private:
  void field(const OptionField& field) override { all.push_back(field.name); }
};

std::shared_ptr<void> made(Call& call, const Source& source, const Plan& plan = {}) {
  call.check();
  call.settle(plan);
  call.begin({.device = Device::cpu()}, plan);
  const auto worker = call.make_worker({.device = Device::cpu()});
  std::shared_ptr<void> item = call.make_item();
  call.read(source, item.get());
  call.run(worker.get(), item.get());
  return item;
}
std::string packed(const Call& call, const std::shared_ptr<void>& item) {
  return io::pack_record(call.result(item.get()));
}

class InMemory : public testing::Test {
 protected:
  test::TempFolder folder_;
};

TEST_F(InMemory, ImagesMasksAndModelsGiveThePeopleOfFiles) {
  Image<std::uint8_t> image = cli::street(160, 176);
  cli::draw_someone(image.view(), 24, 16);
  Image<std::uint8_t> mask(160, 176);
  for (int y = 0; y < 176; ++y) std::fill_n(mask.row(y), 160, std::uint8_t{0});
  io::write_image(folder_ / "a.png", image.view());
  cli::likeness().write(folder_ / "model.safetensors");

  const auto of_file = named("people", "detect").call();
  set(*of_file, "model", folder_ / "model.safetensors");
  const Source file{.name = folder_ / "a.png", .image = [&](io::Orientation orientation) {
                      return io::read_image(folder_ / "a.png", {.orientation = orientation});
                    }};
  const auto expected = packed(*of_file, made(*of_file, file));

  const io::AnyView view = image.view(), black = mask.view();
  Source memory{.name = "IMAGE", .pixels = &view};
  Kept kept;
  kept.put<people::Model>("no/such/file", people::load_model(folder_ / "model.safetensors"));
  Plan plan;
  plan.kept = &kept;
  const auto call = named("people", "detect").call();
  set(*call, "model", "no/such/file");  // which is not read
  const auto found = made(*call, memory, plan);
  EXPECT_EQ(packed(*call, found), expected);
  memory.given["mask"] = black;
  EXPECT_NE(packed(*call, made(*call, memory, plan)), expected);
}

TEST_F(InMemory, WhatAFlowHoldsCountsTheBytesOfItsSamples) {
  Random random(1);
  const auto held = [&](const auto& pixels) {
    io::write_image(folder_ / "a.tif", pixels);
    const auto call = named("flow", "lk").call();
    const auto item = made(*call, pair_source(folder_ / "a.tif", folder_ / "a.tif"));
    return call->held_bytes(item.get());
  };
  EXPECT_EQ(held(test::random_image<std::uint16_t>(random, 64, 48)),
            held(test::random_image<std::uint8_t>(random, 64, 48)) + std::size_t{2} * 64 * 48);
}

TEST_F(InMemory, MeshesAndCostsGiveThePartsOfFiles) {
  const io::TriangleMesh mesh = cli::dumbbell();
  io::write_mesh(folder_ / "bell.off", mesh);
  const io::TriangleMesh read = io::read_mesh(folder_ / "bell.off");
  const auto call = named("mesh", "segment").call();
  set(*call, "parts", "3");
  const auto labels = [&](const Source& source) {
    const auto item = made(*call, source);
    return call->text(1, item.get());
  };
  Source memory{.name = "MESH", .mesh = &read};
  const std::string plain = labels({.name = folder_ / "bell.off"});
  EXPECT_EQ(labels(memory), plain);
  const std::vector<float> costs(mesh::dual_graph(read).arcs.size(), 1.0F);
  memory.given["costs"] =
      ImageView<const float>(packed_view(costs.data(), static_cast<int>(costs.size()), 1));
  EXPECT_NE(labels(memory), plain);
  const auto item = made(*call, memory);
  EXPECT_THROW((void)call->write(4, item.get(), folder_ / "none.npy"), InvalidArgument);
}

TEST_F(InMemory, RunsHaveNoOptionsOfFiles) {
  Names run, files;
  const auto call = named("mesh", "segment").call();
  call->visit_controls(run);
  call->visit_file_options(files);
  EXPECT_THAT(run.all, testing::Contains("parts"));
  EXPECT_THAT(run.all, testing::Not(testing::Contains("costs")));
  EXPECT_THAT(files.all, testing::IsSupersetOf({"show", "picture-width"}));
  EXPECT_THAT(files.all, testing::Not(testing::Contains("parts")));
}

TEST_F(InMemory, NamesOfFilesEndAsTheTableSays) {
  const Output& mesh = named("mesh", "segment").outputs[0];
  EXPECT_NO_THROW(check_ending(mesh, "a.ply"));
  try {
    check_ending(mesh, "a.txt");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a.txt: a mesh is written as .ply, .glb"));
  }
}

}  // namespace
}  // namespace fovea::operations
