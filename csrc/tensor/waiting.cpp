// Waits for tensors, streams and devices, and for copies on gpukit's threads.
#include <thread>

#include "backend/current.h"
#include "base/interrupt.h"
#include "base/wait_pacing.h"
#include "base/wait_watch.h"
#include "memory/copy_worker.h"
#include "memory/device_resources.h"
#include "tensor/captured_graph.h"
#include "tensor/pending_copy.h"
#include "tensor/transfer.h"

namespace gpukit {

bool is_ready(const Tensor& tensor) {
  if (const auto copy = tensor.storage()->pending()) {
    if (!copy->is_done()) return false;
  }
  if (tensor.on_host()) return true;
  OpenDevice& device = tensor.open_device();
  const StreamRef current = current_stream(device);
  const StreamRef own = tensor.storage()->stream();
  return device.runtime().query(current) && (own == current || device.runtime().query(own));
}

void wait_for(const Tensor& tensor) {
  if (!tensor.on_host())
    check_not_capturing(tensor.open_device(), current_stream(tensor.open_device()),
                        WaitKind::kSync);
  const WatchedWait watched(WaitKind::kSync, 0);
  if (const auto copy = tensor.storage()->pending()) {
    copy->wait();
    copy->carrier().raise_index_fault();
  }
  if (tensor.on_host()) return;
  OpenDevice& device = tensor.open_device();
  const StreamRef current = current_stream(device);
  device.runtime().synchronize(current);
  const StreamRef own = tensor.storage()->stream();
  if (own != current) device.runtime().synchronize(own);
  device.raise_index_fault();
}

bool wait_for(const Tensor& tensor, std::chrono::duration<double> longest) {
  const WatchedWait watched(WaitKind::kSync, 0);
  WaitPacing pacing;
  WaitPacing::Clock::time_point asked = WaitPacing::Clock::now();
  while (!is_ready(tensor)) {
    if (pacing.waited() >= longest) return false;
    const WaitPacing::Clock::time_point now = WaitPacing::Clock::now();
    if (now - asked >= std::chrono::milliseconds(10)) {
      throw_if_interrupted();
      asked = now;
    }
    std::this_thread::sleep_for(pacing.pause());
  }
  if (!tensor.on_host()) tensor.open_device().raise_index_fault();
  return true;
}

void flush_uploads(OpenDevice& device) {
  if (AsyncCopyEngine* engine = resources_of(device).copy_engine()) engine->uploads.flush();
}

bool is_idle(OpenDevice& device, StreamRef stream) {
  const AsyncCopyEngine* engine = resources_of(device).copy_engine();
  const bool idle =
      (engine == nullptr || engine->uploads.is_idle()) && device.runtime().query(stream);
  if (idle) device.raise_index_fault();
  return idle;
}

void synchronize(OpenDevice& device) {
  const WatchedWait watched(WaitKind::kSync, 0);
  flush_uploads(device);
  device.runtime().synchronize();
  if (AsyncCopyEngine* engine = resources_of(device).copy_engine()) engine->downloads.flush();
  device.raise_index_fault();
}

void synchronize(OpenDevice& device, StreamRef stream) {
  check_not_capturing(device, stream, WaitKind::kSync);
  const WatchedWait watched(WaitKind::kSync, 0);
  flush_uploads(device);
  device.runtime().synchronize(stream);
  if (AsyncCopyEngine* engine = resources_of(device).copy_engine()) engine->downloads.flush();
  device.raise_index_fault();
}

}  // namespace gpukit
