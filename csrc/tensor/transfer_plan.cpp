#include "tensor/transfer_plan.h"

#include "backend/current.h"
#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"

namespace gpukit {

namespace {

/// Up to this size a non-blocking upload is staged by the caller: that takes less than a
/// millisecond.
constexpr std::size_t kStagedAtOnce = std::size_t{1} << 20;
/// Bytes from which a kernel that makes them contiguous is worth its launch.
constexpr std::size_t kWorthALaunch = std::size_t{256} << 10;

/// A strided source may be copied with its layout if it has no gaps (transposed, flipped) or shows
/// elements several times (expanded): an accelerator puts it in order far faster than the host, and
/// an expanded one crosses in its small form.
bool is_packed_on_target(const Tensor& source, const OpenDevice& target,
                         const TransferOptions& options) {
  if (source.is_contiguous() || options.packs_first || options.stream || source.count() == 0)
    return false;
  if (source.on_host() == target.shares_memory_with_host()) return false;
  const OffsetRange range = offset_range(source.shape(), source.strides());
  const std::int64_t span = range.highest - range.lowest + 1;
  if (source.on_host()) return span <= source.count() && source.bytes() >= kWorthALaunch;
  return !options.non_blocking && span < source.count();
}

/// What a copy on the host would have to wait for is converted before it leaves.
bool is_cast_on_target(const Tensor& source, const OpenDevice& target,
                       const TransferOptions& options) {
  if (!options.dtype || itemsize(*options.dtype) <= itemsize(source.dtype())) return false;
  return !options.non_blocking || !target.shares_memory_with_host();
}

/// Whether the source's own bytes cross, and not those of a copy of it.
bool sends_own_bytes(const Tensor& source, const TransferOptions& options,
                     const TransferPlan& plan) {
  const bool cast_before =
      options.dtype && *options.dtype != source.dtype() && !plan.casts_on_target;
  return !cast_before && (source.is_contiguous() || plan.packs_on_target);
}

TransferWay upload_way(const Tensor& source, const OpenDevice& target,
                       const TransferOptions& options, const TransferPlan& plan) {
  const bool pinned = is_pinned_for(source, target) && sends_own_bytes(source, options, plan);
  const bool later =
      options.non_blocking && !options.stream && source.bytes() > kStagedAtOnce && !pinned;
  return later ? TransferWay::kUploadAsync : TransferWay::kUpload;
}

/// Devices of one kind share a session, and with it the driver that copies between them.
bool are_peers(const OpenDevice& source, const OpenDevice& target) {
  return &source.session() == &target.session() && target.capabilities().peer_copies;
}

TransferWay way_of(const Tensor& source, const OpenDevice& target, const TransferOptions& options,
                   const TransferPlan& plan) {
  if (target.capabilities().holds_no_values) return TransferWay::kNothing;
  const bool to_host = target.shares_memory_with_host();
  if (source.on_host()) {
    return to_host ? TransferWay::kHost : upload_way(source, target, options, plan);
  }
  if (to_host) return options.non_blocking ? TransferWay::kDownloadAsync : TransferWay::kDownload;
  if (&source.open_device() == &target) return TransferWay::kOnDevice;
  return are_peers(source.open_device(), target) ? TransferWay::kPeer : TransferWay::kThroughHost;
}

}  // namespace

void check_has_values(const Tensor& source) {
  const OpenDevice& device = source.open_device();
  if (!device.capabilities().holds_no_values) return;
  throw NotSupportedError(concat("a tensor of '", to_string(device.device()), "' has a shape ",
                                 to_string(source.shape()),
                                 " and no values, so none can be copied or read. Make it on "
                                 "another device, with module.to_empty(device=) for a module"))
      .with_fix("module.to_empty(device='cpu')");
}

StreamRef TransferPlan::queue() const { return stream ? *stream : current_stream(*carrier); }

bool is_pinned_for(const Tensor& host, const OpenDevice& device) {
  return host.storage()->pinned() && &host.storage()->allocating_device() == &device;
}

TransferPlan plan_transfer(const Tensor& source, OpenDevice& target,
                           const TransferOptions& options) {
  if (!target.capabilities().holds_no_values) check_has_values(source);
  TransferPlan plan;
  plan.packs_on_target = is_packed_on_target(source, target, options);
  plan.casts_on_target = is_cast_on_target(source, target, options);
  plan.way = way_of(source, target, options, plan);
  plan.target = &target;
  plan.carrier = target.shares_memory_with_host() ? &source.open_device() : &target;
  plan.stream = options.stream;
  plan.non_blocking = options.non_blocking;
  return plan;
}

}  // namespace gpukit
