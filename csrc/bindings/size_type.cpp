#include "bindings/size_type.h"

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/exceptions.h"
#include "bindings/python.h"

namespace gpukit::bindings {

namespace {

constexpr const char* kSizeDoc =
    "Size(sizes=())\n--\n\n"
    "The sizes of a tensor's dimensions: a tuple of ints with numel().\n\n"
    "Slices, sums and multiples of it are sizes too. It prints as the tuple that it is.\n\n"
    "Args:\n"
    "    sizes: ints.\n\n"
    "Raises:\n"
    "    TypeError: one of them is not an int.\n\n"
    "Example:\n"
    "    >>> import gpukit\n"
    "    >>> gpukit.ones(2, 3).shape + (4,)\n"
    "    (2, 3, 4)\n"
    "    >>> gpukit.Size([2, 3]).numel(), isinstance(gpukit.ones(2).shape, gpukit.Size)\n"
    "    (6, True)\n";

/// Released sizes of each rank, to be used again: as tuples are, which x.shape would else be slower
/// than. Guarded by the GIL.
struct Released {
  static constexpr Py_ssize_t kRanks = 6;
#ifdef Py_GIL_DISABLED
  static constexpr int kMost = 0;
#else
  static constexpr int kMost = 8;
#endif
  PyTupleObject* sizes[kRanks][kMost + 1];
  int counts[kRanks];
};
constinit Released released{};

PyTupleObject* released_or_new(Py_ssize_t count) {
  if (count < Released::kRanks && released.counts[count] > 0) [[likely]] {
    PyTupleObject* size = released.sizes[count][--released.counts[count]];
    return reinterpret_cast<PyTupleObject*>(
        PyObject_InitVar(reinterpret_cast<PyVarObject*>(size), size_type, count));
  }
  return PyObject_GC_NewVar(PyTupleObject, size_type, count);
}

/// A size whose items are still to be set, each once.
PyObject* allocate(Py_ssize_t count) {
  PyTupleObject* size = released_or_new(count);
  if (size == nullptr) throw_python_error();
  for (Py_ssize_t i = 0; i < count; ++i) size->ob_item[i] = nullptr;
#if PY_VERSION_HEX >= 0x030E0000
  size->ob_hash = -1;  // not computed yet
#endif
  return reinterpret_cast<PyObject*>(size);
}

/// The collector need not see it: ints make no cycles.
void size_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (PyObject_GC_IsTracked(self) != 0) PyObject_GC_UnTrack(self);
  const Py_ssize_t count = PyTuple_GET_SIZE(self);
  for (Py_ssize_t i = 0; i < count; ++i) Py_XDECREF(PyTuple_GET_ITEM(self, i));
  if (count < Released::kRanks && released.counts[count] < Released::kMost) {
    released.sizes[count][released.counts[count]++] = reinterpret_cast<PyTupleObject*>(self);
  } else {
    PyObject_GC_Del(self);
  }
  Py_DECREF(type);
}

/// A size with the items of a tuple, which is released.
PyObject* as_size(PyObject* tuple) {
  if (tuple == nullptr) return nullptr;
  return guarded([&] {
    const py::object items = owned(tuple);
    PyObject* size = allocate(PyTuple_GET_SIZE(tuple));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
      PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    return size;
  });
}

/// Size(sizes): every item as the int that it is.
PyObject* size_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject* sizes = nullptr;
    static const char* names[] = {"sizes", nullptr};
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Size", const_cast<char**>(names), &sizes) ==
        0)
      throw_python_error();
    const py::object given = owned(sizes == nullptr ? PyTuple_New(0) : PySequence_Tuple(sizes));
    const Py_ssize_t count = PyTuple_GET_SIZE(given.ptr());
    py::object size = owned(allocate(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = PyTuple_GET_ITEM(given.ptr(), i);
      if (PyIndex_Check(item) == 0) throw_wrong_type({"Size", "sizes"}, "ints", item);
      PyTuple_SET_ITEM(size.ptr(), i, checked(PyNumber_Index(item)));
    }
    return size.release().ptr();
  });
}

PyObject* size_item(PyObject* self, PyObject* key) {
  PyObject* item = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) != 0 && !(item != nullptr && Py_IS_TYPE(item, size_type))
             ? as_size(item)
             : item;
}

/// Also tuple + size; items that are no ints make it an error, as they do in Size().
PyObject* size_add(PyObject* left, PyObject* right) {
  if (PyTuple_Check(left) == 0 || PyTuple_Check(right) == 0) Py_RETURN_NOTIMPLEMENTED;
  PyObject* joined = PyTuple_Type.tp_as_sequence->sq_concat(left, right);
  if (joined == nullptr) return nullptr;
  PyObject* size = PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), joined);
  Py_DECREF(joined);
  return size;
}

PyObject* size_repeat(PyObject* self, Py_ssize_t count) {
  PyObject* repeated = PyTuple_Type.tp_as_sequence->sq_repeat(self, count);
  if (repeated != nullptr && Py_IS_TYPE(repeated, size_type)) return repeated;  // count is 1
  return as_size(repeated);
}

PyObject* numel(PyObject* self, PyObject*) {
  PyObject* product = PyLong_FromLong(1);
  for (Py_ssize_t i = 0; product != nullptr && i < PyTuple_GET_SIZE(self); ++i) {
    PyObject* next = PyNumber_Multiply(product, PyTuple_GET_ITEM(self, i));
    Py_DECREF(product);
    product = next;
  }
  return product;
}

/// How to pickle: Size((2, 3)).
PyObject* reduce(PyObject* self, PyObject*) {
  PyObject* sizes = PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self));
  return sizes == nullptr ? nullptr : Py_BuildValue("(O(N))", size_type, sizes);
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, "How to pickle: the type and a tuple."},
    {"numel", numel, METH_NOARGS,
     "The product of all sizes: how many elements there are.\n\n"
     "Example:\n    >>> import gpukit\n    >>> gpukit.ones(2, 3).shape.numel()\n    6\n"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void make_size_type() {
  static PyType_Slot slots[] = {{Py_tp_base, &PyTuple_Type},
                                {Py_tp_dealloc, reinterpret_cast<void*>(size_dealloc)},
                                {Py_tp_new, reinterpret_cast<void*>(size_new)},
                                {Py_mp_subscript, reinterpret_cast<void*>(size_item)},
                                {Py_nb_add, reinterpret_cast<void*>(size_add)},
                                {Py_sq_repeat, reinterpret_cast<void*>(size_repeat)},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, const_cast<char*>(kSizeDoc)},
                                {0, nullptr}};
  static PyType_Spec spec = {"gpukit.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  size_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
}

PyObject* to_size(const Shape& shape) {
  PyObject* size = allocate(shape.size());
  for (int i = 0; i < shape.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(shape[i]);
    if (number == nullptr) {
      Py_DECREF(size);
      throw_python_error();
    }
    PyTuple_SET_ITEM(size, i, number);
  }
  return size;
}

}  // namespace gpukit::bindings
