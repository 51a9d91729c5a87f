// What the build and the vendor libraries are, for info() and doctor().
#include <pybind11/stl.h>

#include <string>
#include <string_view>
#include <vector>

#include "backend/device_not_found.h"
#include "backend/registry.h"
#include "base/byte_count.h"
#include "base/env.h"
#include "base/install_command.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/exceptions.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"
#include "core/nearest_name.h"
#include "cpu/simd/simd_table.h"
#ifdef GPUKIT_WITH_CUDA
#include "driver/search_paths.h"
#include "kernels/images.h"
#endif

namespace gpukit::bindings {

namespace {

py::list as_list(const std::vector<LoadAttempt>& attempts) {
  py::list list;
  for (const LoadAttempt& attempt : attempts) {
    py::dict item;
    item["path"] = attempt.path;
    item["origin"] = attempt.origin;
    item["outcome"] = attempt.outcome;
    item["reason"] = attempt.reason;
    list.append(item);
  }
  return list;
}

py::dict driver_report() {
  prepare_cuda();
  const BackendReport report = run(true, [] { return backend_report(DeviceType::kCuda); });
  py::dict result;
  result["library"] = report.library;
  result["driver_version"] = report.driver_version;
  result["matmul_library"] = report.matmul_library;
  result["matmul_version"] = report.matmul_version;
  result["simulated"] = report.simulated;
  result["failure"] = report.failure;
  result["fix"] = report.fix;
  result["details"] = details_dict(report.details);
  result["attempts"] = as_list(report.attempts);
  result["matmul_attempts"] = as_list(report.matmul_attempts);
  return result;
}

py::dict as_dict(const DeviceProperties& p) {
  py::dict d;
  d["name"] = p.name;
  d["uuid"] = p.uuid;
  d["pci_bus_id"] = p.pci_bus_id;
  d["major"] = p.major;
  d["minor"] = p.minor;
  d["total_memory"] = p.total_memory;
  d["multi_processor_count"] = p.multi_processor_count;
  d["warp_size"] = p.warp_size;
  d["max_threads_per_block"] = p.max_threads_per_block;
  d["max_threads_per_multi_processor"] = p.max_threads_per_multi_processor;
  d["max_blocks_per_multi_processor"] = p.max_blocks_per_multi_processor;
  d["shared_memory_per_block"] = p.shared_memory_per_block;
  d["shared_memory_per_block_optin"] = p.shared_memory_per_block_optin;
  d["shared_memory_per_multiprocessor"] = p.shared_memory_per_multiprocessor;
  d["regs_per_multiprocessor"] = p.regs_per_multiprocessor;
  d["L2_cache_size"] = p.l2_cache_size;
  d["clock_rate"] = p.clock_rate_khz;
  d["memory_clock_rate"] = p.memory_clock_rate_khz;
  d["memory_bus_width"] = p.memory_bus_width_bits;
  d["async_engine_count"] = p.async_engine_count;
  d["compute_mode"] = p.compute_mode;
  d["is_integrated"] = p.integrated;
  d["ecc_enabled"] = p.ecc_enabled;
  d["concurrent_kernels"] = p.concurrent_kernels;
  d["unified_addressing"] = p.unified_addressing;
  d["memory_pools"] = p.memory_pools;
  d["simulated"] = p.simulated;
  return d;
}

/// Properties without making a context.
py::dict device_properties(int index) {
  prepare_cuda();
  return as_dict(
      run(true, [&] { return session_of(DeviceType::kCuda)->backend().properties(index); }));
}

bool can_access_peer(int device, int peer) {
  prepare_cuda();
  return run(true, [&] {
    return open_device(Device::cuda(device))
        .runtime()
        .can_access_peer(open_device(Device::cuda(peer)).runtime());
  });
}

py::list kernel_image_list() {
  py::list list;
#ifdef GPUKIT_WITH_CUDA
  std::size_t count = 0;
  const KernelImage* images = kernel_images(&count);
  for (std::size_t i = 0; i < count; ++i) {
    list.append(
        py::make_tuple(images[i].family, images[i].arch, images[i].ptx, images[i].raw_bytes));
  }
#endif
  return list;
}

/// (why the search is off or "", [(path, where it comes from, why it may not be loaded or "")])
#ifdef GPUKIT_WITH_CUDA
py::tuple candidates_of(const driver::SearchPlan& plan) {
  py::list candidates;
  for (const driver::Candidate& candidate : plan.candidates)
    candidates.append(py::make_tuple(candidate.path, candidate.origin, driver::refusal(candidate)));
  return py::make_tuple(plan.closed, candidates);
}

py::tuple nvml_candidates(const std::string& driver_path) {
  return candidates_of(driver::nvml_search_plan(driver_path));
}

py::tuple nccl_candidates(const std::string& driver_path) {
  return candidates_of(driver::nccl_search_plan(driver_path));
}
#else
py::tuple nvml_candidates(const std::string&) {
  return py::make_tuple("this gpukit was built without its CUDA part", py::list());
}

py::tuple nccl_candidates(const std::string& driver_path) { return nvml_candidates(driver_path); }
#endif

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

py::dict build_info() {
  py::dict info;
  info["version"] = GPUKIT_VERSION;
  info["compiler"] = compiler();
#ifdef GPUKIT_WITH_CUDA
  info["cuda"] = true;
  info["cuda_archs"] = GPUKIT_CUBIN_ARCHS;
  std::size_t count = 0;
  const KernelImage* images = kernel_images(&count);
  info["image_compression"] = count > 0 && images->archive->compressed ? "xz" : "none";
#else
  info["cuda"] = false;
  info["cuda_archs"] = "";
  info["image_compression"] = "none";
#endif
  return info;
}

Details as_details(const py::dict& given) {
  Details details;
  for (const auto& [key, value] : given) {
    if (py::isinstance<py::int_>(value)) {
      details.emplace_back(py::cast<std::string>(key), py::cast<std::int64_t>(value));
    } else {
      details.emplace_back(py::cast<std::string>(key), py::cast<std::string>(value));
    }
  }
  return details;
}

void raise_device_not_found(const std::string& function, int index, int count,
                            const std::string& reason, const py::object& details) {
  throw_device_not_found(Device::cuda(index), count, reason, as_details(py::dict(details)),
                         function);
}

/// name, kind, fallback, choices, help, is it gpukit's own
py::list environment_table() {
  py::list list;
  for (const env::Variable& row : env::table()) {
    list.append(py::make_tuple(std::string(row.name), std::string(env::kind_name(row.kind)),
                               std::string(row.fallback), std::string(row.choices),
                               std::string(row.help), row.own));
  }
  return list;
}

}  // namespace

template <>
void bind<Part::kDiagnostics>(py::module_& module) {
  module.def("driver_report", driver_report,
             "What was found of driver and cuBLAS, with every candidate tried.");
  module.def("device_properties", device_properties, py::arg("index"),
             "Properties of a CUDA device as a dict.");
  module.def("can_access_peer", can_access_peer, py::arg("device"), py::arg("peer"),
             "True when one device reads the other's memory directly.");
  module.def("kernel_images", kernel_image_list,
             "Embedded images: (family, architecture, is PTX, bytes).");
  module.def(
      "torch_advice", [](const py::object& value) { return torch_advice(value.ptr()); },
      py::arg("value"), "What to do about an object of torch's; empty for all other objects.");
  module.def("nvml_candidates", nvml_candidates, py::arg("driver_path"),
             "Where NVML may be loaded from: (why the search is off, [(path, origin, refusal)]).");
  module.def("nccl_candidates", nccl_candidates, py::arg("driver_path"),
             "Where NCCL may be loaded from: (why the search is off, [(path, origin, refusal)]).");
  module.def(
      "cpu_simd", [] { return cpu::simd_table().level; },
      "The vector instructions of the CPU's loops, in the words of GPUKIT_SIMD.");
  module.def("build_info", build_info,
             "Version, compiler, architectures, and how kernel images are stored.");
  module.def(
      "install_command",
      [](const std::string& extra, const std::string& version) {
        return install_command(extra, version);
      },
      py::arg("extra") = "", py::arg("version") = "",
      "The command that installs gpukit, or an extra, of a version; by default of this build.");
  module.def(
      "nearest_name",
      [](const std::string& text, const std::vector<std::string>& names) {
        const std::vector<std::string_view> candidates(names.begin(), names.end());
        return std::string(nearest_name(text, candidates));
      },
      py::arg("text"), py::arg("names"),
      "The name that is at most two slips of a key away from a text, or ''.");
  module.def(
      "parse_byte_count", [](const std::string& text) { return parse_byte_count(text); },
      py::arg("text"), "Bytes of \"4GiB\" or \"4GB\"; None for a text that says no amount.");
  module.def("environment_text", &env::text, py::arg("name"),
             "The value of a variable of the table; its default, after one warning, when invalid.");
  module.def("throw_device_not_found", raise_device_not_found, py::arg("function"),
             py::arg("index"), py::arg("count"), py::arg("reason"), py::arg("details"),
             "Raises DeviceNotFoundError: of `count` usable GPUs none is cuda:index.");
  module.def("environment_table", environment_table,
             "Every environment variable that gpukit reads.");
}

}  // namespace gpukit::bindings
