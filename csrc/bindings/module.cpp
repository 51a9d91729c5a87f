// The extension module gpukit._core.
#include <pybind11/pybind11.h>

#include <exception>

#include "base/error.h"
#include "bindings/bind.h"
#include "bindings/bind_chain.h"
#include "bindings/bound_class.h"
#include "bindings/exceptions.h"
#include "bindings/gil.h"
#include "bindings/module_type.h"

namespace {

/// Makes pybind11 functions translate gpukit's exceptions as the C slots do.
void register_exceptions() {
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    if (!thrown) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const gpukit::Error&) {
      gpukit::bindings::set_python_error();
    }
  });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  namespace bindings = gpukit::bindings;
  module.doc() = "gpukit's compiled part. Private: use the names of gpukit.";
  bindings::on_main_thread();  // remembers the importing thread
  register_exceptions();
  bindings::guard_common_base();
  bindings::bind<bindings::Part::kDtype>(module);
  bindings::bind<bindings::Part::kDevice>(module);
  bindings::bind<bindings::Part::kGenerator>(module);
  bindings::bind<bindings::Part::kFunctions>(module);
  bindings::bind<bindings::Part::kOperators>(module);
  bindings::bind<bindings::Part::kStorage>(module);
  bindings::bind<bindings::Part::kAutograd>(module);
  bindings::bind_module(module);
  bindings::bind<bindings::Part::kStream>(module);
  bindings::bind<bindings::Part::kCapturedGraph>(module);
  bindings::bind<bindings::Part::kCode>(module);
  bindings::bind<bindings::Part::kMemory>(module);
  bindings::bind<bindings::Part::kSession>(module);
  bindings::bind<bindings::Part::kDeviceLibrary>(module);
  bindings::bind<bindings::Part::kTiming>(module);
  bindings::bind<bindings::Part::kDiagnostics>(module);
  bindings::bind<bindings::Part::kWatch>(module);
  bindings::bind<bindings::Part::kObserver>(module);
  bindings::bind_chain(module);
}
