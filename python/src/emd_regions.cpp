// What fovea.emd makes of maps: pictures, and regions where a map shows the target.
#include <fovea/emd/regions.h>
#include <fovea/report/color_map.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

nb::dict find_regions(nb::handle distances, const std::optional<std::vector<int>>& box,
                      const std::vector<int>& size, const nb::dict& keywords) {
  const auto options = options_of<emd::RegionOptions>(keywords, "regions");
  const ImageInput map = image_input(distances, {"distances", {io::SampleType::kFloat32}, {1}});
  emd::RegionTarget target{.size = {size.at(0), size.at(1)}};
  if (box) target.box = Rect<int>{box->at(0), box->at(1), box->at(2), box->at(3)};
  const emd::RegionSet found =
      unlocked([&] { return emd::find_regions(map.of<float>(), options, target); });
  nb::list outlines;
  for (std::size_t i = 0; i < found.regions.size(); ++i) outlines.append(emd::region_rle(found, i));
  nb::dict all = dict_of_record(record_ref(found));
  all["outlines"] = outlines;
  return all;
}

// Bright where the distance is small.
nb::object map_picture(nb::handle distances) {
  const ImageInput map = image_input(distances, {"distances", {io::SampleType::kFloat32}, {1}});
  const report::ValueRange range = report::value_range(map.of<float>());
  return picture_to_numpy(report::apply_color_map(
      map.of<float>(), {.automatic = false, .low = range.high, .high = range.low}));
}

}  // namespace

void bind_emd_regions(nb::module_& m) {
  m.def("map_picture", &map_picture);
  m.def("regions_fields", &fields_of<emd::RegionSet>);
  m.def("regions_options", &option_table<emd::RegionOptions>);
  m.def("find_regions", &find_regions);
  m.def("region_values", [](const nb::dict& keywords) {
    return option_values(options_of<emd::RegionOptions>(keywords, "regions"));
  });
  m.def("region_words", [](const nb::dict& keywords) {
    return option_words(options_of<emd::RegionOptions>(keywords, "regions"));
  });
}

}  // namespace fovea::python
