// The extension module fovea._fovea: the library in the form that the package's Python needs. Users
// import fovea, whose classes hold the objects of this module.
#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

nb::list device_list() {
  nb::list list;
  for (const DeviceInfo& info : devices()) {
    nb::dict entry = dict_of_record(record_ref(info));
    entry["capability"] = info.capability;
    list.append(entry);
  }
  return list;
}

nb::dict facts_of_build() {
  const BuildInfo info = build_info();
  nb::dict facts, features;
  for (const Feature& feature : info.features)
    features[feature.name.c_str()] = nb::make_tuple(feature.usable, feature.detail);
  facts["version"] = info.version;
  facts["compiler"] = info.compiler;
  facts["simd"] = info.simd_usable;
  facts["features"] = features;
  return facts;
}

}  // namespace
}  // namespace fovea::python

NB_MODULE(_fovea, m) {
  using namespace fovea::python;
  m.attr("__version__") = FOVEA_VERSION;
  translate_errors();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_calls));
  m.def("devices", &device_list);
  m.def("cuda_absence", &fovea::cuda_absence);
  m.def("build_info", &facts_of_build);
  bind_array_rules(m);
  bind_gpu_arrays(m);
  bind_tables(m);
  bind_explanations(m);
  bind_files(m);
  bind_people(m);
  bind_flow(m);
  bind_emd(m);
  bind_mesh(m);
  bind_actions(m);
  bind_kmeans(m);
  bind_scenes(m);
  bind_ops(m);
  bind_operations(m);
}
