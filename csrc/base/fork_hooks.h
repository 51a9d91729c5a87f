// What has to happen around fork(): every lock is taken in one order, so that the child finds each
// of them free and what they guard whole.
#pragma once

namespace gpukit {

/// The order in which locks are taken, here and everywhere else: the outermost first.
enum class ForkLevel {
  kRegistry,      ///< sessions
  kThreadPool,    ///< the CPU pool, held while a job runs
  kLibraries,     ///< vendor libraries for the CPU, loaded at first use
  kPlans,         ///< factors of Fourier transforms, kept for the next one
  kMemory,        ///< host memory, which jobs allocate
  kObservers,     ///< who observes what, asked wherever something happens
  kWaitLogs,      ///< who counts waits, asked at every wait
  kSharedMemory,  ///< mappings of memory that processes share
  kDeferred,      ///< releases that wait for the GIL
};
inline constexpr int kForkLevels = 9;

/// Each may be nullptr. None may throw, and none may wait for a thread that waits for an earlier
/// level.
struct ForkHooks {
  void (*prepare)() = nullptr;
  void (*parent)() = nullptr;
  void (*child)() = nullptr;
};

/// Once a level; the hooks stay for the life of the process.
void set_fork_hooks(ForkLevel level, ForkHooks hooks);

}  // namespace gpukit
