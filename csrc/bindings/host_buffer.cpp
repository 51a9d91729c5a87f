// The buffer protocol both ways: NumPy arrays as tensors without a copy, CPU tensors as buffers.
#include <pybind11/cast.h>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "bindings/gil.h"
#include "bindings/host_data.h"
#include "bindings/tensor_type.h"
#include "tensor/factory.h"

namespace gpukit::bindings {

namespace {

struct Format {
  char code;
  DType dtype;
};

constexpr std::array<Format, 12> kFormats = {{{'?', DType::kBool},
                                              {'B', DType::kUInt8},
                                              {'b', DType::kInt8},
                                              {'H', DType::kUInt16},
                                              {'h', DType::kInt16},
                                              {'I', DType::kUInt32},
                                              {'i', DType::kInt32},
                                              {'Q', DType::kUInt64},
                                              {'q', DType::kInt64},
                                              {'e', DType::kFloat16},
                                              {'f', DType::kFloat32},
                                              {'d', DType::kFloat64}}};

/// The dtype of a struct-module format of native byte order.
std::optional<DType> dtype_of_format(const Py_buffer& view) noexcept {
  std::string_view format = view.format != nullptr ? view.format : "B";
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format.size() != 1) return std::nullopt;
  char code = format[0];
  if (code == 'l') code = view.itemsize == 8 ? 'q' : 'i';
  if (code == 'L') code = view.itemsize == 8 ? 'Q' : 'I';
  for (const Format& known : kFormats) {
    const bool same_size = static_cast<std::size_t>(view.itemsize) == itemsize(known.dtype);
    if (known.code == code && same_size) return known.dtype;
  }
  return std::nullopt;
}

struct HeldBuffer {
  Py_buffer view{};
  bool held = false;
  ~HeldBuffer() {
    if (held) PyBuffer_Release(&view);
  }
};

void release_with_gil(void* context) { delete static_cast<HeldBuffer*>(context); }
void release_buffer(void* context) noexcept { with_gil_soon(release_with_gil, context); }

std::unique_ptr<HeldBuffer> acquire(PyObject* object) {
  auto buffer = std::make_unique<HeldBuffer>();
  buffer->held = PyObject_GetBuffer(object, &buffer->view, PyBUF_FULL_RO) == 0;
  if (!buffer->held) {
    PyErr_Clear();
    return nullptr;
  }
  return buffer;
}

[[noreturn]] void throw_bad_format(Place place, PyObject* object, const Py_buffer& view) {
  const auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "dtype"));
  if (!dtype) PyErr_Clear();
  const std::string found = dtype ? py::str(dtype).cast<std::string>()
                                  : std::string(view.format != nullptr ? view.format : "unknown");
  throw DTypeError(
      concat(place.op, ": ", place.argument, " has element type ", found,
             ", which gpukit does not have. Convert it first, e.g. a.astype('float32')"));
}

/// False for fields of records and odd addresses, which no tensor can describe.
bool lies_on_whole_elements(const Py_buffer& view) noexcept {
  const auto size = static_cast<std::uintptr_t>(view.itemsize);
  bool whole = reinterpret_cast<std::uintptr_t>(view.buf) % size == 0;
  for (int i = 0; i < view.ndim; ++i) whole = whole && view.strides[i] % view.itemsize == 0;
  return whole;
}

Tensor tensor_over(Place place, std::unique_ptr<HeldBuffer> buffer, DType dtype) {
  const Py_buffer& view = buffer->view;
  GPUKIT_CHECK(view.ndim <= kMaxRank, ShapeError, place.op, ": ", place.argument, " has ",
               view.ndim, " dimensions; at most ", kMaxRank, " are possible");
  Shape shape;
  Strides strides;
  for (int i = 0; i < view.ndim; ++i) {
    shape.push_back(view.shape[i]);
    strides.push_back(view.strides[i] / view.itemsize);
  }
  const bool read_only = view.readonly != 0;
  void* data = view.buf;
  Tensor tensor = from_host_memory(data, dtype, shape, strides, release_buffer, buffer.release());
  if (read_only) tensor.storage()->mark_read_only();
  return tensor;
}

// ---- CPU tensors as buffers ----

/// What a consumer's Py_buffer points to.
struct ExportedBuffer {
  Tensor tensor;
  Py_ssize_t shape[kMaxRank];
  Py_ssize_t strides[kMaxRank];
  char format[2];
};

char format_of(DType dtype) noexcept {
  for (const Format& known : kFormats) {
    // NumPy's own int64 is the C type long where that has 64 bits; under another name it would
    // show its dtype.
    if (known.code == 'q' && known.dtype == dtype && sizeof(long) == 8) return 'l';
    if (known.code == 'Q' && known.dtype == dtype && sizeof(long) == 8) return 'L';
    if (known.dtype == dtype) return known.code;
  }
  return 0;
}

std::unique_ptr<ExportedBuffer> describe(const Tensor& tensor, int flags) {
  const auto refuse = [](const std::string& text) { throw BufferError("buffer: " + text); };
  if (!tensor.is_cpu())
    refuse(concat("the tensor is on ", to_string(tensor.device()), ". Use .cpu() first"));
  if (tensor.requires_grad()) refuse("the tensor requires a gradient. Use .detach() first");
  if (format_of(tensor.dtype()) == 0)
    refuse(concat(name(tensor.dtype()), " has no buffer format. Use .float() first"));
  const bool writable = (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE;
  if (writable && tensor.storage()->read_only())
    refuse("the memory is read-only. Use .clone() first");
  if (!tensor.storage()->read_only()) tensor.storage()->wait_for_readers();
  const bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool wants_c = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS || !strided;
  if (wants_c && !tensor.is_contiguous())
    refuse("the tensor is not contiguous. Use .contiguous() first");
  auto exported = std::make_unique<ExportedBuffer>();
  exported->tensor = tensor;
  const auto size = static_cast<Py_ssize_t>(itemsize(tensor.dtype()));
  for (int i = 0; i < tensor.rank(); ++i) {
    exported->shape[i] = static_cast<Py_ssize_t>(tensor.size(i));
    exported->strides[i] = static_cast<Py_ssize_t>(tensor.strides()[i]) * size;
  }
  exported->format[0] = format_of(tensor.dtype());
  exported->format[1] = 0;
  return exported;
}

// NumPy drops whatever exception the buffer protocol raises and asks __array__ next. A Ctrl-C that
// ended our wait for the bytes must not be lost so.
struct DroppedInterrupt {
  const TensorImpl* tensor = nullptr;
  PyObject* type = nullptr;
  PyObject* arguments = nullptr;  // not the exception, whose traceback holds frames
  std::chrono::steady_clock::time_point when;
} dropped;  // guarded by the GIL

void remember_interrupt(const Tensor& tensor) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XSETREF(dropped.type, Py_XNewRef(type));
  Py_XSETREF(dropped.arguments, PyObject_GetAttrString(value, "args"));
  dropped.tensor = tensor.impl();
  dropped.when = std::chrono::steady_clock::now();
  PyErr_Restore(type, value, trace);
}

int fill_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded_or(-1, [&] {
    auto exported = describe(tensor_of(self), flags);
    const Tensor& tensor = exported->tensor;
    view->buf = tensor.data();
    view->len = static_cast<Py_ssize_t>(tensor.bytes());
    view->readonly = tensor.storage()->read_only() ? 1 : 0;
    view->itemsize = static_cast<Py_ssize_t>(itemsize(tensor.dtype()));
    view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? exported->format : nullptr;
    view->ndim = tensor.rank();
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? exported->shape : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides : nullptr;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = Py_NewRef(self);
    return 0;
  });
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  const bool arriving = tensor_of(self).storage()->arriving() != nullptr;
  const int status = fill_buffer(self, view, flags);
  if (status < 0 && arriving && PyErr_ExceptionMatches(PyExc_BufferError) == 0)
    remember_interrupt(tensor_of(self));
  return status;
}

void release_exported(PyObject*, Py_buffer* view) {
  delete static_cast<ExportedBuffer*>(view->internal);
}

bool is_numpy_array(PyObject* object) noexcept {
  return std::string_view(Py_TYPE(object)->tp_name) == "numpy.ndarray";
}

Tensor as_bfloat16(const Tensor& bits) {
  return Tensor::make(bits.storage(), DType::kBFloat16, bits.shape(), bits.strides(),
                      bits.offset());
}

/// NumPy makes no buffer of ml_dtypes' bfloat16, but of the same bytes as int16.
std::optional<Tensor> share_bfloat16(Place place, PyObject* array) {
  if (!is_numpy_array(array)) return std::nullopt;
  const py::handle object(array);
  if (py::str(object.attr("dtype")).cast<std::string>() != "bfloat16") return std::nullopt;
  const auto bits = share_buffer(place, object.attr("view")("int16").ptr());
  return bits.has_value() ? std::optional(as_bfloat16(*bits)) : std::nullopt;
}

}  // namespace

std::optional<Tensor> share_buffer(Place place, PyObject* object) {
  if (PyObject_CheckBuffer(object) == 0) return std::nullopt;
  auto buffer = acquire(object);
  if (buffer == nullptr) {
    if (!is_numpy_array(object)) return std::nullopt;
    if (auto shared = share_bfloat16(place, object)) return shared;
    throw_bad_format(place, object, Py_buffer{});
  }
  const std::optional<DType> dtype = dtype_of_format(buffer->view);
  if (!dtype.has_value()) throw_bad_format(place, object, buffer->view);
  if (!lies_on_whole_elements(buffer->view)) return std::nullopt;
  return tensor_over(place, std::move(buffer), *dtype);
}

Tensor tensor_over_bytes(Place place, PyObject* object, DType dtype, std::int64_t count,
                         std::int64_t offset) {
  auto buffer = PyObject_CheckBuffer(object) != 0 ? acquire(object) : nullptr;
  if (buffer == nullptr) throw_wrong_type(place, "a buffer such as bytes or a memoryview", object);
  const Py_buffer& view = buffer->view;
  GPUKIT_CHECK(PyBuffer_IsContiguous(&view, 'C') != 0, ValueError, place.op, ": ", place.argument,
               " is not contiguous. Copy it first");
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  GPUKIT_CHECK(offset >= 0 && offset <= view.len, ValueError, place.op, ": offset is ", offset,
               ", the buffer has ", view.len, " bytes");
  const std::int64_t room = view.len - offset;
  GPUKIT_CHECK(count >= 0 || (count == -1 && room % size == 0), ValueError, place.op, ": count is ",
               count, "; the ", room, " bytes are no whole elements of ", name(dtype), " (", size,
               " bytes each)");
  GPUKIT_CHECK(count <= room / size, ValueError, place.op, ": count is ", count,
               ", but the buffer holds ", room / size, " elements of ", name(dtype));
  auto* data = static_cast<std::byte*>(view.buf) + offset;
  const bool read_only = view.readonly != 0;
  const Shape shape{count == -1 ? room / size : count};
  Tensor tensor = from_host_memory(data, dtype, shape, contiguous_strides(shape), release_buffer,
                                   buffer.release());
  if (read_only) tensor.storage()->mark_read_only();
  return tensor;
}

PyObject* bits_of_bfloat16(const Tensor& tensor) {
  return wrap(Tensor::make(tensor.storage(), DType::kInt16, tensor.shape(), tensor.strides(),
                           tensor.offset()));
}

void raise_dropped_interrupt(const Tensor& tensor) {
  constexpr auto kMeanwhile = std::chrono::milliseconds(5);
  if (dropped.type == nullptr) return;
  const auto type = py::reinterpret_steal<py::object>(std::exchange(dropped.type, nullptr));
  const auto arguments =
      py::reinterpret_steal<py::object>(std::exchange(dropped.arguments, nullptr));
  const bool ours = dropped.tensor == tensor.impl() &&
                    std::chrono::steady_clock::now() - dropped.when < kMeanwhile;
  if (!ours) return;
  PyErr_SetObject(type.ptr(), arguments.ptr());
  throw_python_error();
}

void add_buffer_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)});
  slots.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(release_exported)});
}

}  // namespace gpukit::bindings
