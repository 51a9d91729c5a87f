// The call of an operator as observers see it: name, arguments by parameter, result. Every operator
// that Python can call comes through here while operators are observed: rows (call_row), the
// slots and properties of Tensor, modules.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "autograd/observed_call.h"
#include "bindings/boxed_arguments.h"
#include "bindings/signature.h"
#include "bindings/source_location.h"

namespace gpukit::bindings {

enum class OperatorKind : std::uint8_t { kRow, kSlot, kProperty, kModule, kFunction };
std::string_view name(OperatorKind kind) noexcept;

/// Does what a slot, a property or a function does, with as many values as it has operands. They
/// are of the right types when Python called it. `code` tells the members of a family apart.
using Run = PyObject* (*)(PyObject* const* values, int code);

/// What can be called. Lives as long as the process.
struct Operator {
  const Signature* signature;
  OperatorKind kind;
  /// The row, or of a slot the row of the same meaning; null where there is none.
  const ParsedRow* row = nullptr;
  Run run = nullptr;  ///< of all but rows
  int code = 0;
  /// Of what has no row: whether replaced values may be given to `run`. Null: the first one has to
  /// be a tensor, or it is a function, which checks them itself.
  bool (*accepts)(PyObject* const* values) = nullptr;
};

/// One call. Shared with Python, which may keep it after the call has ended.
class OperatorCall final : public autograd::ObservedCall,
                           public std::enable_shared_from_this<OperatorCall> {
 public:
  OperatorCall(const Operator& called, BoxedArguments arguments);

  const Operator& called() const noexcept { return called_; }
  std::string_view name() const noexcept { return called_.signature->name(); }
  const BoxedArguments& arguments() const noexcept { return arguments_; }
  /// (file, line, function) of the user's program, while the call goes on.
  py::tuple place() const { return place_in_program(frame_); }
  /// Ends the call for those who keep it: it holds nothing of the program's frames any more.
  void end() noexcept;
  /// The innermost operator that this one is called by, or null.
  const std::shared_ptr<OperatorCall>& parent() const noexcept { return parent_; }

  /// Those given, by name.
  py::dict named_arguments() const;
  /// Continues with these instead. Throws TypeError for a name that is not a parameter.
  void replace_arguments(const py::dict& named);
  bool replaced() const noexcept { return replaced_; }

  /// The result from here on. Before the operator has run it does not run any more.
  void answer(py::object result) noexcept { result_ = std::move(result); }
  bool has_result() const noexcept { return static_cast<bool>(result_); }
  const py::object& result() const noexcept { return result_; }

  /// Inside a catch block: what is in flight becomes the outcome. An error that was there before is
  /// its __context__.
  void take_error() noexcept;
  /// The exception, or null.
  const py::object& error() const noexcept { return error_; }
  /// The result as a new reference; throws the error.
  PyObject* outcome() const;

 private:
  const Operator& called_;
  BoxedArguments arguments_;
  std::shared_ptr<OperatorCall> parent_;
  py::object frame_;
  py::object result_;
  py::object error_;
  bool replaced_ = false;
};

/// The row's call between the observers of this thread.
PyObject* observed_row(const ParsedRow& row, const Arguments& arguments);
/// The row's call without them.
PyObject* run_row(const ParsedRow& row, const Arguments& arguments);
/// Repeats a reported call with these arguments; the repetition is reported too.
PyObject* call_operator(const Operator& called, const py::dict& named);

/// The operator of a slot, property or function. `signature`: "add", the row's name whose first
/// parameters the values are, or "getitem(input, index)" where there is no such row.
const Operator& operator_of(OperatorKind kind, std::string_view signature, Run run, int code = 0,
                            bool (*accepts)(PyObject* const* values) = nullptr);
/// Its call between the observers of this thread.
PyObject* observed_call(const Operator& called, std::initializer_list<PyObject*> values) noexcept;
/// Both, for a slot.
PyObject* observed_slot(std::string_view signature, std::initializer_list<PyObject*> values,
                        Run run, int code = 0) noexcept;
/// What a slot that answers yes or no gives for an object of observed_call, whose reference goes:
/// -1 where that is null or has no truth.
int truth_of_result(PyObject* result) noexcept;
/// The same of a slot that gives nothing: 0 or -1.
int status_of_result(PyObject* result) noexcept;

}  // namespace gpukit::bindings
