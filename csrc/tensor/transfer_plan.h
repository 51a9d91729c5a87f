// The path of a copy between devices. It is decided once, from the location of the bytes and what
// the devices can do; its execution (transfer.h) makes no further decisions.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

namespace gpukit {

enum class TransferWay : std::uint8_t {
  kHost,           ///< the host reads and writes both ends
  kUpload,         ///< this thread stages pageable memory
  kUploadAsync,    ///< a gpukit thread stages it: the source is read after the call returns
  kDownload,       ///< waited for
  kDownloadAsync,  ///< into pinned memory, and waited for where there is none
  kOnDevice,
  kPeer,         ///< between two devices of a kind whose devices copy to each other
  kNothing,      ///< a target without values
  kThroughHost,  ///< any other two devices: a download, waited for, then an upload
};

struct TransferOptions {
  std::optional<DType> dtype;  ///< of the result; none: the source's
  bool non_blocking = false;
  std::optional<StreamRef> stream;  ///< else the carrier's current one
  bool packs_first = false;         ///< the caller makes the source contiguous, whatever it costs
};

struct TransferPlan {
  TransferWay way = TransferWay::kHost;
  OpenDevice* target = nullptr;
  /// The device whose stream carries the copy: the accelerator, the target of two.
  OpenDevice* carrier = nullptr;
  std::optional<StreamRef> stream;
  bool non_blocking = false;
  /// A strided source is copied with its layout and made contiguous on the target.
  bool packs_on_target = false;
  /// The source crosses in its own dtype, the smaller one, and is converted where it arrives.
  bool casts_on_target = false;

  /// The stream of the copy. The CPU has none.
  StreamRef queue() const;
};

/// NotSupportedError for a tensor of a device that holds no values.
void check_has_values(const Tensor& source);

/// Opens nothing and queues nothing. What crosses is contiguous unless it packs_on_target.
TransferPlan plan_transfer(const Tensor& source, OpenDevice& target,
                           const TransferOptions& options = {});

/// Pinned by the accelerator that the copy is for: only there do its streams and events reach.
bool is_pinned_for(const Tensor& host, const OpenDevice& device);

}  // namespace gpukit
