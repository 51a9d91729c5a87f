#include "sim/memory_fault.h"

#include <ucontext.h>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "sim/fiber.h"

namespace gpukit::sim {

namespace memory_fault {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr std::size_t kSignalStackBytes = 64 * 1024;

struct sigaction previous_actions[3];
// One launch runs at a time, so one target is enough; the flag says whether this OS thread is the
// one that runs it.
FaultTarget current_target;
FaultReport report;
thread_local bool runs_kernels = false;

const struct sigaction& previous_action(int signal) {
  if (signal == SIGSEGV) return previous_actions[0];
  return signal == SIGBUS ? previous_actions[1] : previous_actions[2];
}

void forward(int signal, siginfo_t* info, void* context) {
  const struct sigaction& action = previous_action(signal);
  if ((action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction != nullptr) {
    action.sa_sigaction(signal, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  } else {
    // Back to the default; returning repeats the faulting instruction, which then ends the process
    // as usual.
    std::signal(signal, SIG_DFL);
  }
}

void on_signal(int signal, siginfo_t* info, void* raw_context) {
  if (!runs_kernels || current_target.landing == nullptr) return forward(signal, info, raw_context);
  report = {signal, info->si_addr};
  auto* context = static_cast<ucontext_t*>(raw_context);
  const auto stack =
      (reinterpret_cast<std::uintptr_t>(current_target.stack_top) - 256) & ~std::uintptr_t{15};
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RIP] =
      static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(current_target.landing));
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack - 8);
#elif defined(__aarch64__)
  context->uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(current_target.landing);
  context->uc_mcontext.sp = stack;
#endif
  current_target = {};
}

[[maybe_unused]] void install() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; i++) sigaction(kSignals[i], &action, &previous_actions[i]);
}

// A fault on a fiber whose stack ran out needs another stack to handle it on.
struct SignalStack {
  void* memory = std::malloc(kSignalStackBytes);
  SignalStack() {
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackBytes;
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    stack_t off = {};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    std::free(memory);
  }
};

}  // namespace
}  // namespace memory_fault

FaultGuard::FaultGuard() {
  // The sanitizers report faults better than we could.
#if !defined(GPUKIT_SIM_ASAN) && !defined(GPUKIT_TSAN)
  static std::once_flag once;
  std::call_once(once, memory_fault::install);
  thread_local memory_fault::SignalStack stack;
  memory_fault::runs_kernels = true;
#endif
}

FaultGuard::~FaultGuard() {
  memory_fault::runs_kernels = false;
  memory_fault::current_target = {};
}

void aim_fault(const FaultTarget& target) { memory_fault::current_target = target; }

FaultReport last_fault() { return memory_fault::report; }

}  // namespace gpukit::sim
