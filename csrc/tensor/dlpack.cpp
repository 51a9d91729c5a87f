#include "tensor/dlpack.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "base/process_state.h"
#include "tensor/captured_graph.h"
#include "tensor/factory.h"
#include "tensor/transfer_plan.h"

namespace gpukit::dlpack {

namespace {

DType dtype_of(TypeId type) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const TypeId known = type_id(dtype);
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes)
      return dtype;
  }
  throw BufferError(concat("from_dlpack: type code ", int{type.code}, " of ", int{type.bits},
                           " bits and ", type.lanes,
                           " lanes is not a gpukit dtype. Convert it first, e.g. to float32"));
}

// Export.

/// What an exported struct points into. It keeps the storage, not the tensor: no Python object is
/// touched when the deleter runs on another thread.
template <class ManagedType>
struct Export {
  ManagedType managed{};
  StorageRef storage;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};

  static void destroy(ManagedType* self) {
    if (self == nullptr || process_state::exiting()) return;
    const std::unique_ptr<Export> owner(static_cast<Export*>(self->context));
  }
};

template <class ManagedType>
std::unique_ptr<Export<ManagedType>> make(const Tensor& tensor) {
  auto out = std::make_unique<Export<ManagedType>>();
  out->storage = tensor.storage();
  for (int i = 0; i < tensor.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out->shape[at] = tensor.size(i);
    // The stride of a size that is never stepped over says nothing; some consumers read it all the
    // same.
    out->strides[at] = tensor.size(i) < 2 ? 1 : tensor.strides()[i];
  }
  TensorView& view = out->managed.tensor;
  view.data = tensor.count() == 0 ? nullptr : tensor.data();
  view.device = device_id(tensor);
  view.ndim = tensor.rank();
  view.dtype = type_id(tensor.dtype());
  view.shape = out->shape.data();
  view.strides = out->strides.data();
  out->managed.context = out.get();
  out->managed.deleter = &Export<ManagedType>::destroy;
  return out;
}

// Import: nothing of a foreign struct is believed.

void check_rank(const TensorView& view) {
  GPUKIT_CHECK(view.ndim >= 0 && view.ndim <= kMaxRank, BufferError, "from_dlpack: ndim is ",
               view.ndim, "; gpukit's tensors have 0 to ", kMaxRank, " dimensions");
  GPUKIT_CHECK(view.ndim == 0 || view.shape != nullptr, BufferError,
               "from_dlpack: the shape is missing");
}

Shape shape_of(const TensorView& view, DType dtype) {
  const Shape shape(std::span<const std::int64_t>(view.shape, static_cast<std::size_t>(view.ndim)));
  try {
    check_shape(shape, itemsize(dtype), "from_dlpack");
  } catch (const ValueError& error) {
    throw BufferError(error.what());
  }
  return shape;
}

/// Strides that step over nothing are replaced: later arithmetic on chance values could overflow.
Strides strides_of(const TensorView& view, const Shape& shape) {
  Strides strides = contiguous_strides(shape);
  if (view.strides == nullptr || element_count(shape) == 0) return strides;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) strides[i] = view.strides[i];
  }
  return strides;
}

/// The byte range of the elements relative to the first one; refuses strides that leave the address
/// space.
struct ByteRange {
  std::int64_t lowest = 0;
  std::int64_t end = 0;
};

ByteRange byte_range(const Shape& shape, const Strides& strides, std::int64_t itemsize) {
  if (element_count(shape) == 0) return {};
  ByteRange range{0, itemsize};
  for (int i = 0; i < shape.size(); ++i) {
    std::int64_t reach = 0;
    bool overflow = __builtin_mul_overflow(strides[i], shape[i] - 1, &reach);
    overflow = overflow || __builtin_mul_overflow(reach, itemsize, &reach);
    std::int64_t& side = reach < 0 ? range.lowest : range.end;
    overflow = overflow || __builtin_add_overflow(side, reach, &side);
    GPUKIT_CHECK(!overflow, BufferError, "from_dlpack: stride ", strides[i], " of dimension ", i,
                 " (size ", shape[i], ") leaves the address space");
  }
  return range;
}

/// The first element; `range` around it must be addresses.
std::byte* first_element(const TensorView& view, const ByteRange& range, std::size_t itemsize) {
  GPUKIT_CHECK(view.data != nullptr, BufferError,
               "from_dlpack: there are elements but the data is NULL");
  const auto base = reinterpret_cast<std::uintptr_t>(view.data);
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uintptr_t first = 0;
  bool outside =
      view.byte_offset > kLargest || __builtin_add_overflow(base, view.byte_offset, &first);
  std::int64_t bound = 0;
  outside = outside || first > kLargest;
  const auto address = static_cast<std::int64_t>(first);
  outside =
      outside || address + range.lowest < 0 || __builtin_add_overflow(address, range.end, &bound);
  GPUKIT_CHECK(!outside, BufferError, "from_dlpack: byte_offset ", view.byte_offset,
               " or the strides leave the address space");
  GPUKIT_CHECK(first % itemsize == 0, BufferError,
               "from_dlpack: the data is not aligned to its itemsize of ", itemsize,
               " bytes. Copy it first");
  return reinterpret_cast<std::byte*>(first);
}

OpenDevice& device_of(DeviceId device) {
  switch (device.code) {
    case kCpu:
    case kCudaHost:
      return cpu_device();
    case kCuda: {
      constexpr int kLargestIndex = std::numeric_limits<std::int16_t>::max();
      GPUKIT_CHECK(device.index >= 0 && device.index <= kLargestIndex, BufferError,
                   "from_dlpack: device index ", device.index, " cannot be a GPU");
      OpenDevice& opened = open_device(Device::cuda(device.index));
      check_reachable("from_dlpack", opened);
      return opened;
    }
    default:
      throw BufferError(concat("from_dlpack: the data is on DLPack device type ", device.code,
                               "; gpukit reads cpu (1, 3) and cuda (2). Move it to the CPU first"));
  }
}

/// Asks the driver which device owns both ends of the bytes: a kernel that accesses other memory
/// ends the use of the whole device.
void check(OpenDevice& device, const std::byte* lowest, std::int64_t bytes) {
  if (device.shares_memory_with_host() || bytes == 0) return;
  for (const std::byte* address : {lowest, lowest + bytes - 1}) {
    const AddressLocation location = device.runtime().locate(address);
    GPUKIT_CHECK(location.kind != AddressLocation::Kind::kHost, BufferError,
                 "from_dlpack: the data is page-locked memory of the host, not of ",
                 to_string(device.device()), ". Hand it over as an array of the CPU");
    GPUKIT_CHECK(location.kind == AddressLocation::Kind::kDevice, BufferError, "from_dlpack: the ",
                 bytes, " bytes at ", static_cast<const void*>(lowest), " are not memory of ",
                 to_string(device.device()),
                 ": the driver does not know them. They were freed, are ordinary memory, belong to "
                 "another process, or end before the array does");
    GPUKIT_CHECK(location.device == device.device().index, BufferError,
                 "from_dlpack: the data is said to be on ", to_string(device.device()),
                 ", but the driver finds it on cuda:", location.device);
  }
}

/// Owns the foreign struct once the tensor exists.
template <class ManagedType>
struct Import {
  ManagedType* managed;
  bool taken = false;

  static void release(void* context) noexcept {
    const std::unique_ptr<Import> self(static_cast<Import*>(context));
    if (process_state::exiting()) return;  // the producer may be gone
    if (self->taken && self->managed->deleter != nullptr) self->managed->deleter(self->managed);
  }
};

template <class ManagedType>
Tensor import_tensor(ManagedType* managed) {
  const TensorView& view = managed->tensor;
  check_rank(view);
  const DType dtype = dtype_of(view.dtype);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const Shape shape = shape_of(view, dtype);
  const Strides strides = strides_of(view, shape);
  const ByteRange range = byte_range(shape, strides, size);
  OpenDevice& device = device_of(view.device);
  std::byte* lowest = nullptr;
  if (element_count(shape) > 0) {
    lowest = first_element(view, range, itemsize(real_dtype(dtype))) + range.lowest;
  }
  check(device, lowest, range.end - range.lowest);
  auto context = std::make_unique<Import<ManagedType>>(Import<ManagedType>{managed});
  Import<ManagedType>& import = *context;
  StorageRef storage =
      StorageRef::adopt(device, lowest, static_cast<std::size_t>(range.end - range.lowest),
                        &Import<ManagedType>::release, context.release());
  Tensor tensor = Tensor::make(std::move(storage), dtype, shape, strides, -range.lowest / size);
  import.taken = true;
  return tensor;
}

/// Makes later work of `follower` wait for what `leader` has queued; both belong to the device.
void order(DeviceRuntime& runtime, StreamRef leader, StreamRef follower) {
  if (leader == follower) return;
  const EventRef event = runtime.create_event({});
  try {
    runtime.record(event, leader);
    runtime.wait(follower, event);
  } catch (...) {
    runtime.destroy_event(event);
    throw;
  }
  runtime.destroy_event(event);
}

/// True when the driver said that a handle, or its context, is none of this device.
bool is_about_a_handle(const Error& error) noexcept {
  return std::ranges::any_of(error.details(), [](const auto& detail) {
    const auto* status = std::get_if<std::int64_t>(&detail.second);
    return detail.first == "status" && status != nullptr && (*status == 400 || *status == 201);
  });
}

/// The same, where one of the streams is another library's: `foreign`, as it was given.
void order(std::string_view op, OpenDevice& device, StreamRef leader, StreamRef follower,
           std::int64_t foreign) {
  // A wait for work outside a graph would invalidate the capture.
  check_not_capturing(device, current_stream(device), WaitKind::kSync);
  try {
    order(device.runtime(), leader, follower);
  } catch (const Error& error) {
    if (!is_about_a_handle(error)) throw;
    throw BufferError(concat(op, ": stream ", foreign, " is not a stream of ",
                             to_string(device.device()),
                             ", which has the data. Pass a stream of that device, or have the "
                             "producer wait for its work and say None"));
  }
}

}  // namespace

TypeId type_id(DType dtype) {
  static constexpr std::array kCodes = std::to_array<std::uint8_t>({
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, Device, Computed, Accumulated, DLPack, \
                 ...)                                                                              \
  DLPack,
#include "base/dtypes.def"
  });
  return {kCodes[static_cast<std::size_t>(dtype)], static_cast<std::uint8_t>(itemsize(dtype) * 8),
          1};
}

void check_reachable(std::string_view op, OpenDevice& device) {
  if (device.capabilities().holds_no_values) {
    throw BufferError(concat(op, ": a tensor of meta has no values to share. Make it on the CPU"))
        .with_fix("device='cpu'");
  }
  if (device.shares_memory_with_host() || device.runtime().properties().shares_memory_with_others)
    return;
  throw BufferError(concat(op, ": ", to_string(device.device()),
                           " is simulated; its memory cannot be shared with other libraries. Use "
                           ".cpu() first"))
      .with_fix("x.cpu()");
}

DeviceId device_id(const Tensor& tensor) {
  check_has_values(tensor);
  const int code = tensor.open_device().capabilities().dlpack_type;
  if (code == 0) {
    throw BufferError(concat("__dlpack__: the tensor is on ", to_string(tensor.device()),
                             ", a kind of device that DLPack has no number for. Use .cpu() first"))
        .with_fix("x.cpu()");
  }
  const int index = tensor.device().index;
  return {code, index < 0 ? 0 : index};
}

ManagedVersioned* export_versioned(const Tensor& tensor, bool copied) {
  auto out = make<ManagedVersioned>(tensor);
  out->managed.version = {kMajorVersion, kMinorVersion};
  out->managed.flags =
      (tensor.storage()->read_only() ? kFlagReadOnly : 0) | (copied ? kFlagIsCopied : 0);
  return &out.release()->managed;
}

Managed* export_unversioned(const Tensor& tensor) {
  GPUKIT_CHECK(!tensor.storage()->read_only(), BufferError,
               "__dlpack__: the tensor is read-only, which only DLPack 1.0 can say. Pass "
               "max_version=(1, 0), "
               "or pass a clone()");
  return &make<Managed>(tensor).release()->managed;
}

void order_consumer(const Tensor& tensor, std::int64_t stream) {
  if (tensor.on_host() || stream == kNoOrdering) return;
  GPUKIT_CHECK(stream > 0, ValueError, "__dlpack__: stream is ", stream,
               "; it is -1 (no ordering), 1 (legacy), 2 (per thread) or a stream handle");
  OpenDevice& device = tensor.open_device();
  const StreamRef consumer{static_cast<std::uintptr_t>(stream)};
  tensor.storage()->record_stream(consumer);
  order("__dlpack__", device, current_stream(device), consumer, stream);
}

void order_after_producer(OpenDevice& device, std::int64_t stream) {
  if (device.shares_memory_with_host() || stream == kNoOrdering) return;
  GPUKIT_CHECK(stream > 0, BufferError, "the producer's stream is ", stream,
               "; it is 1 (legacy), 2 (per thread), a stream handle, or None for no waiting");
  order("from_dlpack", device, StreamRef{static_cast<std::uintptr_t>(stream)},
        current_stream(device), stream);
}

std::int64_t stream_number(OpenDevice& device) {
  const auto handle = static_cast<std::int64_t>(current_stream(device).handle);
  return handle == 0 ? kLegacyStream : handle;
}

Tensor import_versioned(ManagedVersioned* managed) {
  GPUKIT_CHECK(managed != nullptr, BufferError, "from_dlpack: the capsule is empty");
  GPUKIT_CHECK(managed->version.major == kMajorVersion, BufferError,
               "from_dlpack: the capsule is of DLPack ", managed->version.major, ".",
               managed->version.minor, "; gpukit reads 0.x and 1.x");
  Tensor tensor = import_tensor(managed);
  if ((managed->flags & kFlagReadOnly) != 0) tensor.storage()->mark_read_only();
  return tensor;
}

Tensor import_unversioned(Managed* managed) {
  GPUKIT_CHECK(managed != nullptr, BufferError, "from_dlpack: the capsule is empty");
  return import_tensor(managed);
}

}  // namespace gpukit::dlpack
