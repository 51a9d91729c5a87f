// All table functions, gpukit.Tensor, and the list of entry points.
#include <algorithm>

#include "base/check.h"
#include "bindings/bind.h"
#include "bindings/docstring.h"
#include "bindings/host_data.h"
#include "bindings/named_pair.h"
#include "bindings/signature.h"
#include "bindings/signature_text.h"
#include "bindings/size_type.h"
#include "bindings/target.h"
#include "bindings/tensor_type.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

/// Name, signature, where it is ("function", "method" or "both"), and whether it may wait for a
/// device.
py::list entry_points() {
  py::list all;
  for (FunctionTable* table : all_function_tables()) {
    for (std::size_t row = 0; row < table->rows().size(); ++row) {
      const unsigned where = table->rows()[row].where;
      if ((where & kBoth) == 0) continue;
      const char* kind = (where & kBoth) == kBoth ? "both"
                         : (where & kMethod) != 0 ? "method"
                                                  : "function";
      all.append(py::make_tuple(table->signature(row).name(), table->signature(row).text(), kind,
                                (where & kWaits) != 0));
    }
  }
  return all;
}

/// Name, class of cost, and the elements up to which a call on the CPU keeps the GIL.
py::list row_costs() {
  py::list all;
  for (FunctionTable* table : all_function_tables()) {
    for (const FunctionRow& row : table->rows())
      all.append(
          py::make_tuple(name_in(row.signature), row.cost.name, GilRule(row.cost).longest_kept()));
  }
  return all;
}

/// The functions that are names of gpukit.
py::list public_functions() {
  py::list names;
  for (FunctionTable* table : all_function_tables()) {
    for (const FunctionRow& row : table->rows()) {
      if ((row.where & (kFunction | kInner)) == kFunction) names.append(name_in(row.signature));
    }
  }
  return names;
}

/// The signatures of a row: of its overloads, or its own.
py::list signatures_of(const FunctionRow& row, bool method) {
  py::list texts;
  if (row.overloads == nullptr) {
    texts.append(typed_signature(row.signature, method, row.input_type));
    return texts;
  }
  for (std::string_view rest = row.overloads; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    texts.append(typed_signature(concat(name_in(row.signature), line), method, row.input_type));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return texts;
}

/// For tools/make_stubs.py: (kind, name, typed signatures, meaning).
py::list stub_rows() {
  py::list all;
  for (FunctionTable* table : all_function_tables()) {
    for (const FunctionRow& row : table->rows()) {
      for (const bool method : {false, true}) {
        if ((row.where & (method ? kMethod : kFunction)) == 0) continue;
        all.append(py::make_tuple(method ? "method" : "function", name_in(row.signature),
                                  signatures_of(row, method), row.doc));
      }
    }
  }
  for (const PropertyRow& row : tensor_properties()) {
    py::list types;
    types.append(row.type);
    all.append(py::make_tuple(row.set != nullptr ? "settable property" : "property", row.name,
                              types, row.doc));
  }
  return all;
}

DType dtype_of_operand(Argument argument, PyObject* value) {
  if (is_tensor(value)) return tensor_of(value).dtype();
  return to_dtype(argument, value);
}

/// The dtype of a tensor of the number.
DType dtype_of_number(Argument argument, PyObject* value) {
  switch (to_scalar(argument, value).kind()) {
    case DTypeKind::kBool:
      return DType::kBool;
    case DTypeKind::kInteger:
      return DType::kInt64;
    default:
      return ops::default_floating();
  }
}

py::object as_object(DType dtype) { return py::reinterpret_steal<py::object>(new_object(dtype)); }

bool can_cast(DType from, DType to) { return kind_of(from) <= kind_of(to); }

py::object result_type(const py::object& first, const py::object& second) {
  const Argument arguments[] = {{"result_type", "tensor1"}, {"result_type", "tensor2"}};
  PyObject *a = first.ptr(), *b = second.ptr();
  if (is_number(a) && is_number(b))
    return as_object(promote(dtype_of_number(arguments[0], a), dtype_of_number(arguments[1], b)));
  if (is_tensor(a) && is_tensor(b)) return as_object(ops::result_dtype(tensor_of(a), tensor_of(b)));
  if (is_tensor(a) && is_number(b))
    return as_object(ops::result_dtype(tensor_of(a), to_scalar(arguments[1], b)));
  if (is_number(a) && is_tensor(b))
    return as_object(ops::result_dtype(tensor_of(b), to_scalar(arguments[0], a)));
  return as_object(promote(dtype_of_operand(arguments[0], a), dtype_of_operand(arguments[1], b)));
}

py::tuple parse_target(const std::string& function, const std::string& argument,
                       const py::object& value) {
  const NamedTarget target = to_target({function, argument}, value.ptr());
  py::object device = py::none(), dtype = py::none();
  if (target.device) device = py::reinterpret_steal<py::object>(new_object(*target.device));
  if (target.dtype) dtype = py::reinterpret_steal<py::object>(new_object(*target.dtype));
  return py::make_tuple(device, dtype);
}

void add_dtype_functions(py::module_& module) {
  module.def("parse_target", parse_target, py::arg("function"), py::arg("argument"),
             py::arg("value"),
             "(device, dtype) of a device, a dtype or a tensor; None for what it does not name.");
  module.def(
      "set_default_dtype",
      [](const py::object& d) {
        ops::set_default_floating(to_dtype({"set_default_dtype", "d"}, d.ptr()));
      },
      py::arg("d"),
      "Sets the floating dtype of new tensors when none is named. Process wide.\n\n"
      "Args:\n"
      "    d: a floating dtype or its name.\n\n"
      "Raises:\n"
      "    DTypeError: it is another one.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.set_default_dtype(gpukit.float32)\n");
  module.def(
      "get_default_dtype", [] { return as_object(ops::default_floating()); },
      "The floating dtype of new tensors when none is named.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.get_default_dtype()\n    gpukit.float32\n");
  module.def(
      "promote_types",
      [](const py::object& type1, const py::object& type2) {
        return as_object(promote(to_dtype({"promote_types", "type1"}, type1.ptr()),
                                 to_dtype({"promote_types", "type2"}, type2.ptr())));
      },
      py::arg("type1"), py::arg("type2"),
      "The dtype that holds the results of two dtypes.\n\n"
      "Args:\n"
      "    type1: a dtype or its name.\n"
      "    type2: another one.\n\n"
      "Raises:\n"
      "    DTypeError: there is no such dtype, or none for both.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.promote_types(gpukit.int64, "
      "gpukit.float32)\n    gpukit.float32\n");
  module.def("result_type", result_type, py::arg("tensor1"), py::arg("tensor2"),
             "The dtype of an operation on two tensors, dtypes or numbers.\n\n"
             "Args:\n"
             "    tensor1: a tensor, a dtype or a number.\n"
             "    tensor2: likewise.\n\n"
             "Raises:\n"
             "    DTypeError: there is no dtype for both.\n\n"
             "Example:\n    >>> import gpukit\n    >>> gpukit.result_type(gpukit.ones(2), 1)\n    "
             "gpukit.float32\n");
  module.def(
      "can_cast",
      [](const py::object& from, const py::object& to) {
        return can_cast(to_dtype({"can_cast", "from_"}, from.ptr()),
                        to_dtype({"can_cast", "to"}, to.ptr()));
      },
      py::arg("from_"), py::arg("to"),
      "True when an in-place operation may store one dtype in another: the kind does not fall.\n\n"
      "Args:\n"
      "    from_: a dtype or its name.\n"
      "    to: another one.\n\n"
      "Raises:\n"
      "    DTypeError: there is no such dtype.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.can_cast(gpukit.float32, gpukit.int64)\n    "
      "False\n");
}

}  // namespace

template <>
void bind<Part::kFunctions>(py::module_& module) {
  make_size_type();
  module.attr("Size") = py::handle(reinterpret_cast<PyObject*>(size_type));
  make_tensor_type();
  module.attr("Tensor") = py::handle(reinterpret_cast<PyObject*>(tensor_type));
  for (FunctionTable* table : all_function_tables()) table->add_functions(module);
  add_dtype_functions(module);
  module.def(
      "tensor_from_bytes",
      [](const py::bytes& data, const py::object& dtype, const py::object& shape) {
        return tensor_from_bytes(std::string_view(data),
                                 to_dtype({"tensor_from_bytes", "dtype"}, dtype.ptr()),
                                 to_dims({"tensor_from_bytes", "shape"}, shape.ptr()));
      },
      py::arg("data"), py::arg("dtype"), py::arg("shape"),
      "A CPU tensor with these bytes as its elements.");
  module.def(
      "return_type",
      [](const py::object& name) {
        return named_pair_type(to_text({"return_type", "name"}, name.ptr()));
      },
      py::arg("name"), "The type of what max(dim), median, min, sort or topk gives, else None.");
  module.def("public_functions", public_functions, "The functions that are names of gpukit.");
  module.def("stub_rows", stub_rows,
             "What the stub says of functions and members of Tensor: (kind, name, typed "
             "signatures, meaning).");
  module.def(
      "row_costs", row_costs,
      "Every row of the tables: (name, class of cost, the elements up to which a call on the "
      "CPU keeps Python's lock).");
  module.def("gil_releases", gil_releases,
             "How often this thread has released Python's lock in calls of gpukit.");
  module.def("entry_points", entry_points,
             "Every function of the tables: (name, signature, 'function', 'method' or 'both', may "
             "it wait).");
}

}  // namespace gpukit::bindings
