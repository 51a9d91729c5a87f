// What a device can do, by name. Code above backend/ decides by these, never by a kind of device.
#pragma once

namespace gpukit {

struct DeviceCapabilities {
  /// The host reads and writes its memory, and an operation is done when the call returns: no
  /// copies, no streams.
  bool shares_memory_with_host = false;
  /// Its tensors have shapes and no elements: copies to it move nothing, and no copy leaves it.
  bool holds_no_values = false;
  /// copy_from_peer copies between any two devices of this kind. Other pairs go through the host.
  bool peer_copies = false;
  /// Work on a stream can be captured into a graph and launched again.
  bool graphs = false;
  /// DLPack's number of this kind of device; 0 where its memory has none and is not exchanged.
  int dlpack_type = 0;
};

}  // namespace gpukit
