// Turns a memory fault of a kernel into a failed launch, as a card does, instead of the end of the
// process.
#pragma once

namespace gpukit::sim {

/// Called on the faulting kernel's own thread, on a stack that it chooses, and never returns.
using FaultLanding = void (*)();

struct FaultTarget {
  FaultLanding landing = nullptr;
  /// Where the landing may build its stack; what the kernel had there is given up.
  char* stack_top = nullptr;
};

/// While one lives, a fault on this OS thread goes to the target that `aim_fault` names.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;
};

/// Names where a fault of the code that runs next is to go; a null landing restores the process's
/// own handling.
void aim_fault(const FaultTarget& target);

struct FaultReport {
  int signal = 0;
  const void* address = nullptr;
};

/// What the last fault was; read it on the landing.
FaultReport last_fault();

}  // namespace gpukit::sim
