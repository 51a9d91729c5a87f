#include "bindings/gil.h"

#include <unistd.h>

#include <deque>
#include <mutex>

#include "base/fork_hooks.h"
#include "base/process_state.h"
#include "base/thread_local.h"

namespace gpukit::bindings {

namespace {

struct Deferred {
  void (*action)(void*);
  void* context;
};

struct Queue {
  std::mutex mutex;
  std::deque<Deferred> items;
};

GPUKIT_FAST_THREAD_LOCAL constinit std::uint64_t releases = 0;

Queue& queue() {
  // Never destroyed: threads may outlive the module.
  static Queue* const shared = [] {
    const auto unlock = [] { queue().mutex.unlock(); };
    set_fork_hooks(ForkLevel::kDeferred, {[] { queue().mutex.lock(); }, unlock, unlock});
    return new Queue;
  }();
  return *shared;
}

bool pop_front(Deferred& item) {
  const std::lock_guard lock(queue().mutex);
  if (queue().items.empty()) return false;
  item = queue().items.front();
  queue().items.pop_front();
  return true;
}

// Runs in the main thread with the GIL; the lock is not held while Python may run.
int drain(void*) {
  Deferred item;
  while (pop_front(item)) item.action(item.context);
  return 0;
}

}  // namespace

bool on_main_thread() noexcept {
  static const unsigned long main_thread = PyThread_get_thread_ident();  // first asked at import
  return PyThread_get_thread_ident() == main_thread;
}

bool interpreter_is_finalizing() noexcept {
  if (Py_IsInitialized() == 0) return true;
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

PyThreadState* ReleaseGil::give_up() noexcept {
  ++releases;
  return PyEval_SaveThread();
}

std::uint64_t gil_releases() noexcept { return releases; }

void ReleaseGil::take_back(PyThreadState* state) noexcept {
  while ((process_state::exiting() || interpreter_is_finalizing()) && !on_main_thread()) pause();
  // The interpreter may begin to finalize while this thread waits for the GIL.
  or_stop([&] { PyEval_RestoreThread(state); });
}

void run_without_gil(void (*wait)(void* context), void* context) {
  const ReleaseGil unlocked(PyGILState_Check() != 0);
  wait(context);
}

PyGILState_STATE TakeGil::take() noexcept {
  while ((process_state::exiting() || interpreter_is_finalizing()) && !on_main_thread()) pause();
  return or_stop(PyGILState_Ensure);
}

void with_gil_soon(void (*action)(void* context), void* context) noexcept {
  if (interpreter_is_finalizing()) return;
  if (PyGILState_Check() != 0) {
    action(context);
    return;
  }
  try {
    {
      const std::lock_guard lock(queue().mutex);
      queue().items.push_back({action, context});
    }
    // When CPython's own queue is full, an earlier entry will drain ours too.
    Py_AddPendingCall(drain, nullptr);
  } catch (...) {  // no memory for the note: what it would have freed is lost
  }
}

void release_reference(void* object) noexcept {
  if (object == nullptr) return;
  with_gil_soon([](void* held) { Py_DECREF(static_cast<PyObject*>(held)); }, object);
}

}  // namespace gpukit::bindings
