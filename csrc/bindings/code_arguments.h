// The arguments of a user's kernel: Python values as the bytes that its parameters take.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/device_code.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// What a parameter takes, as far as the code tells.
enum class ParameterKind : std::uint8_t {
  kInteger,  ///< .u32, .s64 …; an address where it has eight bytes
  kFloat,    ///< .f32, .f64
  kStruct,   ///< .b8 name[n]: a struct by value, a half
  kUntyped,  ///< .b32 …, or of a cubin: of known size
};

struct Parameter {
  ParameterKind kind;
  std::size_t bytes;
};

/// The parameters of a kernel. Not `known` for a cubin if the driver does not report them: then a
/// value decides by its type, as in CuPy.
struct Parameters {
  bool known = false;
  std::vector<Parameter> all;
};

/// The index of the first tensor on a GPU among the arguments, or -1.
Py_ssize_t find_device_tensor(PyObject* arguments);

/// One launch's arguments. Made with the GIL, each checked by the parameter it is for; addresses of
/// tensors are read by fill(), on the launching thread, with or without it.
class CodeArguments {
 public:
  /// `arguments` is a tuple or list. Throws TypeError, RangeError, DeviceMismatchError … naming
  /// kernel, position and value. Tensors have to be on `device`.
  CodeArguments(const std::string& kernel, const Parameters& parameters, PyObject* arguments,
                const OpenDevice& device);

  const std::vector<Tensor>& tensors() const noexcept { return tensors_; }
  /// What the driver reads; valid until the next call.
  void** fill();

 private:
  struct Slot {
    std::size_t start;      ///< in bytes_
    std::ptrdiff_t tensor;  ///< in tensors_, or -1
  };

  void add(const void* value, std::size_t bytes);
  void add_tensor(const Tensor& tensor);

  friend class ArgumentReader;

  std::vector<std::byte> bytes_;
  std::vector<Slot> slots_;
  std::vector<Tensor> tensors_;
  std::vector<void*> addresses_;
};

/// An int, or one to three ints: blocks of a grid or threads of a block, each 1 to its limit.
/// `argument` is "grid" or "block".
Extent3 to_extent(const std::string& kernel, const char* name, PyObject* value,
                  const std::array<std::int64_t, 3>& limits);

}  // namespace gpukit::bindings
