#include "base/interrupt.h"

#include <atomic>

#include "base/error.h"

namespace gpukit {

namespace {
std::atomic<InterruptCheck> interrupt_check{nullptr};
}

void set_interrupt_check(InterruptCheck check) noexcept { interrupt_check.store(check); }

void throw_if_interrupted() {
  const InterruptCheck check = interrupt_check.load();
  if (check != nullptr && check()) throw PythonErrorSet("interrupted");
}

}  // namespace gpukit
