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
  bindings::bind_dtype(module);
  bindings::bind_device(module);
  bindings::bind_generator(module);
  bindings::bind_functions(module);
  bindings::bind_operators(module);
  bindings::bind_storage(module);
  bindings::bind_autograd(module);
  bindings::bind_module(module);
  bindings::bind_stream(module);
  bindings::bind_captured_graph(module);
  bindings::bind_code(module);
  bindings::bind_memory(module);
  bindings::bind_session(module);
  bindings::bind_device_library(module);
  bindings::bind_timing(module);
  bindings::bind_diagnostics(module);
  bindings::bind_watch(module);
  bindings::bind_observer(module);
  bindings::bind_chain(module);
}
