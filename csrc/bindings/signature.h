// Functions as table rows: one row gives a module function, a Tensor method or both, with checked
// arguments.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/arguments.h"
#include "bindings/boxed_arguments.h"
#include "bindings/function_row.h"
#include "bindings/work.h"

namespace gpukit::bindings {

inline constexpr int kMostParameters = 12;

/// Names and order of parameters, read from a text such as "sum(input, dim=None, *, dtype=None)";
/// types in it are for readers. A "*size" takes all further positional arguments; it may be given
/// by its name too.
class Signature {
 public:
  explicit Signature(std::string_view text);

  struct Parameter {
    PyObject* name = nullptr;  ///< interned
    std::string text;
    bool required = false;
  };

  const std::string& name() const noexcept { return name_; }
  /// "add(input, other, *, alpha=1, out=None)": without types.
  std::string text() const;
  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  /// The number of a parameter, or -1.
  int find(PyObject* name) const noexcept;
  /// The error text for a name that is not a parameter.
  std::string suggestion(std::string_view unknown) const;

 private:
  friend class Arguments;

  std::string name_;
  std::vector<Parameter> parameters_;
  std::string written_;
  int positional_ = 0;  ///< how many may be given by position
  int required_ = 0;    ///< how many must be given; they come first
  int star_ = -1;
};

/// What a call of a row needs.
struct ParsedRow {
  Signature signature;
  PyObject* (*call)(const Arguments& arguments);
  Out out;
  GilRule gil;
};

/// The arguments of one call, borrowed from the caller.
class Arguments {
 public:
  /// `self` is null for functions. Throws TypeError for what does not fit the signature.
  Arguments(const ParsedRow& row, PyObject* self, PyObject* const* args, Py_ssize_t count,
            PyObject* keyword_names)
      : row_(row) {
    const int first = self != nullptr ? 1 : 0;
    const Py_ssize_t end = first + count;
    if (self != nullptr) values_[0] = self;
    if (keyword_names == nullptr && end <= row.signature.positional_ &&
        end >= row.signature.required_) [[likely]] {
      for (Py_ssize_t i = 0; i < count; ++i) values_[first + i] = args[i];
      positional_count_ = static_cast<int>(end);
      return;
    }
    take_all(args, count, first, keyword_names);
  }
  /// Those of an observed call, which must outlive these.
  Arguments(const ParsedRow& row, const BoxedArguments& boxed);
  BoxedArguments boxed() const;

  std::string_view op() const noexcept { return row_.signature.name_; }
  /// Where the result of a row that computes into `out` is made, if it fits; else null.
  const Tensor* out() const noexcept { return out_; }
  Arguments with_out(const Tensor& out) const {
    Arguments arguments = *this;
    arguments.out_ = &out;
    return arguments;
  }
  /// The row's.
  const GilRule& gil() const noexcept { return row_.gil; }
  int size() const noexcept { return static_cast<int>(row_.signature.parameters_.size()); }
  Argument argument(int i) const noexcept {
    return {row_.signature.name_, row_.signature.parameters_[static_cast<std::size_t>(i)].text};
  }
  PyObject* operator[](int i) const noexcept { return values_[i]; }
  /// False when left out or None.
  bool given(int i) const noexcept { return values_[i] != nullptr && values_[i] != Py_None; }
  /// True when it was given by position, not by its name.
  bool by_position(int i) const noexcept { return i < positional_count_; }
  PyObject* self() const noexcept { return values_[0]; }
  /// The last parameter's value, or null.
  PyObject* last() const noexcept { return values_[row_.signature.parameters_.size() - 1]; }

  const Tensor& tensor(int i) const {
    if (is_tensor(values_[i])) [[likely]]
      return tensor_of(values_[i]);
    return refused_tensor(i);
  }
  bool boolean(int i, bool fallback) const {
    return values_[i] == nullptr ? fallback : to_bool(argument(i), values_[i]);
  }
  std::int64_t integer(int i) const { return to_int64(argument(i), values_[i]); }
  std::int64_t integer(int i, std::int64_t fallback) const {
    return given(i) ? integer(i) : fallback;
  }
  double number(int i, double fallback) const {
    return given(i) ? to_double(argument(i), values_[i]) : fallback;
  }
  Scalar scalar(int i) const { return to_scalar(argument(i), values_[i]); }
  Scalar scalar(int i, DType dtype) const { return to_scalar(argument(i), values_[i], dtype); }
  std::optional<Scalar> optional_scalar(int i) const {
    return given(i) ? std::optional(scalar(i)) : std::nullopt;
  }
  std::optional<Scalar> optional_scalar(int i, DType dtype) const {
    return given(i) ? std::optional(scalar(i, dtype)) : std::nullopt;
  }
  Dims dims(int i) const { return to_dims(argument(i), values_[i]); }
  std::optional<Dims> optional_dims(int i) const {
    return given(i) ? std::optional(dims(i)) : std::nullopt;
  }
  DType dtype(int i, DType fallback) const {
    return given(i) ? to_dtype(argument(i), values_[i]) : fallback;
  }
  std::optional<DType> optional_dtype(int i) const {
    return given(i) ? std::optional(to_dtype(argument(i), values_[i])) : std::nullopt;
  }
  Device device(int i) const {
    return creation_device(argument(i), given(i) ? values_[i] : nullptr);
  }

  /// What "*size" got: ints, or one tuple or list of them.
  Dims star_dims() const;
  /// The one object that "*size" got; null where it got several or none.
  PyObject* only_star() const noexcept {
    if (star_count_ > 1) return nullptr;
    return star_count_ == 1 ? star_values_[0] : values_[row_.signature.star_];
  }
  /// What "*operands" got, whatever it is: the arguments, or the items of one tuple or list.
  py::tuple star_objects() const;
  /// All arguments that were given but `out`, by name; a variadic one as a tuple.
  py::dict as_keywords() const;
  bool star_given() const noexcept {
    return star_count_ > 0 || values_[row_.signature.star_] != nullptr;
  }

 private:
  /// Throws to_tensor's error for an argument that is not a Tensor.
  const Tensor& refused_tensor(int i) const;
  void take_all(PyObject* const* args, Py_ssize_t count, int first, PyObject* keyword_names);
  void take_positional(PyObject* const* args, Py_ssize_t count, int first);
  void take_keywords(PyObject* const* values, PyObject* names);
  void check_required() const;

  const ParsedRow& row_;
  PyObject* values_[kMostParameters] = {};
  int positional_count_ = 0;
  PyObject* const* star_values_ = nullptr;
  const Tensor* out_ = nullptr;
  Py_ssize_t star_count_ = 0;
};

/// Calls the row; an exception becomes a set Python error. `self` is null for functions.
PyObject* call_row(const ParsedRow& row, PyObject* self, PyObject* const* args, Py_ssize_t count,
                   PyObject* names) noexcept;

/// A table of rows with its parsed signatures and the PyMethodDefs made of it.
class FunctionTable {
 public:
  using Entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
  FunctionTable(std::span<const FunctionRow> rows, std::span<const Entry> functions,
                std::span<const Entry> methods);

  void append(std::vector<PyMethodDef>& methods);
  void add_functions(const py::object& module);
  /// Aliases have the fields of the row they name, and all rows have `out` in their signatures if
  /// they take it.
  std::span<const FunctionRow> rows() const noexcept { return rows_; }
  const ParsedRow* parsed() const noexcept { return parsed_.data(); }
  const Signature& signature(std::size_t row) const noexcept { return parsed_[row].signature; }

 private:
  PyMethodDef definition(std::size_t row, Entry entry, bool method);

  std::vector<FunctionRow> rows_;
  std::span<const Entry> functions_;
  std::span<const Entry> methods_;
  std::vector<ParsedRow> parsed_;
};

namespace detail {

/// The parsed rows of a table, once it is made: before Python can call any.
template <const auto& Rows>
inline constinit const ParsedRow* parsed_rows = nullptr;

template <const auto& Rows, std::size_t Row>
PyObject* call_function(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return call_row(parsed_rows<Rows>[Row], nullptr, args, count, names);
}

template <const auto& Rows, std::size_t Row>
PyObject* call_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return call_row(parsed_rows<Rows>[Row], self, args, count, names);
}

template <const auto& Rows, std::size_t... Row>
FunctionTable& make_table(std::index_sequence<Row...>) {
  static constexpr FunctionTable::Entry kFunctions[] = {call_function<Rows, Row>...};
  static constexpr FunctionTable::Entry kMethods[] = {call_method<Rows, Row>...};
  static FunctionTable* const table = new FunctionTable(Rows, kFunctions, kMethods);
  parsed_rows<Rows> = table->parsed();
  return *table;
}

}  // namespace detail

/// The table over a constexpr array of rows.
template <const auto& Rows>
FunctionTable& function_table() {
  static_assert(
      incomplete_row(Rows) == -1,
      "the row of this number lacks .cost, .doc, .docs or .example, or is an alias with other "
      "fields of its own");
  return detail::make_table<Rows>(std::make_index_sequence<std::size(Rows)>());
}

/// The functions of Python in families; bind_<family>.cpp has the rows of one.
enum class Family {
  kCreation,
  kRandom,
  kElementwise,
  kInplace,
  kReduction,
  kShape,
  kIndexing,
  kLinalg,
  kLapack,
  kDecomposition,
  kComplex,
  kFourier,
  kTraining,
  kConvolution,
  kLayers,
  kConversion,
  kExchange,
  kComposed,
  kComposedNumbers,
  kComposedPlaces,
  kComposedShapes,
  kAutograd,
  kTensorOnly
};
template <Family>
FunctionTable& functions();
template <>
FunctionTable& functions<Family::kCreation>();
template <>
FunctionTable& functions<Family::kRandom>();
template <>
FunctionTable& functions<Family::kElementwise>();
template <>
FunctionTable& functions<Family::kInplace>();
template <>
FunctionTable& functions<Family::kReduction>();
template <>
FunctionTable& functions<Family::kShape>();
template <>
FunctionTable& functions<Family::kIndexing>();
template <>
FunctionTable& functions<Family::kLinalg>();
template <>
FunctionTable& functions<Family::kLapack>();
template <>
FunctionTable& functions<Family::kDecomposition>();
template <>
FunctionTable& functions<Family::kComplex>();
template <>
FunctionTable& functions<Family::kFourier>();
template <>
FunctionTable& functions<Family::kTraining>();
template <>
FunctionTable& functions<Family::kConvolution>();
template <>
FunctionTable& functions<Family::kLayers>();
template <>
FunctionTable& functions<Family::kConversion>();
template <>
FunctionTable& functions<Family::kExchange>();
template <>
FunctionTable& functions<Family::kComposed>();
template <>
FunctionTable& functions<Family::kComposedNumbers>();
template <>
FunctionTable& functions<Family::kComposedPlaces>();
template <>
FunctionTable& functions<Family::kComposedShapes>();
template <>
FunctionTable& functions<Family::kAutograd>();
template <>
FunctionTable& functions<Family::kTensorOnly>();

std::vector<FunctionTable*> all_function_tables();

}  // namespace gpukit::bindings
