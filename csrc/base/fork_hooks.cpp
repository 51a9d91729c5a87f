#include "base/fork_hooks.h"

#include <pthread.h>

#include <array>
#include <mutex>

namespace gpukit {

namespace fork_hooks {
namespace {

using HookTable = std::array<ForkHooks, kForkLevels>;

struct State {
  std::mutex mutex;
  HookTable hooks;
  HookTable now;  ///< those whose prepare ran: more may be set while another thread forks
};

State& state() {
  static State& shared = *new State;  // a fork may come at any time of the process's life
  return shared;
}

void prepare() {
  {
    const std::lock_guard lock(state().mutex);
    state().now = state().hooks;
  }
  for (const ForkHooks& hooks : state().now) {
    if (hooks.prepare != nullptr) hooks.prepare();
  }
}

template <void (*ForkHooks::*Which)()>
void release() {
  for (auto hooks = state().now.rbegin(); hooks != state().now.rend(); ++hooks) {
    const auto hook = (*hooks).*Which;
    if (hook != nullptr) hook();
  }
}

}  // namespace
}  // namespace fork_hooks

void set_fork_hooks(ForkLevel level, ForkHooks hooks) {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(fork_hooks::prepare, fork_hooks::release<&ForkHooks::parent>,
                   fork_hooks::release<&ForkHooks::child>);
  });
  const std::lock_guard lock(fork_hooks::state().mutex);
  fork_hooks::state().hooks[static_cast<std::size_t>(level)] = hooks;
}

}  // namespace gpukit
