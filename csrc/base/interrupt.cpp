#include "base/interrupt.h"

#include <atomic>

#include "base/error.h"

namespace gpukit {

namespace {
std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<WaitRunner> wait_runner{nullptr};
}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept { interrupt_check.store(check); }

void throw_if_interrupted() {
  const InterruptCheck check = interrupt_check.load();
  if (check != nullptr && check()) throw PythonErrorSet("interrupted");
}

void set_wait_runner(WaitRunner runner) noexcept { wait_runner.store(runner); }

void run_wait(void (*wait)(void* context), void* context) {
  if (const WaitRunner runner = wait_runner.load()) return runner(wait, context);
  wait(context);
}

}  // namespace gpukit
