// Checked first by every deleter and driver call: may vendor libraries still be called here?
#pragma once

#include <atomic>
#include <string_view>

namespace gpukit::process_state {

namespace detail {
// Constant-initialised and trivially destroyed, so they can be read at any time of the process's
// life.
inline constinit std::atomic<bool> exiting_flag{false};
inline constinit std::atomic<bool> forked_flag{false};
}  // namespace detail

/// True once the process began to exit; vendor libraries may be half torn down, so call none of
/// them.
inline bool exiting() noexcept { return detail::exiting_flag.load(std::memory_order_acquire); }

/// True in a child made by fork() after a driver was started in the parent: handles are of no use
/// there.
inline bool forked_child() noexcept { return detail::forked_flag.load(std::memory_order_relaxed); }

/// True while vendor libraries may be called.
inline bool driver_usable() noexcept { return !exiting() && !forked_child(); }

/// DriverError in a forked child; `what` is the requested call or device, if any.
void check_not_forked(std::string_view what = {});

/// Called by the bindings' atexit hook.
void mark_exiting() noexcept;

/// Called after a driver was initialised: from now on a forked child is flagged. Repeated calls are
/// free.
void arm_fork_guard() noexcept;

}  // namespace gpukit::process_state
