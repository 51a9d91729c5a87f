// Long waits ask here whether the user pressed Ctrl-C; bindings sets the question, C++ never sees
// Python.
#pragma once

namespace gpukit {

/// Returns true when an interrupt is pending (a Python exception is then set). Called without any
/// C++ lock held.
using InterruptCheck = bool (*)();

/// nullptr turns the check off.
void set_interrupt_check(InterruptCheck check) noexcept;

/// Throws PythonErrorSet when an interrupt is pending. Waiting loops call it every 10 to 20 ms.
void throw_if_interrupted();

}  // namespace gpukit
