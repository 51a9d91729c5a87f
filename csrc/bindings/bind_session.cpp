// Which driver library the CUDA backend uses, and the Python hooks in front of vendor libraries.
#include <pybind11/stl.h>

#include "backend/registry.h"
#include "base/interrupt.h"
#include "base/process_state.h"
#include "bindings/bind.h"
#include "bindings/exceptions.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"
#include "memory/copy_worker.h"
#ifdef GPUKIT_WITH_CUDA
#include "driver/search_paths.h"
#endif

namespace gpukit::bindings {

namespace {

// Guarded by the GIL.
bool cuda_prepared = false;
bool cpu_blas_prepared = false;
bool library_replaced = false;

void call_hook(const char* name) { imported("gpukit._system.libraries").attr(name)(); }

/// Ctrl-C during a wait: only the main thread is asked, as everywhere in Python.
bool interrupt_is_pending() {
  if (!on_main_thread() || interpreter_is_finalizing()) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool pending = PyErr_CheckSignals() < 0;
  PyGILState_Release(state);
  return pending;
}

void replace_session(const std::string& library, const std::string& configuration,
                     const std::string& reason) {
  library_replaced = true;
  cuda_prepared = true;
  run(true, [&] { gpukit::replace_session(DeviceType::kCuda, {library, configuration}, reason); });
}

void look_in(std::vector<std::string> folders) {
#ifdef GPUKIT_WITH_CUDA
  driver::set_library_folders(std::move(folders));
#else
  folders.clear();  // the backend that asks for them is not built
#endif
}

void reset_session(const std::string& reason) {
  library_replaced = false;
  run(true, [&] { gpukit::reset_session(DeviceType::kCuda, reason); });
}

}  // namespace

void prepare_cuda() {
  if (cuda_prepared) [[likely]]
    return;
  cuda_prepared = true;  // first, because the hook may use devices
  try {
    call_hook("prepare_cuda");
  } catch (...) {
    cuda_prepared = false;
    throw;
  }
}

void prepare_cpu_blas() {
  if (cpu_blas_prepared) [[likely]]
    return;
  cpu_blas_prepared = true;
  call_hook("prepare_cpu_blas");
}

bool cuda_is_simulated() {
  prepare_cuda();
  if (session_if_open(DeviceType::kCuda) == nullptr && !library_replaced) return false;
  return run(true, [] { return backend_report(DeviceType::kCuda).simulated; });
}

template <>
void bind<Part::kSession>(py::module_& module) {
  set_interrupt_check(interrupt_is_pending);
  set_wait_runner(run_without_gil);
  module.def("replace_session", replace_session, py::arg("library"), py::arg("configuration"),
             py::arg("reason"),
             "Ends the CUDA session and makes the next one use this driver library.");
  module.def("reset_session", reset_session, py::arg("reason"),
             "Ends the CUDA session and goes back to the system's driver.");
  module.def("prepare_cuda", prepare_cuda,
             "Does once what must happen before the driver is opened.");
  module.def(
      "session_is_open", [] { return session_if_open(DeviceType::kCuda) != nullptr; },
      "True when the CUDA driver was started in this process. Starts nothing.");
  module.def(
      "session_id",
      [] { return reinterpret_cast<std::uintptr_t>(session_if_open(DeviceType::kCuda).get()); },
      "A number that changes when another CUDA session begins; 0 when none is open.");
  module.def(
      "cuda_device_count",
      [] {
        prepare_cuda();
        return run(true, [] { return device_count(DeviceType::kCuda); });
      },
      "Number of usable CUDA devices. Starts the driver; 0 when there is none.");
  module.def("cuda_is_simulated", cuda_is_simulated,
             "True when the CUDA devices of now are simulated.");
  module.def(
      "set_library_folders", [](std::vector<std::string> folders) { look_in(std::move(folders)); },
      py::arg("folders"), "Folders in which vendor libraries may lie.");
  module.def(
      "set_cpu_blas_path", [](std::string path) { set_cpu_blas_path(std::move(path)); },
      py::arg("path"),
      "Absolute path of the BLAS for products on the CPU; empty for gpukit's own.");
  module.def(
      "mark_exiting",
      [] {
        process_state::mark_exiting();
        run(true, [] { memory::stop_copy_workers(); });
      },
      "Says that the process ends: no vendor library is called from now on.");
  module.def(
      "in_forked_child", [] { return process_state::forked_child(); },
      "True in a child made by fork after the driver was started in its parent.");
}

}  // namespace gpukit::bindings
