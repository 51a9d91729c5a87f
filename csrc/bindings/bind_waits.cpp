// Hidden waits: cuda.set_sync_debug_mode warns of them or refuses them.
#include <atomic>

#include "base/check.h"
#include "base/env.h"
#include "base/error.h"
#include "base/format.h"
#include "base/wait_watch.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"

namespace gpukit::bindings {

namespace {

enum SyncDebug { kDefault = 0, kWarn = 1, kError = 2 };

std::atomic<int> sync_debug{kDefault};

std::string sentence(WaitKind kind, std::size_t bytes) {
  return concat("a hidden wait for the GPU: ", name(kind), " (",
                format_bytes(static_cast<std::int64_t>(bytes)),
                "). Use non_blocking=True, keep the value on the GPU, or turn this off with "
                "gpukit.cuda.set_sync_debug_mode('default')");
}

/// True when the warning was turned into an exception, which is set then.
bool warn_or_refuse(WaitKind kind, std::size_t bytes, bool refuse) {
  if (interpreter_is_finalizing()) return false;
  const TakeGil gil;
  const std::string text = sentence(kind, bytes);
  bool raised = true;
  try {
    const py::object errors = imported("gpukit.errors");
    if (refuse) {
      PyErr_SetString(errors.attr("GpukitError").ptr(), text.c_str());
    } else {
      raised = PyErr_WarnEx(errors.attr("GpukitWarning").ptr(), text.c_str(), 1) < 0;
    }
  } catch (py::error_already_set& error) {
    error.restore();
  }
  return raised;
}

void before_wait(WaitKind kind, std::size_t bytes) {
  const int mode = sync_debug.load(std::memory_order_relaxed);
  if (mode == kDefault || kind == WaitKind::kSync) return;  // who asks to wait knows
  if (warn_or_refuse(kind, bytes, mode == kError)) throw PythonErrorSet("hidden wait");
}

constexpr WaitObserver kObserver{before_wait, nullptr};

void set_mode(int mode) {
  sync_debug.store(mode);
  mode == kDefault ? remove_wait_observer(&kObserver) : add_wait_observer(&kObserver);
}

int mode_of(const py::object& value) {
  if (is_integer(value.ptr())) {
    const std::int64_t number = to_int64({"set_sync_debug_mode", "mode"}, value.ptr());
    if (number >= kDefault && number <= kError) return static_cast<int>(number);
  } else if (PyUnicode_Check(value.ptr()) != 0) {
    const std::string text = to_text({"set_sync_debug_mode", "mode"}, value.ptr());
    for (const auto& [known, mode] :
         {std::pair{"default", kDefault}, {"warn", kWarn}, {"error", kError}}) {
      if (text == known) return mode;
    }
  } else {
    throw_wrong_type({"set_sync_debug_mode", "mode"}, "a text or an int", value.ptr());
  }
  throw ValueError(
      concat("set_sync_debug_mode: mode must be 'default', 'warn', 'error', 0, 1 or 2, "
             "got ",
             describe_value(value.ptr())));
}

}  // namespace

void apply_sync_debug_environment() {
  const std::string mode = env::text("GPUKIT_SYNC_DEBUG");
  if (sync_debug.load() == kDefault && mode != "default") set_mode(mode == "warn" ? kWarn : kError);
}

void bind_waits(py::module_& module) {
  module.def(
      "set_sync_debug_mode", [](const py::object& mode) { set_mode(mode_of(mode)); },
      py::arg("mode"), "Warns of ('warn', 1) or refuses ('error', 2) hidden waits for a GPU.");
  module.def(
      "get_sync_debug_mode", [] { return sync_debug.load(); },
      "0, 1 or 2: what set_sync_debug_mode set.");
}

}  // namespace gpukit::bindings
