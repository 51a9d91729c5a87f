#include "tensor/transfer.h"

#include <cstring>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "tensor/factory.h"
#include "tensor/staging.h"

namespace gpukit {

namespace {

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

void copy_on_host(const Tensor& target, const Tensor& source) {
  constexpr std::size_t kThreadedBytes = std::size_t{1} << 20;
  if (source.bytes() < kThreadedBytes) {
    std::memcpy(target.data(), source.data(), source.bytes());
    return;
  }
  CopyArgs args;
  args.shape = Shape{source.count()};
  args.out = {target.data(), target.dtype(), Strides{1}};
  args.in = {source.data(), source.dtype(), Strides{1}};
  target.open_device().ops().copy(args, StreamRef{});
}

/// Pinned by the GPU that the copy is for: only there do its streams and events reach.
bool is_pinned_for(const Tensor& host, const OpenDevice& device) {
  return host.storage()->pinned() && &host.storage()->lender() == &device;
}

void upload(const Tensor& target, const Tensor& source, bool non_blocking, StreamRef stream) {
  OpenDevice& device = target.open_device();
  if (is_pinned_for(source, device)) {
    source.storage()->record_use(stream);
    device.runtime().copy_from_host(target.data(), source.data(), source.bytes(), stream);
  } else {
    upload_pageable(device, target.data(), source.data(), source.bytes(), stream);
  }
  target.storage()->record_use(stream);
  if (!non_blocking) device.runtime().synchronize(stream);
}

/// Always waits, so that nobody reads bytes that have not arrived.
void download(void* target, const Tensor& source, std::size_t bytes, bool pinned,
              StreamRef stream) {
  OpenDevice& device = source.open_device();
  source.storage()->record_use(stream);
  if (!pinned) return download_pageable(device, target, source.data(), bytes, stream);
  device.runtime().copy_to_host(target, source.data(), bytes, stream);
  device.runtime().synchronize(stream);
}

void copy_on_device(const Tensor& target, const Tensor& source, StreamRef stream) {
  source.storage()->record_use(stream);
  target.storage()->record_use(stream);
  target.open_device().runtime().copy_on_device(target.data(), source.data(), source.bytes(),
                                                stream);
}

/// `stream` is the target's. The source's streams wait in turn, so that the source is neither
/// written nor lent again before the copy has read it.
void copy_between_devices(const Tensor& target, const Tensor& source, StreamRef stream) {
  DeviceRuntime& to = target.open_device().runtime();
  DeviceRuntime& from = source.open_device().runtime();
  const StreamRef producer = current_stream(source.open_device());
  const StreamRef owner = source.storage()->stream();
  target.storage()->record_use(stream);
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

/// The device whose stream carries the copy: the one that is a GPU, the target of two.
OpenDevice& carrier_of(const Tensor& target, const Tensor& source) {
  return target.is_cpu() ? source.open_device() : target.open_device();
}

StorageRef allocate_for(OpenDevice& device, std::size_t bytes, std::optional<StreamRef> stream) {
  if (device.device().is_cpu() || !stream) return StorageRef::allocate(device, bytes);
  return StorageRef::allocate_on(device, bytes, *stream);
}

}  // namespace

Tensor copy_to_device(const Tensor& contiguous_source, Device device, bool non_blocking,
                      std::optional<StreamRef> stream) {
  const Tensor& source = contiguous_source;
  OpenDevice& opened = open_device(device);
  // On the stream of the copy, so that the block's earlier users are past it.
  Tensor target = Tensor::make_contiguous(allocate_for(opened, source.bytes(), stream),
                                          source.dtype(), source.shape());
  copy_bytes(target, source, non_blocking, stream);
  return target;
}

void copy_bytes(const Tensor& target, const Tensor& source, bool non_blocking,
                std::optional<StreamRef> stream) {
  check_copyable(target, source);
  if (source.count() == 0) return;
  if (target.is_cpu() && source.is_cpu()) return copy_on_host(target, source);
  OpenDevice& carrier = carrier_of(target, source);
  const StreamRef queue = stream ? *stream : current_stream(carrier);
  if (source.is_cpu()) return upload(target, source, non_blocking, queue);
  if (target.is_cpu()) {
    return download(target.data(), source, source.bytes(), is_pinned_for(target, carrier), queue);
  }
  if (&target.open_device() == &source.open_device()) return copy_on_device(target, source, queue);
  copy_between_devices(target, source, queue);
}

void read_to_host(const Tensor& contiguous_source, void* target, std::size_t bytes) {
  const Tensor& source = contiguous_source;
  GPUKIT_CHECK(bytes <= source.bytes(), ValueError, "read_to_host: ", bytes,
               " bytes were asked for, the tensor has ", source.bytes());
  if (bytes == 0) return;
  if (source.is_cpu()) {
    std::memcpy(target, source.data(), bytes);
    return;
  }
  download(target, source, bytes, false, current_stream(source.open_device()));
}

void wait_for(const Tensor& tensor) {
  if (tensor.is_cpu()) return;
  OpenDevice& device = tensor.open_device();
  const StreamRef current = current_stream(device);
  device.runtime().synchronize(current);
  const StreamRef own = tensor.storage()->stream();
  if (own != current) device.runtime().synchronize(own);
}

bool is_ready(const Tensor& tensor) {
  if (tensor.is_cpu()) return true;
  OpenDevice& device = tensor.open_device();
  const StreamRef current = current_stream(device);
  const StreamRef own = tensor.storage()->stream();
  return device.runtime().query(current) && (own == current || device.runtime().query(own));
}

}  // namespace gpukit
