#include "bindings/signature.h"

#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "bindings/docstring.h"
#include "bindings/operator_call.h"
#include "bindings/out_argument.h"
#include "bindings/python_text.h"
#include "bindings/signature_text.h"
#include "core/nearest_name.h"

namespace gpukit::bindings {

namespace {

/// A name that torch gives to the parameter of one function.
struct OwnName {
  std::string_view op, given;
  const char* parameter;
};

constexpr OwnName kOwnNames[] = {
    {"dot", "tensor", "other"},    {"scatter", "value", "src"},
    {"scatter_", "value", "src"},  {"split", "split_size", "split_size_or_sections"},
    {"swapaxes", "axis0", "dim0"}, {"swapaxes", "axis1", "dim1"},
    {"uniform_", "from", "from_"}, {"view", "size", "shape"},
    {"view", "dtype", "shape"},
};

/// NumPy's spelling of torch's names, as torch accepts them too, and torch's of one function.
const char* other_spelling(std::string_view op, std::string_view name) noexcept {
  for (const OwnName& own : kOwnNames) {
    if (own.op == op && own.given == name) return own.parameter;
  }
  if (name == "axis") return "dim";
  if (name == "keepdims") return "keepdim";
  if (name == "x") return "input";
  return nullptr;
}

/// Lives as long as the process: CPython keeps pointers to names and docs.
const char* keep(const std::string& text) {
  char* copy = new char[text.size() + 1];
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// Fills the empty fields of `row`, an alias of `target`.
FunctionRow of_other_name(const FunctionRow& row, const FunctionRow& target) {
  FunctionRow full = target;
  const std::string_view rest = target.signature;
  full.signature = keep(std::string(row.signature).append(rest.substr(rest.find('('))));
  full.doc = row.doc[0] != '\0' ? row.doc : keep(concat("The same as ", row.same_as, "."));
  if (row.example != nullptr) {
    full.example = row.example;
  } else {
    full.example_of = row.same_as;
  }
  return full;
}

}  // namespace

Signature::Signature(std::string_view text) : name_(name_in(text)) {
  bool keyword_only = false;
  for (const ParameterText& part : parameters_in(text)) {
    written_.append(written_.empty() ? "" : ", ").append(part.plain());
    if (part.name.empty() || part.star) keyword_only = true;
    if (part.name.empty()) continue;
    Parameter parameter;
    parameter.text = part.name;
    parameter.required = part.fallback.empty() && !part.star;
    parameter.name = PyUnicode_InternFromString(parameter.text.c_str());
    if (parameter.required) required_ = static_cast<int>(parameters_.size()) + 1;
    if (part.star) star_ = static_cast<int>(parameters_.size());
    if (!keyword_only) positional_ = static_cast<int>(parameters_.size()) + 1;
    parameters_.push_back(std::move(parameter));
  }
}

std::string Signature::text() const { return concat(name_, "(", written_, ")"); }

int Signature::find(PyObject* name) const noexcept {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return static_cast<int>(i);
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (PyUnicode_Compare(parameters_[i].name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

std::string Signature::suggestion(std::string_view unknown) const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.text);
  const std::string_view near = nearest_name(unknown, names);
  if (!near.empty()) return concat(" Did you mean '", near, "'?");
  std::string known;
  for (const std::string_view name : names) known += concat(known.empty() ? "" : ", ", name);
  return concat(" It takes: ", known, ".");
}

const Tensor& Arguments::refused_tensor(int i) const { return to_tensor(argument(i), values_[i]); }

void Arguments::take_all(PyObject* const* args, Py_ssize_t count, int first,
                         PyObject* keyword_names) {
  take_positional(args, count, first);
  if (keyword_names != nullptr) {
    take_keywords(args + count, keyword_names);
  } else if (first + count >= row_.signature.required_) {
    return;
  }
  check_required();
}

Arguments::Arguments(const ParsedRow& row, const BoxedArguments& boxed)
    : row_(row), positional_count_(boxed.positional) {
  for (std::size_t i = 0; i < boxed.values.size(); ++i) values_[i] = boxed.values[i].ptr();
  if (const int star = row_.signature.star_; star >= 0 && values_[star] != nullptr) {
    PyObject* items = values_[star];
    GPUKIT_CHECK(PyTuple_Check(items) != 0, TypeError, row_.signature.name_, ": argument '",
                 argument(star).name, "' of an observed call is a tuple, got ",
                 describe_value(items));
    values_[star] = nullptr;
    star_values_ = reinterpret_cast<PyTupleObject*>(items)->ob_item;
    star_count_ = PyTuple_GET_SIZE(items);
  }
  check_required();
}

BoxedArguments Arguments::boxed() const {
  BoxedArguments boxed;
  boxed.positional = positional_count_;
  for (std::size_t i = 0; i < row_.signature.parameters_.size(); ++i)
    boxed.values.push_back(py::reinterpret_borrow<py::object>(values_[i]));
  if (row_.signature.star_ < 0) return boxed;
  py::object& star = boxed.values[static_cast<std::size_t>(row_.signature.star_)];
  if (star) {
    star = owned(PyTuple_Pack(1, star.ptr()));  // by its name: one value
  } else if (star_count_ > 0) {
    py::tuple all(static_cast<std::size_t>(star_count_));
    for (Py_ssize_t i = 0; i < star_count_; ++i)
      all[static_cast<std::size_t>(i)] = py::handle(star_values_[i]);
    star = std::move(all);
  }
  return boxed;
}

void Arguments::take_positional(PyObject* const* args, Py_ssize_t count, int first) {
  const int room = row_.signature.positional_ - first;
  const auto plain = static_cast<int>(count < room ? count : room);
  for (int i = 0; i < plain; ++i) values_[first + i] = args[i];
  positional_count_ = first + plain;
  if (count <= plain) return;
  GPUKIT_CHECK(row_.signature.star_ >= 0, TypeError, row_.signature.name_, ": takes at most ", room,
               " positional arguments, got ", count, "; the next one is ",
               describe_value(args[plain]));
  star_values_ = args + plain;
  star_count_ = count - plain;
}

void Arguments::take_keywords(PyObject* const* values, PyObject* names) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    PyObject* name = PyTuple_GET_ITEM(names, k);
    int i = row_.signature.find(name);
    if (i < 0) {
      const std::string unknown = readable_text(name);
      if (unknown == "out" && values[k] == Py_None) continue;  // numpy.sum(tensor) says so
      const char* other = other_spelling(row_.signature.name_, unknown);
      if (other != nullptr) i = row_.signature.find(py::str(other).ptr());
      GPUKIT_CHECK(i >= 0, TypeError, row_.signature.name_, ": there is no argument '", unknown,
                   "' (given as ", describe_value(values[k]), ").",
                   row_.signature.suggestion(unknown));
    }
    const bool twice = values_[i] != nullptr || (i == row_.signature.star_ && star_count_ > 0);
    GPUKIT_CHECK(!twice, TypeError, row_.signature.name_, ": argument '",
                 row_.signature.parameters_[static_cast<std::size_t>(i)].text, "' is given twice");
    values_[i] = values[k];
  }
}

void Arguments::check_required() const {
  for (std::size_t i = 0; i < row_.signature.parameters_.size(); ++i) {
    const Signature::Parameter& parameter = row_.signature.parameters_[i];
    GPUKIT_CHECK(!parameter.required || values_[i] != nullptr, TypeError, row_.signature.name_,
                 ": argument '", parameter.text, "' is missing. Call it as ", row_.signature.name_,
                 "(", row_.signature.written_, ")");
  }
}

Dims Arguments::star_dims() const {
  const Argument here = argument(row_.signature.star_);
  if (star_count_ > 1) return to_dims(here, star_values_, star_count_);
  if (star_count_ == 0) {
    PyObject* value = values_[row_.signature.star_];
    return value != nullptr ? to_dims(here, value) : Dims();
  }
  PyObject* only = star_values_[0];
  if (PyLong_CheckExact(only) == 0 && PyList_Check(only) == 0 && PyTuple_Check(only) == 0 &&
      PyIndex_Check(only) == 0) {
    throw_wrong_type(here, "ints", only);
  }
  return to_dims(here, only);
}

py::tuple Arguments::star_objects() const {
  PyObject* only = star_count_ == 1   ? star_values_[0]
                   : star_count_ == 0 ? values_[row_.signature.star_]
                                      : nullptr;
  // One list stands for all arguments, but not where each is a list.
  const bool lists =
      row_.signature.parameters_[static_cast<std::size_t>(row_.signature.star_)].text == "shapes";
  if (only != nullptr && !lists && (PyList_Check(only) != 0 || PyTuple_Check(only) != 0))
    return py::reinterpret_steal<py::tuple>(checked(PySequence_Tuple(only)));
  if (only != nullptr) return owned(PyTuple_Pack(1, only));
  py::tuple all(static_cast<std::size_t>(star_count_));
  for (Py_ssize_t i = 0; i < star_count_; ++i)
    all[static_cast<std::size_t>(i)] = py::handle(star_values_[i]);
  return all;
}

py::dict Arguments::as_keywords() const {
  py::dict keywords;
  for (std::size_t i = 0; i < row_.signature.parameters_.size(); ++i) {
    const py::handle name(row_.signature.parameters_[i].name);
    if (row_.signature.parameters_[i].text == "out") continue;  // store_in_out writes it
    if (static_cast<int>(i) == row_.signature.star_) {
      keywords[name] = star_objects();
    } else if (values_[i] != nullptr) {
      keywords[name] = py::handle(values_[i]);
    }
  }
  return keywords;
}

FunctionTable::FunctionTable(std::span<const FunctionRow> rows, std::span<const Entry> functions,
                             std::span<const Entry> methods)
    : functions_(functions), methods_(methods) {
  rows_.reserve(rows.size());
  parsed_.reserve(rows.size());
  for (FunctionRow row : rows) {
    if (row.same_as != nullptr) {
      row = of_other_name(row, *row_named(row.same_as, rows_));
    } else if (row.out != Out::kNone) {
      row.signature = keep(signature_with_out(row.signature));
    }
    rows_.push_back(row);
    parsed_.push_back({Signature(row.signature), row.call, row.out,
                       GilRule(row.cost, (row.where & kWaits) != 0)});
  }
}

PyObject* run_row(const ParsedRow& row, const Arguments& arguments) {
  PyObject* out = row.out != Out::kNone ? arguments.last() : nullptr;
  if (out == nullptr || out == Py_None) return row.call(arguments);
  return store_in_out(arguments, row, out);
}

PyObject* call_row(const ParsedRow& row, PyObject* self, PyObject* const* args, Py_ssize_t count,
                   PyObject* names) noexcept {
  return guarded([&] {
    const Arguments arguments(row, self, args, count, names);
    if (is_observed(Observed::kOperators)) [[unlikely]]
      return observed_row(row, arguments);
    return run_row(row, arguments);
  });
}

PyMethodDef FunctionTable::definition(std::size_t row, Entry entry, bool method) {
  const char* doc = keep(docstring(rows_[row], rows_[row].signature, method));
  return {keep(parsed_[row].signature.name()),
          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

void FunctionTable::append(std::vector<PyMethodDef>& methods) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if ((rows_[row].where & kMethod) != 0) methods.push_back(definition(row, methods_[row], true));
  }
}

void FunctionTable::add_functions(const py::object& module) {
  const py::object module_name = module.attr("__name__");
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if ((rows_[row].where & kFunction) == 0) continue;
    auto* kept = new PyMethodDef(definition(row, functions_[row], false));
    PyObject* function = checked(PyCFunction_NewEx(kept, nullptr, module_name.ptr()));
    module.attr(kept->ml_name) = py::reinterpret_steal<py::object>(function);
  }
}

std::vector<FunctionTable*> all_function_tables() {
  return {&functions<Family::kCreation>(),       &functions<Family::kRandom>(),
          &functions<Family::kElementwise>(),    &functions<Family::kInplace>(),
          &functions<Family::kReduction>(),      &functions<Family::kShape>(),
          &functions<Family::kIndexing>(),       &functions<Family::kLinalg>(),
          &functions<Family::kConversion>(),     &functions<Family::kExchange>(),
          &functions<Family::kComposed>(),       &functions<Family::kTraining>(),
          &functions<Family::kConvolution>(),    &functions<Family::kLayers>(),
          &functions<Family::kAutograd>(),       &functions<Family::kLapack>(),
          &functions<Family::kDecomposition>(),  &functions<Family::kComplex>(),
          &functions<Family::kFourier>(),        &functions<Family::kComposedNumbers>(),
          &functions<Family::kComposedPlaces>(), &functions<Family::kComposedShapes>(),
          &functions<Family::kTensorOnly>()};
}

}  // namespace gpukit::bindings
