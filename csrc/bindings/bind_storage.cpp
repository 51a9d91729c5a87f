// The storage of a tensor, for saving and loading. Private to gpukit's own Python.
#include <utility>

#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/tensor_type.h"
#include "bindings/work.h"
#include "cpu/crc32.h"
#include "tensor/shared_memory.h"
#include "tensor/storage_view.h"

namespace gpukit::bindings {

namespace {

constexpr double kNsPerByte = 0.1;

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

/// A buffer's bytes, without a copy.
class Bytes {
 public:
  explicit Bytes(const py::object& object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw_python_error();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  const void* data() const noexcept { return view_.buf; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

std::uint32_t crc32(const py::object& data, std::uint32_t value) {
  const Bytes bytes(data);
  const bool release = static_cast<double>(bytes.size()) * kNsPerByte > kShortWorkNs;
  return run(release, [&] { return cpu::crc32(value, bytes.data(), bytes.size()); });
}

}  // namespace

template <>
void bind<Part::kStorage>(py::module_& module) {
  module.def("crc32", crc32, py::arg("data"), py::arg("value") = 0,
             "zlib.crc32, several times as fast. Other threads run meanwhile.");
  module.def("storage_info", storage_info, py::arg("tensor"),
             "(key, bytes) of the storage; tensors that share it have the same key.");
  module.def("storage_view", view, py::arg("base"), py::arg("dtype"), py::arg("size"),
             py::arg("stride"), py::arg("storage_offset"),
             "A tensor over base's storage in any dtype and layout that stays inside; ValueError "
             "for one that does not.");
  // The GIL stays held: a thread that computes with the bytes must not run while they move.
  module.def(
      "move_to_shared_memory", move_to_shared_memory, py::arg("tensor"), py::arg("file"),
      py::arg("keep"),
      "Moves the storage of a CPU tensor into the memory behind a file descriptor, which the "
      "storage owns afterwards. keep: the memory that it had lives as long.");
  module.def("map_shared_memory", map_shared_memory, py::arg("file"),
             "The memory behind a file descriptor, as bytes. Takes the descriptor.");
  module.def(
      "shared_memory_of", shared_memory_of, py::arg("tensor"),
      "The file descriptor of the tensor's shared memory, which stays the storage's, or -1.");
}

}  // namespace gpukit::bindings
