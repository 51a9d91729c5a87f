#include "bindings/named_pair.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "bindings/exceptions.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

/// The functions whose results are pairs.
constexpr std::string_view kNames[] = {"max", "median", "min", "sort", "topk"};

PyStructSequence_Field fields[] = {{"values", "The values."},
                                   {"indices", "Their indices along the dimension, int64."},
                                   {nullptr, nullptr}};

/// One type for each function; made on first use and kept.
PyTypeObject* pair_type(std::string_view name) {
  static auto* const types = new std::map<std::string, PyTypeObject*, std::less<>>;
  if (const auto found = types->find(name); found != types->end()) return found->second;
  auto* const full_name = new std::string("gpukit.return_types." + std::string(name));
  PyStructSequence_Desc description = {full_name->c_str(), "Values and their indices.", fields, 2};
  PyTypeObject* type = PyStructSequence_NewType(&description);
  if (type == nullptr) throw_python_error();
  // As torch writes it: each field on a line of its own.
  type->tp_repr = [](PyObject* self) {
    return PyUnicode_FromFormat("%s(\nvalues=%R,\nindices=%R)", Py_TYPE(self)->tp_name,
                                PyStructSequence_GetItem(self, 0),
                                PyStructSequence_GetItem(self, 1));
  };
  return types->emplace(std::string(name), type).first->second;
}

}  // namespace

py::object named_pair_type(std::string_view name) {
  const bool known = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  if (!known) return py::none();
  return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(pair_type(name)));
}

PyObject* named_pair(std::string_view name, Tensor values, Tensor indices) {
  py::object pair = owned(PyStructSequence_New(pair_type(name)));
  PyStructSequence_SetItem(pair.ptr(), 0, wrap(std::move(values)));
  PyStructSequence_SetItem(pair.ptr(), 1, wrap(std::move(indices)));
  return pair.release().ptr();
}

}  // namespace gpukit::bindings
