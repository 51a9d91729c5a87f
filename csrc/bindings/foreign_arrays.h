// Arrays of other libraries as tensors without a copy: DLPack and __cuda_array_interface__.
#pragma once

#include <optional>

#include "bindings/arguments.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// A tensor over the memory of an object with __dlpack__, or of a capsule. `host_wanted`: the
/// producer may copy to the CPU. Throws BufferError, DeviceNotFoundError, TypeError.
Tensor share_dlpack(Argument argument, PyObject* object, bool host_wanted);

/// True for objects of other libraries that have __dlpack__ and __dlpack_device__.
bool has_dlpack(PyObject* object) noexcept;

/// A tensor over the memory of any array: by the buffer protocol, DLPack or
/// __cuda_array_interface__. Nothing when the object has none of them.
std::optional<Tensor> share_array(Argument argument, PyObject* object);

}  // namespace gpukit::bindings
