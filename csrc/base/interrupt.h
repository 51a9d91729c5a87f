// Long waits check here whether the user pressed Ctrl-C; bindings sets the check, C++ never sees
// Python.
#pragma once

namespace gpukit {

/// Returns true when an interrupt is pending (a Python exception is then set). Called without any
/// C++ lock held.
using InterruptCheck = bool (*)();

/// nullptr turns the check off.
void set_interrupt_check(InterruptCheck check) noexcept;

/// Runs a wait so that the rest of the program continues meanwhile (bindings drops the GIL if this
/// thread holds it). For waits that a caller cannot foresee: where one is certain, the caller drops
/// the GIL itself.
using WaitRunner = void (*)(void (*wait)(void* context), void* context);
void set_wait_runner(WaitRunner runner) noexcept;
void run_wait(void (*wait)(void* context), void* context);

/// The same with a callable.
template <class Wait>
void run_wait(const Wait& wait) {
  run_wait([](void* context) { (*static_cast<const Wait*>(context))(); },
           const_cast<void*>(static_cast<const void*>(&wait)));
}

/// Throws PythonErrorSet when an interrupt is pending. Waiting loops call it every 10 to 20 ms.
void throw_if_interrupted();

}  // namespace gpukit
