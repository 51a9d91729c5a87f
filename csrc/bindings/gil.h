// Releasing the GIL around C++ calls. The rule: convert the arguments first, release the GIL around
// the whole call, and hold no C++ lock when acquiring it.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace gpukit::bindings {

/// True once the interpreter is finalizing; a thread must not acquire the GIL then.
bool interpreter_is_finalizing() noexcept;

/// True on the thread that imported the extension, in practice Python's main thread.
bool on_main_thread() noexcept;

/// Releases the GIL for a scope. At interpreter shutdown, a thread that needs it again blocks here
/// forever: CPython stops its daemon threads too, but may unwind through C++ frames to do so.
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

/// How many times gpukit has released the GIL on this thread.
std::uint64_t gil_releases() noexcept;

/// Runs a call that may acquire the GIL. Before 3.14, CPython ends a thread that acquires it at
/// interpreter shutdown by a forced unwind, which is unsafe through C++ frames: the thread blocks
/// here forever instead.
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

/// Acquires the GIL for a scope, whether or not the thread already holds it. At interpreter
/// shutdown the thread blocks here forever, as in ReleaseGil.
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

/// Calls `work` without the GIL if `release` is true, otherwise with it.
template <class Work>
decltype(auto) run(bool release, Work&& work) {
  const ReleaseGil unlocked(release);
  return std::forward<Work>(work)();
}

/// Runs a wait without the GIL, whether or not this thread holds it (the WaitRunner of
/// base/interrupt.h).
void run_without_gil(void (*wait)(void* context), void* context);

/// Runs `action(context)` with the GIL: now if this thread holds it, otherwise later on the main
/// thread. Never blocks on the GIL.
void with_gil_soon(void (*action)(void* context), void* context) noexcept;
/// Releases a reference to a Python object in the same way. `object` may be null.
void release_reference(void* object) noexcept;

}  // namespace gpukit::bindings
