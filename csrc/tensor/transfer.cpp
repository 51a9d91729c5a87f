#include "tensor/transfer.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/wait_watch.h"
#include "memory/copy_worker.h"
#include "memory/device_resources.h"
#include "tensor/captured_graph.h"
#include "tensor/pending_copy.h"
#include "tensor/staging.h"

namespace gpukit {

namespace transfer_impl {
namespace {

/// Up to this size the driver's own staging of an upload is quicker than ours.
constexpr std::size_t kStagedByDriver = std::size_t{64} << 10;
/// Maximum pinned memory of one non-blocking copy.
constexpr std::size_t kMostPinnedAtOnce = std::size_t{1} << 30;

/// An event for one hand-over between streams.
class Handover {
 public:
  Handover(DeviceRuntime& maker, StreamRef done_on)
      : maker_(maker), event_(maker.create_event({})) {
    try {
      maker_.record(event_, done_on);
    } catch (...) {
      maker_.destroy_event(event_);
      throw;
    }
  }
  Handover(const Handover&) = delete;
  ~Handover() { maker_.destroy_event(event_); }
  EventRef event() const noexcept { return event_; }

 private:
  DeviceRuntime& maker_;
  EventRef event_;
};

/// Later work of `waiting_stream` starts after what `stream` holds now. The two may be of different
/// devices.
void order_after(DeviceRuntime& runtime, StreamRef stream, DeviceRuntime& waiting,
                 StreamRef waiting_stream) {
  const Handover handover(runtime, stream);
  waiting.wait(waiting_stream, handover.event());
}

/// Where a tensor's first element is, whether or not its bytes have arrived.
std::byte* address_of(const Tensor& tensor) {
  return tensor.storage()->address() +
         tensor.offset() * static_cast<std::int64_t>(itemsize(tensor.dtype()));
}

/// Pinned memory for a non-blocking copy; empty if the system does not provide that
/// much.
StorageRef pinned_buffer(OpenDevice& device, std::size_t bytes) {
  if (bytes > kMostPinnedAtOnce) return {};
  try {
    return StorageRef::allocate_pinned(device, bytes);
  } catch (const HostMemoryError&) {
    return {};
  }
}

/// Through a separate pinned block, so that it does not wait for an earlier copy's slot. False,
/// with nothing done, where there is none.
bool upload_staged(OpenDevice& device, void* target, const void* source, std::size_t bytes,
                   StreamRef stream) {
  const StorageRef staged = pinned_buffer(device, bytes);
  if (!staged) return false;
  copy_on_host(staged->data(), source, bytes);
  staged->record_stream(stream);
  device.runtime().copy_from_host(target, staged->data(), bytes, stream);
  return true;
}

void upload(const Tensor& target, const Tensor& source, bool non_blocking, StreamRef stream) {
  OpenDevice& device = target.open_device();
  void* to = target.data();
  const void* from = source.data();
  const bool pinned = is_pinned_for(source, device);
  std::optional<WatchedWait> watched;
  if (!pinned || !non_blocking) check_not_capturing(device, stream, WaitKind::kPageable);
  if (!non_blocking)
    watched.emplace(pinned ? WaitKind::kCopy : WaitKind::kPageable, source.bytes());
  target.storage()->record_stream(stream);
  if (pinned) source.storage()->record_stream(stream);
  if (pinned || source.bytes() <= kStagedByDriver) {
    device.runtime().copy_from_host(to, from, source.bytes(), stream);
  } else if (!non_blocking || !upload_staged(device, to, from, source.bytes(), stream)) {
    upload_pageable(device, to, from, source.bytes(), stream);
  }
  if (!non_blocking) device.runtime().synchronize(stream);
}

/// An upload of pageable memory by a gpukit thread.
class UploadJob final : public memory::CopyJob {
 public:
  UploadJob(const Tensor& target, const Tensor& source, StreamRef stream,
            std::shared_ptr<PendingCopy> copy)
      : device_(target.open_device()),
        to_(address_of(target)),
        from_(source.data()),
        bytes_(source.bytes()),
        stream_(stream),
        target_(target.storage()),
        source_(source.storage()),
        copy_(std::move(copy)) {}

  void run() noexcept override {
    try {
      upload_pageable(device_, to_, from_, bytes_, stream_);
      copy_->mark_issued(stream_);
    } catch (...) {
      copy_->mark_failed();
    }
  }

 private:
  OpenDevice& device_;
  void* to_;
  const void* from_;
  std::size_t bytes_;
  StreamRef stream_;
  StorageRef target_, source_;
  std::shared_ptr<PendingCopy> copy_;
};

/// The second half of a download into pageable memory: out of the pinned block where the device
/// puts it.
class DownloadJob final : public memory::CopyJob {
 public:
  DownloadJob(const Tensor& target, StorageRef staged, std::shared_ptr<PendingCopy> copy)
      : to_(address_of(target)),
        bytes_(target.bytes()),
        target_(target.storage()),
        staged_(std::move(staged)),
        copy_(std::move(copy)) {}

  void run() noexcept override {
    try {
      copy_on_host(to_, staged_->data(), bytes_);
      copy_->mark_done();
    } catch (...) {
      copy_->mark_failed();
    }
  }

 private:
  void* to_;
  std::size_t bytes_;
  StorageRef target_, staged_;
  std::shared_ptr<PendingCopy> copy_;
};

void hand_over(memory::CopyWorker& worker, std::unique_ptr<memory::CopyJob> job,
               PendingCopy& copy) {
  try {
    worker.add(std::move(job));
  } catch (...) {
    copy.mark_failed();
    throw;
  }
}

/// Returns before the source was read. `queue`: the stream whose work on the target comes before;
/// none for a target that was made for this copy.
void upload_async(const Tensor& target, const Tensor& source, std::optional<StreamRef> queue) {
  OpenDevice& device = target.open_device();
  check_not_capturing(device, queue ? *queue : current_stream(device), WaitKind::kPageable);
  DeviceRuntime& runtime = device.runtime();
  AsyncCopyEngine& engine = *resources_of(device).copy_engine();
  auto copy = std::make_shared<PendingCopy>(device);
  auto job = std::make_unique<UploadJob>(target, source, engine.upload_stream, copy);
  if (queue) order_after(runtime, *queue, runtime, engine.upload_stream);
  target.storage()->record_stream(engine.upload_stream);
  target.storage()->set_pending(copy);
  source.storage()->add_reader(copy);
  hand_over(engine.uploads, std::move(job), *copy);
}

/// Queues a copy into pinned memory; a read of `target` waits for it.
void download_to_pinned(Storage& target, void* to, const Tensor& source, std::size_t bytes,
                        StreamRef stream) {
  OpenDevice& device = source.open_device();
  auto copy = std::make_shared<PendingCopy>(device);
  source.storage()->record_stream(stream);
  target.record_stream(stream);
  device.runtime().copy_to_host(to, source.data(), bytes, stream);
  copy->mark_issued(stream);
  target.set_pending(std::move(copy));
}

/// False, with nothing done, when there is no pinned memory for it.
bool download_async(const Tensor& target, const Tensor& source, StreamRef stream) {
  OpenDevice& device = source.open_device();
  check_not_capturing(device, stream, WaitKind::kCopy);
  if (is_pinned_for(target, device)) {
    download_to_pinned(*target.storage(), address_of(target), source, source.bytes(), stream);
    return true;
  }
  StorageRef staged = pinned_buffer(device, source.bytes());
  if (!staged) return false;
  download_to_pinned(*staged, staged->address(), source, source.bytes(), stream);
  auto copy = std::make_shared<PendingCopy>(device);
  auto job = std::make_unique<DownloadJob>(target, std::move(staged), copy);
  target.storage()->set_pending(copy);
  hand_over(resources_of(device).copy_engine()->downloads, std::move(job), *copy);
  return true;
}

/// Waits for the work queued before and for the copy.
void download(void* target, const Tensor& source, std::size_t bytes, bool pinned,
              StreamRef stream) {
  OpenDevice& device = source.open_device();
  check_not_capturing(device, stream, WaitKind::kCopy);
  const WatchedWait watched(WaitKind::kCopy, bytes);
  source.storage()->record_stream(stream);
  if (!pinned) {
    download_pageable(device, target, source.data(), bytes, stream);
  } else {
    device.runtime().copy_to_host(target, source.data(), bytes, stream);
    device.runtime().synchronize(stream);
  }
  device.raise_index_fault();
}

void copy_on_device(const Tensor& target, const Tensor& source, StreamRef stream) {
  source.storage()->record_stream(stream);
  target.storage()->record_stream(stream);
  target.open_device().runtime().copy_on_device(target.data(), source.data(), source.bytes(),
                                                stream);
}

/// `stream` is the target's. The source's streams wait in turn, so that the source is neither
/// written nor reused before the copy has read it.
void copy_between_devices(const Tensor& target, const Tensor& source, StreamRef stream) {
  DeviceRuntime& to = target.open_device().runtime();
  DeviceRuntime& from = source.open_device().runtime();
  const StreamRef producer = current_stream(source.open_device());
  const StreamRef owner = source.storage()->stream();
  check_not_capturing(target.open_device(), stream, WaitKind::kCopy);
  check_not_capturing(source.open_device(), producer, WaitKind::kCopy);
  target.storage()->record_stream(stream);
  order_after(from, producer, to, stream);
  to.copy_from_peer(target.data(), from, source.data(), source.bytes(), stream);
  const Handover copied(to, stream);
  from.wait(producer, copied.event());
  if (owner != producer) from.wait(owner, copied.event());
}

void check_copyable(const Tensor& target, const Tensor& source) {
  GPUKIT_CHECK(target.shape() == source.shape(), ShapeError, "copy: the target is ",
               to_string(target.shape()), ", the source is ", to_string(source.shape()));
  GPUKIT_CHECK(target.dtype() == source.dtype(), DTypeError, "copy: the target is ",
               name(target.dtype()), ", the source is ", name(source.dtype()));
  GPUKIT_CHECK(target.is_contiguous() && source.is_contiguous(), ValueError,
               "copy: target and source must be contiguous. Call .contiguous() first");
}

/// A stream that the caller named sees the copies under way as this thread's current stream does.
void order_on(const Tensor& tensor, StreamRef stream) {
  if (const auto copy = tensor.storage()->pending())
    copy->order_before(tensor.open_device().runtime(), stream);
}

/// Memory for a copy of `source`, allocated on the stream of the copy so that the block's earlier
/// users are past it. A non-blocking download goes into pinned memory, where there is that much.
StorageRef storage_for(const TransferPlan& plan, const Tensor& source) {
  const std::size_t bytes = source.bytes();
  if (plan.way == TransferWay::kDownloadAsync && bytes > 0) {
    if (StorageRef pinned = pinned_buffer(source.open_device(), bytes)) return pinned;
  }
  if (plan.target->shares_memory_with_host()) return StorageRef::allocate(*plan.target, bytes);
  const StreamRef home = plan.way == TransferWay::kUploadAsync
                             ? resources_of(*plan.target).copy_engine()->upload_stream
                             : plan.queue();
  return StorageRef::allocate_on(*plan.target, bytes, home);
}

/// Two devices that do not copy to each other: down, then up. The download is waited for.
void copy_through_host(const TransferPlan& plan, const Tensor& target, const Tensor& source) {
  const Tensor host = copy_to_device(source, Device::cpu(), false);
  upload(target, host, plan.non_blocking, plan.queue());
}

void download_or_wait(const TransferPlan& plan, const Tensor& target, const Tensor& source) {
  const StreamRef queue = plan.queue();
  order_on(source, queue);
  if (plan.way == TransferWay::kDownloadAsync && download_async(target, source, queue)) return;
  download(target.data(), source, source.bytes(), is_pinned_for(target, *plan.carrier), queue);
}

}  // namespace
}  // namespace transfer_impl

Tensor transfer(const TransferPlan& plan, const Tensor& contiguous_source, const Tensor* out) {
  using namespace transfer_impl;
  const Tensor& source = contiguous_source;
  if (out != nullptr) check_copyable(*out, source);
  const Tensor target = out != nullptr ? *out
                                       : Tensor::make_contiguous(storage_for(plan, source),
                                                                 source.dtype(), source.shape());
  if (source.count() == 0) return target;
  switch (plan.way) {
    case TransferWay::kNothing:
      break;
    case TransferWay::kHost:
      copy_on_host(target.data(), source.data(), source.bytes());
      break;
    case TransferWay::kUpload:
      upload(target, source, plan.non_blocking, plan.queue());
      break;
    case TransferWay::kUploadAsync:
      upload_async(target, source, out != nullptr ? std::optional(plan.queue()) : std::nullopt);
      break;
    case TransferWay::kDownload:
    case TransferWay::kDownloadAsync:
      download_or_wait(plan, target, source);
      break;
    case TransferWay::kOnDevice:
      order_on(source, plan.queue());
      copy_on_device(target, source, plan.queue());
      break;
    case TransferWay::kPeer:
      order_on(source, plan.queue());
      copy_between_devices(target, source, plan.queue());
      break;
    case TransferWay::kThroughHost:
      copy_through_host(plan, target, source);
      break;
  }
  return target;
}

Tensor copy_to_device(const Tensor& contiguous_source, Device device, bool non_blocking) {
  const TransferOptions options{.dtype = {}, .non_blocking = non_blocking, .stream = {}};
  return transfer(plan_transfer(contiguous_source, open_device(device), options),
                  contiguous_source);
}

void copy_bytes(const Tensor& target, const Tensor& source, bool non_blocking) {
  const TransferOptions options{.dtype = {}, .non_blocking = non_blocking, .stream = {}};
  transfer(plan_transfer(source, target.open_device(), options), source, &target);
}

void read_to_host(const Tensor& contiguous_source, void* target, std::size_t bytes) {
  const Tensor& source = contiguous_source;
  GPUKIT_CHECK(bytes <= source.bytes(), ValueError, "read_to_host: ", bytes,
               " bytes were asked for, the tensor has ", source.bytes());
  if (bytes == 0) return;
  check_has_values(source);
  if (source.on_host()) {
    std::memcpy(target, source.data(), bytes);
    return;
  }
  transfer_impl::download(target, source, bytes, false, current_stream(source.open_device()));
}

}  // namespace gpukit
