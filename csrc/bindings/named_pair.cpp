#include "bindings/named_pair.h"

#include <pybind11/cast.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>

#include "bindings/exceptions.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace named_pair_impl {
namespace {

/// A function and the fields of its results; those not there are null.
struct ResultRow {
  std::string_view function;
  std::array<const char*, 4> fields;

  int count() const {
    return static_cast<int>(std::find(fields.begin(), fields.end(), nullptr) - fields.begin());
  }
};

constexpr ResultRow kResults[] = {
    {"cummax", {"values", "indices"}},
    {"cummin", {"values", "indices"}},
    {"frexp", {"mantissa", "exponent"}},
    {"kthvalue", {"values", "indices"}},
    {"mode", {"values", "indices"}},
    {"nanmedian", {"values", "indices"}},
    {"max", {"values", "indices"}},
    {"median", {"values", "indices"}},
    {"min", {"values", "indices"}},
    {"sort", {"values", "indices"}},
    {"topk", {"values", "indices"}},
    {"geqrf", {"a", "tau"}},
    {"lu_unpack", {"P", "L", "U"}},
    {"qr", {"Q", "R"}},
    {"slogdet", {"sign", "logabsdet"}},
    {"svd", {"U", "S", "V"}},
    {"triangular_solve", {"solution", "cloned_coefficient"}},
    {"linalg_cholesky_ex", {"L", "info"}},
    {"linalg_eig", {"eigenvalues", "eigenvectors"}},
    {"linalg_eigh", {"eigenvalues", "eigenvectors"}},
    {"linalg_inv_ex", {"inverse", "info"}},
    {"linalg_lstsq", {"solution", "residuals", "rank", "singular_values"}},
    {"linalg_lu", {"P", "L", "U"}},
    {"linalg_lu_factor", {"LU", "pivots"}},
    {"linalg_lu_factor_ex", {"LU", "pivots", "info"}},
    {"linalg_qr", {"Q", "R"}},
    {"linalg_slogdet", {"sign", "logabsdet"}},
    {"linalg_solve_ex", {"result", "info"}},
    {"linalg_svd", {"U", "S", "Vh"}},
};

const ResultRow* row_of(std::string_view function) {
  const auto* found = std::find_if(std::begin(kResults), std::end(kResults),
                                   [&](const ResultRow& row) { return row.function == function; });
  return found == std::end(kResults) ? nullptr : found;
}

const char* field_meaning(std::string_view field) {
  if (field == "values") return "The values.";
  if (field == "indices") return "Their indices along the dimension, int64.";
  return nullptr;
}

/// As torch writes it: each field on a line of its own.
PyObject* repr(PyObject* self) {
  std::string text = std::string(Py_TYPE(self)->tp_name) + "(";
  const ResultRow* row = row_of(text.substr(0, text.size() - 1).substr(text.rfind('.') + 1));
  for (int i = 0; row != nullptr && i < row->count(); ++i) {
    const py::object part = owned(PyObject_Repr(PyStructSequence_GetItem(self, i)));
    text += std::string(i == 0 ? "\n" : ",\n") + row->fields[static_cast<std::size_t>(i)] + "=" +
            py::str(part).cast<std::string>();
  }
  return PyUnicode_FromString((text + ")").c_str());
}

PyObject* guarded_repr(PyObject* self) {
  try {
    return repr(self);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// One type for each function; made on first use and kept.
PyTypeObject* type_of(const ResultRow& row) {
  static auto* const types = new std::map<std::string_view, PyTypeObject*>;
  if (const auto found = types->find(row.function); found != types->end()) return found->second;
  auto* const full_name = new std::string("gpukit.return_types." + std::string(row.function));
  auto* const fields = new std::array<PyStructSequence_Field, 5>{};
  for (std::size_t i = 0; static_cast<int>(i) < row.count(); ++i)
    (*fields)[i] = {row.fields[i], field_meaning(row.fields[i])};
  PyStructSequence_Desc description = {
      full_name->c_str(),
      std::string_view(row.fields[0]) == "values" ? "Values and their indices." : "Results.",
      fields->data(), row.count()};
  PyTypeObject* type = PyStructSequence_NewType(&description);
  if (type == nullptr) throw_python_error();
  type->tp_repr = guarded_repr;
  return types->emplace(row.function, type).first->second;
}

}  // namespace
}  // namespace named_pair_impl

py::object named_pair_type(std::string_view name) {
  const auto* row = named_pair_impl::row_of(name);
  if (row == nullptr) return py::none();
  return py::reinterpret_borrow<py::object>(
      reinterpret_cast<PyObject*>(named_pair_impl::type_of(*row)));
}

PyObject* named_pair(std::string_view name, Tensor values, Tensor indices) {
  return named_results(name, {std::move(values), std::move(indices)});
}

PyObject* named_results(std::string_view name, std::vector<Tensor> results) {
  py::object made =
      owned(PyStructSequence_New(named_pair_impl::type_of(*named_pair_impl::row_of(name))));
  for (std::size_t i = 0; i < results.size(); ++i)
    PyStructSequence_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), wrap(std::move(results[i])));
  return made.release().ptr();
}

}  // namespace gpukit::bindings
