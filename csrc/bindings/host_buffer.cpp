// The buffer protocol both ways: NumPy arrays as tensors without a copy, CPU tensors as buffers.
#include <pybind11/cast.h>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "bindings/gil.h"
#include "bindings/host_data.h"
#include "bindings/operator_call.h"
#include "bindings/tensor_type.h"
#include "tensor/factory.h"
#include "tensor/transfer_plan.h"

namespace gpukit::bindings {

namespace {

/// The dtype of a struct-module format of native byte order.
std::optional<DType> dtype_of_format(const Py_buffer& view) noexcept {
  std::string_view format = view.format != nullptr ? view.format : "B";
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format.empty()) return std::nullopt;
  if (format == "l") format = view.itemsize == 8 ? "q" : "i";
  if (format == "L") format = view.itemsize == 8 ? "Q" : "I";
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    const bool same_size = view.itemsize == kDTypes[i].itemsize;
    if (kDTypes[i].buffer_format == format && same_size) return static_cast<DType>(i);
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

void release_buffer(void* context) noexcept {
  with_gil_soon([](void* buffer) { delete static_cast<HeldBuffer*>(buffer); }, context);
}

std::unique_ptr<HeldBuffer> acquire(PyObject* object) {
  auto buffer = std::make_unique<HeldBuffer>();
  // RECORDS: shape, strides and format, but no rows through pointers, which no tensor can describe.
  buffer->held = PyObject_GetBuffer(object, &buffer->view, PyBUF_RECORDS_RO) == 0;
  if (buffer->held) return buffer;
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw_python_error();  // Ctrl-C, say
  PyErr_Clear();
  return nullptr;
}

/// What to write instead, by NumPy's one letter for a family of dtypes.
const char* conversion_of(const py::object& dtype) {
  const bool dated = dtype && has_attribute(dtype.ptr(), "kind") &&
                     std::string_view("mM").find(py::str(dtype.attr("kind")).cast<std::string>()) !=
                         std::string_view::npos;
  return dated ? "a.astype('int64'), which counts its units" : "a.astype('float32')";
}

[[noreturn]] void throw_bad_format(Argument argument, PyObject* object, const Py_buffer& view) {
  const auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "dtype"));
  if (!dtype) PyErr_Clear();
  const std::string found = dtype ? py::str(dtype).cast<std::string>()
                                  : std::string(view.format != nullptr ? view.format : "unknown");
  throw DTypeError(concat(argument.op, ": ", argument.name, " has element type ", found,
                          ", which gpukit does not have. Convert it first, e.g. ",
                          conversion_of(dtype)));
}

/// Sizes, and steps in bytes, of a buffer whose format is known.
struct BufferLayout {
  Shape shape;
  Strides steps;
};

[[noreturn]] void throw_bad_layout(Argument argument, std::string_view reason) {
  throw BufferError(concat(argument.op, ": ", argument.name, " exports a buffer ", reason,
                           ". Copy it first, e.g. by numpy.array(a)"));
}

Shape shape_of(Argument argument, const Py_buffer& view) {
  GPUKIT_CHECK(view.ndim <= kMaxRank, ShapeError, argument.op, ": ", argument.name, " has ",
               view.ndim, " dimensions; at most ", kMaxRank, " are possible");
  if (view.ndim == 1 && view.shape == nullptr) return Shape{view.len / view.itemsize};
  if (view.ndim < 0 || (view.ndim > 0 && view.shape == nullptr))
    throw_bad_layout(argument, "without a shape");
  Shape shape;
  std::int64_t bytes = view.itemsize;
  bool sound = true;
  for (int i = 0; i < view.ndim; ++i) {
    shape.push_back(view.shape[i]);
    sound = sound && view.shape[i] >= 0 && !__builtin_mul_overflow(bytes, shape[i], &bytes);
  }
  if (!sound || bytes != view.len)
    throw_bad_layout(argument, concat("of shape ", to_string(shape), " and ", view.len, " bytes"));
  if (bytes > 0 && view.buf == nullptr) throw_bad_layout(argument, "without an address");
  return shape;
}

/// Nothing may lie outside the address space, or later arithmetic overflows.
void check_reach(Argument argument, const Py_buffer& view, const BufferLayout& layout) {
  auto lowest = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.buf));
  std::int64_t end = lowest;
  bool outside = __builtin_add_overflow(end, view.itemsize, &end);
  for (int i = 0; i < layout.shape.size(); ++i) {
    std::int64_t reach = 0;
    outside = outside || __builtin_mul_overflow(layout.steps[i], layout.shape[i] - 1, &reach) ||
              __builtin_add_overflow(reach < 0 ? lowest : end, reach, reach < 0 ? &lowest : &end);
  }
  if (outside || lowest < 0) throw_bad_layout(argument, "whose strides leave the address space");
}

/// Exporters may leave strides out (ctypes does, and so do NumPy's scalars): the elements lie in C
/// order then.
BufferLayout layout_of(Argument argument, const Py_buffer& view) {
  BufferLayout layout{shape_of(argument, view), {}};
  layout.steps = contiguous_strides(layout.shape);
  for (int i = 0; i < layout.shape.size(); ++i) {
    const bool steps = view.strides != nullptr && layout.shape[i] > 1;
    layout.steps[i] = steps ? view.strides[i] : layout.steps[i] * view.itemsize;
    if (view.suboffsets != nullptr && view.suboffsets[i] >= 0)
      throw_bad_layout(argument, "whose rows lie behind pointers");
  }
  if (view.len > 0) check_reach(argument, view, layout);
  return layout;
}

/// False for fields of records and odd addresses, which no tensor can describe.
bool lies_on_whole_elements(const Py_buffer& view, const BufferLayout& layout) noexcept {
  const bool pairs = view.format != nullptr && view.format[0] == 'Z';  // complex numbers
  const auto size = static_cast<std::uintptr_t>(pairs ? view.itemsize / 2 : view.itemsize);
  bool whole = reinterpret_cast<std::uintptr_t>(view.buf) % size == 0;
  for (const std::int64_t step : layout.steps) whole = whole && step % view.itemsize == 0;
  return whole;
}

Tensor tensor_over(const BufferLayout& layout, std::unique_ptr<HeldBuffer> buffer, DType dtype) {
  const Py_buffer& view = buffer->view;
  const Shape& shape = layout.shape;
  Strides strides;
  for (const std::int64_t step : layout.steps) strides.push_back(step / view.itemsize);
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
};

/// NumPy's own int64 is the C type long where that has 64 bits; under another name it would show
/// its dtype.
const char* format_of(DType dtype) noexcept {
  const std::string_view code = dtype_info(dtype).buffer_format;
  if (sizeof(long) == 8 && code == "q") return "l";
  if (sizeof(long) == 8 && code == "Q") return "L";
  return code.data();  // a literal, which ends with 0
}

std::unique_ptr<ExportedBuffer> describe(const Tensor& tensor, int flags) {
  const auto refuse = [](const std::string& text) { throw BufferError("buffer: " + text); };
  check_has_values(tensor);
  if (!tensor.on_host())
    refuse(concat("the tensor is on ", to_string(tensor.device()), ". Use .cpu() first"));
  if (tensor.requires_grad()) refuse("the tensor requires a gradient. Use .detach() first");
  if (!is_in_numpy(tensor.dtype()))
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
    const bool formatted = (flags & PyBUF_FORMAT) == PyBUF_FORMAT;
    view->format = formatted ? const_cast<char*>(format_of(tensor.dtype())) : nullptr;
    view->ndim = tensor.rank();
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? exported->shape : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides : nullptr;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = Py_NewRef(self);
    return 0;
  });
}

/// Another library reads the elements, or writes them: an observer hears of it before it gets them.
[[gnu::cold, gnu::noinline]] int notify_buffer(PyObject* self) {
  return status_of_result(observed_slot("__buffer__(input)", {self},
                                        [](PyObject* const*, int) { return Py_NewRef(Py_None); }));
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if (is_observed(Observed::kOperators) && notify_buffer(self) < 0) [[unlikely]]
    return -1;
  const bool pending = tensor_of(self).storage()->pending() != nullptr;
  const int status = fill_buffer(self, view, flags);
  if (status < 0 && pending && PyErr_ExceptionMatches(PyExc_BufferError) == 0)
    remember_interrupt(tensor_of(self));
  return status;
}

void release_exported(PyObject*, Py_buffer* view) {
  delete static_cast<ExportedBuffer*>(view->internal);
}

/// Dates, text and records: their buffers are plain bytes that do not say what they mean.
bool is_numpy_non_number(PyObject* object) noexcept {
  return is_of_class(object, "numpy.generic") && !is_number(object);
}

Tensor read_as(const Tensor& bits, DType dtype) {
  return Tensor::make(bits.storage(), dtype, bits.shape(), bits.strides(), bits.offset());
}

/// NumPy makes no buffer of ml_dtypes' bfloat16, but of the same bytes as int16.
std::optional<Tensor> share_extension(Argument argument, PyObject* array) {
  if (!is_numpy_array(array)) return std::nullopt;
  const py::handle object(array);
  const auto name = py::str(object.attr("dtype")).cast<std::string>();
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_in_numpy(dtype) || dtype_info(dtype).name != name) continue;
    const std::string integer(gpukit::name(signed_integer(itemsize(dtype))));
    const py::object bits = object.attr("view")(integer);
    const auto shared = share_buffer(argument, bits.ptr());
    return shared.has_value() ? std::optional(read_as(*shared, dtype)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Tensor> share_buffer(Argument argument, PyObject* object) {
  if (PyObject_CheckBuffer(object) == 0) return std::nullopt;
  if (is_numpy_non_number(object)) throw_bad_format(argument, object, Py_buffer{});
  auto buffer = acquire(object);
  if (buffer == nullptr) {
    if (!is_numpy_array(object)) return std::nullopt;
    if (auto shared = share_extension(argument, object)) return shared;
    throw_bad_format(argument, object, Py_buffer{});
  }
  const std::optional<DType> dtype = dtype_of_format(buffer->view);
  if (!dtype.has_value()) throw_bad_format(argument, object, buffer->view);
  const BufferLayout layout = layout_of(argument, buffer->view);
  if (!lies_on_whole_elements(buffer->view, layout)) return std::nullopt;
  return tensor_over(layout, std::move(buffer), *dtype);
}

Tensor tensor_over_bytes(Argument argument, PyObject* object, DType dtype, std::int64_t count,
                         std::int64_t offset) {
  auto buffer = PyObject_CheckBuffer(object) != 0 ? acquire(object) : nullptr;
  if (buffer == nullptr)
    throw_wrong_type(argument, "a buffer such as bytes or a memoryview", object);
  const Py_buffer& view = buffer->view;
  // Without strides it is contiguous by definition; what asks CPython then needs a shape.
  GPUKIT_CHECK(view.strides == nullptr || PyBuffer_IsContiguous(&view, 'C') != 0, ValueError,
               argument.op, ": ", argument.name, " is not contiguous. Copy it first");
  GPUKIT_CHECK(view.len >= 0 && (view.buf != nullptr || view.len == 0), BufferError, argument.op,
               ": ", argument.name, " exports a buffer without an address");
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  GPUKIT_CHECK(offset >= 0 && offset <= view.len, ValueError, argument.op, ": offset is ", offset,
               ", the buffer has ", view.len, " bytes");
  const std::int64_t room = view.len - offset;
  GPUKIT_CHECK(count >= 0 || (count == -1 && room % size == 0), ValueError, argument.op,
               ": count is ", count, "; the ", room,
               " bytes are not a whole number of elements of ", name(dtype), " (", size,
               " bytes each)");
  GPUKIT_CHECK(count <= room / size, ValueError, argument.op, ": count is ", count,
               ", but the buffer holds ", room / size, " elements of ", name(dtype));
  auto* data = static_cast<std::byte*>(view.buf) + offset;
  const bool read_only = view.readonly != 0;
  const Shape shape{count == -1 ? room / size : count};
  Tensor tensor = from_host_memory(data, dtype, shape, contiguous_strides(shape), release_buffer,
                                   buffer.release());
  if (read_only) tensor.storage()->mark_read_only();
  return tensor;
}

PyObject* bits_of(const Tensor& tensor) {
  return wrap(read_as(tensor, signed_integer(itemsize(tensor.dtype()))));
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
