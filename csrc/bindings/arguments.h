// Python arguments as C++ values. Every failure is a typed error that names operation, argument and
// value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/exceptions.h"
#include "bindings/tensor_object.h"
#include "core/device.h"
#include "core/dtype.h"
#include "core/scalar.h"
#include "core/shape.h"

namespace gpukit::bindings {

/// Whose argument is read: for messages.
struct Argument {
  std::string_view op;
  std::string_view name;
};

/// "'abc' (str)", long values cut.
std::string describe_value(PyObject* value);

/// What to do about an object of torch's where gpukit's own is needed; "" for all other objects.
std::string torch_advice(PyObject* value);
/// "sum: dim must be an int, got 'x' (str)".
[[noreturn]] void throw_wrong_type(Argument argument, std::string_view wanted, PyObject* value);

bool to_bool(Argument argument, PyObject* value);
/// Anything with __index__ but bool. Throws ValueError beyond int64.
std::int64_t to_int64(Argument argument, PyObject* value);
double to_double(Argument argument, PyObject* value);
std::string to_text(Argument argument, PyObject* value);
/// A Python or NumPy number.
Scalar to_scalar(Argument argument, PyObject* value);
/// The same for use beside `dtype`: ints from 2^63 on are taken where it is uint64.
Scalar to_scalar(Argument argument, PyObject* value, DType dtype);
/// The same for a number that is written into a tensor of `dtype`. Throws RangeError where it does
/// not fit.
Scalar to_stored(Argument argument, PyObject* value, DType dtype);
/// Throws RangeError for a number that `dtype` cannot hold.
void check_fits(Argument argument, Scalar number, DType dtype);
/// The same for the bounds of clamp, in the dtype of its result.
void check_bounds(std::string_view op, DType dtype, const std::optional<Scalar>& low,
                  const std::optional<Scalar>& high);
/// to_scalar, and the value of a tensor of one element. Throws ShapeError for another tensor.
Scalar to_value(Argument argument, PyObject* value, DType dtype);
/// to_stored, of a tensor of one element too.
Scalar to_stored_value(Argument argument, PyObject* value, DType dtype);
bool is_number(PyObject* value) noexcept;
/// A Python or NumPy integer; no bool, tensor or array.
bool is_integer(PyObject* value) noexcept;
/// A NumPy scalar that is one real number or a bool; complex numbers, dates and text are not.
bool is_numpy_scalar(PyObject* value) noexcept;
/// An array of NumPy, or of a class derived from it: a matrix, a masked array.
bool is_numpy_array(PyObject* object) noexcept;
/// True for an instance of the class of C that has this full name, or of a class derived from it.
/// For classes of modules that may not be there.
bool is_of_class(PyObject* object, std::string_view name) noexcept;
/// The dtype of a NumPy scalar; nothing for all else.
std::optional<DType> numpy_scalar_dtype(PyObject* value) noexcept;
/// An int, or a list or tuple of ints.
Dims to_dims(Argument argument, PyObject* value);
/// So many ints, one a dimension.
Dims to_dims(Argument argument, PyObject* const* values, Py_ssize_t count);
const Tensor& to_tensor(Argument argument, PyObject* value);
std::vector<Tensor> to_tensors(Argument argument, PyObject* value);

/// A gpukit.dtype, a name, a NumPy dtype or scalar class, or Python's bool, int, float.
DType to_dtype(Argument argument, PyObject* value);
/// The same of a gpukit.dtype and of an exact name; nothing for all else.
std::optional<DType> find_dtype(PyObject* value);
/// True for what to_dtype reads. Of a text: for the name of a dtype, also where its number is
/// wrong.
bool looks_like_dtype(PyObject* value) noexcept;
/// The singleton of the dtype. A new reference.
PyObject* new_object(DType dtype) noexcept;

/// A gpukit.device, a text or an index.
Device to_device(Argument argument, PyObject* value);
bool looks_like_device(PyObject* value) noexcept;
/// The interned object of a device. A new reference.
PyObject* new_object(Device device);
/// The device with its index filled in; a CUDA device gets what GPUKIT_SIMULATE asks for before
/// first use.
Device resolved(Device device);
/// Where a creation function puts its result: `value` or the default device.
Device creation_device(Argument argument, PyObject* value_or_null);

PyObject* to_tuple(const Dims& dims);
PyObject* from_scalar(Scalar value);

}  // namespace gpukit::bindings
