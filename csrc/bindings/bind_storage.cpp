// The storage behind a tensor, for saving and loading. Private to gpukit's own Python.
#include <utility>

#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/tensor_type.h"
#include "tensor/storage_view.h"

namespace gpukit::bindings {

namespace {

/// Equal keys mean one storage, as long as the tensors live.
std::pair<std::uintptr_t, std::size_t> storage_info(const py::object& tensor) {
  const Storage& storage = *to_tensor({"storage_info", "tensor"}, tensor.ptr()).storage();
  return {reinterpret_cast<std::uintptr_t>(&storage), storage.bytes()};
}

Tensor view(const py::object& base, const py::object& dtype, const py::object& size,
            const py::object& stride, const py::object& storage_offset) {
  constexpr const char* kOp = "storage_view";
  return storage_view(to_tensor({kOp, "base"}, base.ptr()), to_dtype({kOp, "dtype"}, dtype.ptr()),
                      to_dims({kOp, "size"}, size.ptr()), to_dims({kOp, "stride"}, stride.ptr()),
                      to_int64({kOp, "storage_offset"}, storage_offset.ptr()));
}

}  // namespace

void bind_storage(py::module_& module) {
  module.def("storage_info", storage_info, py::arg("tensor"),
             "(key, bytes) of the storage; tensors that share it have the same key.");
  module.def("storage_view", view, py::arg("base"), py::arg("dtype"), py::arg("size"),
             py::arg("stride"), py::arg("storage_offset"),
             "A tensor over base's storage in any dtype and layout that stays inside; ValueError "
             "for one that does not.");
}

}  // namespace gpukit::bindings
