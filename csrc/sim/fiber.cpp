#include "sim/fiber.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#if defined(GPUKIT_SIM_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(GPUKIT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

extern "C" void gk_sim_switch_fiber(void** saved_stack, void* next_stack);

namespace gpukit::sim {

namespace fiber {
namespace {

#if defined(GPUKIT_SIM_ASAN) || defined(GPUKIT_TSAN)
constexpr std::size_t kStackBytes = 256 * 1024;
#else
constexpr std::size_t kStackBytes = 128 * 1024;
#endif
// Wide enough that a large local array cannot step over it.
constexpr std::size_t kGuardBytes = 256 * 1024;

// Lays out a stack as gk_sim_switch_fiber leaves one, with `entry` as the place to go on.
void* prepare(char* stack_top, Fiber::Entry entry) {
  auto* word = reinterpret_cast<std::uint64_t*>(stack_top);
#if defined(__x86_64__)
  *--word = 0;  // keeps the ABI's alignment at entry and ends the chain of return addresses
  *--word = reinterpret_cast<std::uint64_t>(entry);
  for (int saved = 0; saved < 6; saved++) *--word = 0;
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87_control));
  *--word = mxcsr | (static_cast<std::uint64_t>(x87_control) << 32);
#elif defined(__aarch64__)
  word -= 22;
  std::memset(word, 0, 22 * sizeof *word);
  word[11] = reinterpret_cast<std::uint64_t>(entry);  // x30
#else
#error "the simulator has no fiber switch for this processor"
#endif
  return word;
}

}  // namespace
}  // namespace fiber

Fiber Fiber::for_current_stack() {
  Fiber fiber;
#if defined(GPUKIT_SIM_ASAN)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    pthread_attr_getstack(&attributes, &low, &fiber.stack_bytes_);
    fiber.stack_low_ = low;
    pthread_attr_destroy(&attributes);
  }
#endif
#if defined(GPUKIT_TSAN)
  fiber.thread_sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
  return fiber;
}

Fiber::Fiber(Entry entry) {
  mapping_bytes_ = fiber::kStackBytes + fiber::kGuardBytes;
  void* memory = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<char*>(memory);
  mprotect(mapping_, fiber::kGuardBytes, PROT_NONE);
  stack_low_ = mapping_ + fiber::kGuardBytes;
  stack_bytes_ = fiber::kStackBytes;
  stack_pointer_ = fiber::prepare(mapping_ + mapping_bytes_, entry);
#if defined(GPUKIT_TSAN)
  thread_sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::Fiber(Fiber&& other) noexcept
    : stack_pointer_(std::exchange(other.stack_pointer_, nullptr)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(other.mapping_bytes_),
      stack_low_(other.stack_low_),
      stack_bytes_(other.stack_bytes_),
      fake_stack_(other.fake_stack_),
      thread_sanitizer_fiber_(std::exchange(other.thread_sanitizer_fiber_, nullptr)) {}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#if defined(GPUKIT_TSAN)
  __tsan_destroy_fiber(thread_sanitizer_fiber_);
#endif
#if defined(GPUKIT_SIM_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(stack_low_, stack_bytes_);
#endif
  munmap(mapping_, mapping_bytes_);
}

void Fiber::restart(Entry entry) {
#if defined(GPUKIT_SIM_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(stack_low_, stack_bytes_);
  fake_stack_ = nullptr;
#endif
#if defined(GPUKIT_TSAN)
  __tsan_destroy_fiber(thread_sanitizer_fiber_);
  thread_sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
  stack_pointer_ = fiber::prepare(mapping_ + mapping_bytes_, entry);
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#if defined(GPUKIT_SIM_ASAN)
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_low_, to.stack_bytes_);
#endif
#if defined(GPUKIT_TSAN)
  __tsan_switch_to_fiber(to.thread_sanitizer_fiber_, __tsan_switch_to_fiber_no_sync);
#endif
  gk_sim_switch_fiber(&from.stack_pointer_, to.stack_pointer_);
#if defined(GPUKIT_SIM_ASAN)
  __sanitizer_finish_switch_fiber(from.fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::entered() {
#if defined(GPUKIT_SIM_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace gpukit::sim
