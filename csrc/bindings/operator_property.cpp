#include "bindings/operator_property.h"

#include <span>

#include "base/check.h"
#include "base/observer.h"
#include "bindings/operator_call.h"
#include "bindings/tensor_type.h"

namespace gpukit::bindings {

namespace {

const PropertyRow& property(int row) { return tensor_properties()[static_cast<std::size_t>(row)]; }

int row_index(const PropertyRow& row) {
  return static_cast<int>(&row - tensor_properties().data());
}

[[gnu::cold, gnu::noinline]] PyObject* observed_getter(PyObject* self, const PropertyRow& row) {
  return observed_call(operator_of(
                           OperatorKind::kProperty, concat(row.name, "(input)"),
                           [](PyObject* const* values, int index) {
                             return property(index).get(values[0], nullptr);
                           },
                           row_index(row)),
                       {self});
}

[[gnu::cold, gnu::noinline]] int observed_setter(PyObject* self, PyObject* value,
                                                 const PropertyRow& row) {
  const Operator& called = operator_of(
      OperatorKind::kProperty, concat("set_", row.name, "(input, value)"),
      [](PyObject* const* values, int index) -> PyObject* {
        if (property(index).set(values[0], values[1], nullptr) != 0) return nullptr;
        return Py_NewRef(Py_None);
      },
      row_index(row));
  return status_of_result(observed_call(called, {self, value}));
}

}  // namespace

PyObject* get_operator(PyObject* self, void* row) {
  const auto& property = *static_cast<const PropertyRow*>(row);
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_getter(self, property);
  return property.get(self, nullptr);
}

int set_operator(PyObject* self, PyObject* value, void* row) {
  const auto& property = *static_cast<const PropertyRow*>(row);
  // Deleting is refused before it is reported.
  if (is_observed(Observed::kOperators) && value != nullptr) [[unlikely]]
    return observed_setter(self, value, property);
  return property.set(self, value, nullptr);
}

}  // namespace gpukit::bindings
