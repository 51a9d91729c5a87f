// Transfers, streams and events while the n-th allocation of host memory fails, for every n: a
// typed error, and everything works afterwards. The argument is the path of the driver's library.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/error.h"
#include "check.h"
#include "memory/device_resources.h"
#include "tensor/live_counts.h"
#include "tensor/tensor.h"
#include "tensor/transfer.h"

namespace {

/// Allocations of this thread until one fails; 0 when none does.
thread_local long until_failure = 0;
thread_local bool has_failed = false;

/// The simulated driver is not what is tested: a real one allocates by itself.
bool is_of_the_driver(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && std::strstr(info.dli_fname, "libdriver") != nullptr;
}

void* allocate_or_fail(std::size_t bytes, const void* caller) {
  if (until_failure > 0 && !is_of_the_driver(caller) && --until_failure == 0) {
    has_failed = true;
    throw std::bad_alloc();
  }
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate_or_fail(bytes, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes) {
  return allocate_or_fail(bytes, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gpukit {
namespace {

constexpr long kMostFailures = 2000;
constexpr std::int64_t kSizes[] = {20'000, 300'000, 3 << 19};

Tensor over(StorageRef storage, std::int64_t bytes) {
  return Tensor::make_contiguous(std::move(storage), DType::kUInt8, Shape{bytes});
}

void round_trip(const Tensor& source, bool non_blocking) {
  const Tensor up = copy_to_device(source, Device::cuda(0), non_blocking);
  const Tensor away = copy_to_device(up, Device::cuda(1), non_blocking);
  const Tensor back = copy_to_device(away, Device::cpu(), non_blocking);
  wait_for(back);
  CHECK(std::memcmp(back.data(), source.data(), source.bytes()) == 0);
}

void over_a_stream(const Tensor& source) {
  OpenDevice& device = open_device(Device::cuda(0));
  DeviceRuntime& runtime = device.runtime();
  const StreamRef home = current_stream(device);
  const Tensor pinned = over(StorageRef::allocate_pinned(device, source.bytes()), source.count());
  const Tensor up = over(StorageRef::allocate(device, source.bytes()), source.count());
  copy_bytes(pinned, source, false);
  copy_bytes(up, pinned, true);
  up.storage()->record_stream(home);
  const EventRef done = runtime.create_event({});
  runtime.record(done, home);
  runtime.synchronize(done);
  runtime.destroy_event(done);
}

void all_of_it() {
  for (const std::int64_t bytes : kSizes) {
    const Tensor source =
        over(StorageRef::allocate(cpu_device(), static_cast<std::size_t>(bytes)), bytes);
    std::memset(source.data(), static_cast<int>(bytes % 251), source.bytes());
    round_trip(source, false);
    round_trip(source, true);
    over_a_stream(source);
  }
  resources_of(open_device(Device::cuda(0))).device_memory().release_cached();
}

void check_nothing_is_left() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (live::device_buffers + live::pinned_buffers + live::pending_copies > 0) {
    CHECK(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// False when the work needs fewer allocations than that.
bool fail_at(long number) {
  has_failed = false;
  until_failure = number;
  try {
    all_of_it();
  } catch (const std::bad_alloc&) {
    CHECK(has_failed);
  } catch (const Error&) {
    CHECK(has_failed);
  }
  until_failure = 0;
  check_nothing_is_left();
  return has_failed;
}

}  // namespace
}  // namespace gpukit

int main(int count, char** arguments) {
  CHECK(count == 2);
  gpukit::replace_session(gpukit::DeviceType::kCuda, {arguments[1], "2xT4,mem=1GiB"},
                          "another one begins");
  long failures = 0;
  while (failures < gpukit::kMostFailures && gpukit::fail_at(failures + 1)) ++failures;
  CHECK(failures > 20);
  gpukit::all_of_it();
  std::printf("%ld failed allocations survived\n", failures);
  return 0;
}
