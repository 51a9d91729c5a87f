// Dropping the GIL around C++ calls. Rule: convert first, drop it around the whole call, hold no
// C++ lock when taking it.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace gpukit::bindings {

/// True once the interpreter is going away; a thread must not ask for the GIL then.
bool interpreter_is_finalizing() noexcept;

/// True on the thread that imported the extension, in practice Python's main thread.
bool on_main_thread() noexcept;

/// Drops the GIL for a scope. At interpreter shutdown a thread that would need it again stops here
/// for good, as CPython does with its own daemon threads, but without unwinding through C++ frames.
class ReleaseGil {
 public:
  explicit ReleaseGil(bool release = true) : state_(release ? give_up() : nullptr) {}
  ~ReleaseGil() {
    if (state_ != nullptr) take_back(state_);
  }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  static PyThreadState* give_up() noexcept;
  static void take_back(PyThreadState* state) noexcept;
  PyThreadState* state_;
};

/// How often this thread has dropped the GIL in calls of gpukit.
std::uint64_t gil_releases() noexcept;

/// Calls what may take the GIL. A thread that asks for it at interpreter shutdown is ended by
/// CPython (before 3.14) with an unwinding that C++ frames cannot bear: it stops here for good
/// instead.
template <class Call>
auto or_stop(Call&& call) {
#ifdef __GLIBCXX__
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
#else
  return call();
#endif
}

/// Takes the GIL for a scope, on a thread that has it or not. At interpreter shutdown the thread
/// stops here for good, as ReleaseGil does.
class TakeGil {
 public:
  TakeGil() : state_(take()) {}
  ~TakeGil() { PyGILState_Release(state_); }
  TakeGil(const TakeGil&) = delete;
  TakeGil& operator=(const TakeGil&) = delete;

 private:
  static PyGILState_STATE take() noexcept;
  PyGILState_STATE state_;
};

/// Calls `work` without the GIL when `release` is true, else with it.
template <class Work>
decltype(auto) run(bool release, Work&& work) {
  const ReleaseGil unlocked(release);
  return std::forward<Work>(work)();
}

/// Runs a wait without the GIL, whether or not this thread has it (base/interrupt.h's WaitRunner).
void run_without_gil(void (*wait)(void* context), void* context);

/// Runs `action(context)` with the GIL: now if this thread has it, else soon in the main thread.
/// Never waits.
void with_gil_soon(void (*action)(void* context), void* context) noexcept;
/// Releases a reference to a Python object, which may be null, likewise.
void release_reference(void* object) noexcept;

}  // namespace gpukit::bindings
