#include "bindings/operator_call.h"

#include <pybind11/cast.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "bindings/exceptions.h"
#include "bindings/python_text.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

const ParsedRow* find_row(std::string_view name) {
  for (const FunctionTable* table : all_function_tables()) {
    for (std::size_t row = 0; row < table->rows().size(); ++row) {
      if (table->signature(row).name() == name) return &table->parsed()[row];
    }
  }
  return nullptr;
}

const Operator& operator_of(const ParsedRow& row) {
  static std::mutex mutex;
  static auto* const known = new std::map<const ParsedRow*, Operator>;
  const std::lock_guard lock(mutex);
  return known->try_emplace(&row, Operator{&row.signature, OperatorKind::kRow, &row}).first->second;
}

std::vector<PyObject*> borrowed(const BoxedArguments& arguments) {
  std::vector<PyObject*> values;
  for (const py::object& value : arguments.values) values.push_back(value.ptr());
  return values;
}

bool accepts(const Operator& called, PyObject* const* values) {
  if (called.accepts != nullptr) return called.accepts(values);
  return called.kind == OperatorKind::kFunction || is_tensor(values[0]);
}

void check_accepted(const Operator& called, PyObject* const* values) {
  const auto& parameters = called.signature->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    GPUKIT_CHECK(values[i] != nullptr, TypeError, called.signature->name(), ": argument '",
                 parameters[i].text, "' is missing");
  }
  GPUKIT_CHECK(accepts(called, values), TypeError, called.signature->name(), ": ",
               parameters[0].text, " is ", describe_value(values[0]),
               ", which it cannot be called with");
}

/// Checks what Python has not checked: these arguments do not come from a Python call.
PyObject* run_with(const Operator& called, const BoxedArguments& arguments) {
  if (called.row != nullptr) return run_row(*called.row, Arguments(*called.row, arguments));
  const std::vector<PyObject*> values = borrowed(arguments);
  check_accepted(called, values.data());
  return called.run(values.data(), called.code);
}

BoxedArguments boxed_by_name(const Signature& signature, const py::dict& named) {
  BoxedArguments boxed;
  boxed.values.resize(signature.parameters().size());
  for (const auto& [key, value] : named) {
    const bool is_name = PyUnicode_Check(key.ptr()) != 0;
    const int i = is_name ? signature.find(key.ptr()) : -1;
    GPUKIT_CHECK(i >= 0, TypeError, signature.name(), ": there is no argument ",
                 describe_value(key.ptr()), ".",
                 signature.suggestion(is_name ? readable_text(key.ptr()) : ""));
    boxed.values[static_cast<std::size_t>(i)] = py::reinterpret_borrow<py::object>(value);
  }
  return boxed;
}

/// The operator between its observers, the newest of which is outermost. `run` runs it with
/// the arguments as they were given.
template <class Run>
PyObject* between_observers(const Operator& called, BoxedArguments arguments, Run&& run) {
  CallObservers observers(Observed::kOperators);
  if (observers.empty()) return run();  // they are other threads'
  const auto call = std::make_shared<OperatorCall>(called, std::move(arguments));
  try {
    observers.before([&](Observer& observer) {
      observer.before_operator(*call);
      return !call->has_result();
    });
    if (!call->has_result()) {
      PyObject* result = call->replaced() ? run_with(called, call->arguments()) : run();
      call->answer(owned(result));
    }
  } catch (...) {
    call->take_error();
  }
  observers.after([&](Observer& observer) {
    try {
      observer.after_operator(*call);
    } catch (...) {
      call->take_error();
    }
  });
  call->end();
  return call->outcome();
}

}  // namespace

std::string_view name(OperatorKind kind) noexcept {
  switch (kind) {
    case OperatorKind::kRow:
      return "row";
    case OperatorKind::kSlot:
      return "slot";
    case OperatorKind::kProperty:
      return "property";
    case OperatorKind::kModule:
      return "module";
    case OperatorKind::kFunction:
      return "function";
  }
  return "";
}

OperatorCall::OperatorCall(const Operator& called, BoxedArguments arguments)
    : called_(called), arguments_(std::move(arguments)), frame_(current_python_frame()) {
  for (CallScope* scope = outer(); scope != nullptr && !parent_; scope = scope->outer()) {
    if (auto* call = dynamic_cast<OperatorCall*>(scope)) parent_ = call->shared_from_this();
  }
}

void OperatorCall::end() noexcept {
  leave();
  frame_ = py::object();
}

py::dict OperatorCall::named_arguments() const {
  py::dict named;
  for (std::size_t i = 0; i < arguments_.values.size(); ++i) {
    if (arguments_.values[i])
      named[py::handle(called_.signature->parameters()[i].name)] = arguments_.values[i];
  }
  return named;
}

void OperatorCall::replace_arguments(const py::dict& named) {
  BoxedArguments boxed = boxed_by_name(*called_.signature, named);
  // `sum(x, 0)` says its dim by position, and an observer that changes x leaves it so.
  while (boxed.positional < arguments_.positional &&
         boxed.values[static_cast<std::size_t>(boxed.positional)])
    ++boxed.positional;
  arguments_ = std::move(boxed);
  replaced_ = true;
}

void OperatorCall::take_error() noexcept {
  set_python_error();
  const py::error_already_set error;
  const py::object value = error.value();
  if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  if (error_ && !error_.is(value)) {
    PyObject* context = py::object(error_).release().ptr();
    PyException_SetContext(value.ptr(), context);
  }
  error_ = value;
}

PyObject* OperatorCall::outcome() const {
  if (error_) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_.ptr())), error_.ptr());
    throw_python_error();
  }
  return py::object(result_).release().ptr();
}

PyObject* observed_row(const ParsedRow& row, const Arguments& arguments) {
  return between_observers(operator_of(row), arguments.boxed(),
                           [&] { return run_row(row, arguments); });
}

PyObject* call_operator(const Operator& called, const py::dict& named) {
  BoxedArguments arguments = boxed_by_name(*called.signature, named);
  return between_observers(called, arguments, [&] { return run_with(called, arguments); });
}

const Operator& operator_of(OperatorKind kind, std::string_view signature, Run run, int code,
                            bool (*accepts)(PyObject* const* values)) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::pair<Run, int>, Operator>;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known->try_emplace({run, code});
  if (!fresh) return entry->second;
  const ParsedRow* row = find_row(signature);
  const Signature* parsed = row != nullptr ? &row->signature : new Signature(signature);
  return entry->second = {parsed, kind, row, run, code, accepts};
}

PyObject* observed_slot(std::string_view signature, std::initializer_list<PyObject*> values,
                        Run run, int code) noexcept {
  return observed_call(operator_of(OperatorKind::kSlot, signature, run, code), values);
}

PyObject* observed_call(const Operator& called, std::initializer_list<PyObject*> values) noexcept {
  return guarded([&] {
    BoxedArguments arguments;
    for (PyObject* value : values)
      arguments.values.push_back(py::reinterpret_borrow<py::object>(value));
    arguments.positional = static_cast<int>(values.size());
    arguments.values.resize(called.signature->parameters().size());
    return between_observers(called, std::move(arguments),
                             [&] { return called.run(std::data(values), called.code); });
  });
}

int truth_of_result(PyObject* result) noexcept {
  if (result == nullptr) return -1;
  const int truth = PyObject_IsTrue(result);
  Py_DECREF(result);
  return truth;
}

int status_of_result(PyObject* result) noexcept {
  Py_XDECREF(result);
  return result != nullptr ? 0 : -1;
}

}  // namespace gpukit::bindings
