// One row per function: its full description, from which its binding, docstring, `out`, stub and
// name in gpukit are made.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "bindings/row_cost.h"

namespace gpukit::bindings {

class Arguments;

enum Where : unsigned {
  kNowhere = 0,
  kFunction = 1,
  kMethod = 2,
  kBoth = 3,
  kWaits = 4,  ///< it may wait for a device
  kInner = 8   ///< a function for gpukit's own modules, not a name of gpukit
};

/// `out`, an existing tensor that receives the result, of functions that return one tensor.
enum class Out : unsigned char {
  kNone,
  kCopied,  ///< the result is copied into it
  kDirect   ///< computed in one step, which may write out while it reads the inputs
};

/// Arguments, result and errors in the docstring: one entry per line.
struct Docs {
  /// "name: description", for parameters that the table in docstring.cpp does not describe.
  const char* parameters = "";
  const char* returns = nullptr;
  const char* raises = "";  ///< "Error: when"; "" is TypeError for other kinds, "-" is none
};

struct FunctionRow {
  /// "sum(input, dim: int | Sequence[int] | None = None) -> Tensor". A type may be left out where
  /// the parameter's name or default says it (docstring.cpp), the result where it is a Tensor.
  const char* signature = nullptr;
  /// The name of an earlier row of the table, of which this one is an alias; then `signature` is a
  /// name only, and all but doc and example come from that row.
  const char* same_as = nullptr;
  PyObject* (*call)(const Arguments& arguments) = nullptr;
  RowCost cost = {};
  const char* doc = "";
  Docs docs = {};
  const char* example = nullptr;     ///< doctest lines; "import gpukit" comes before them
  const char* example_of = nullptr;  ///< the function that `example` calls, if it is not this one
  unsigned where = kBoth;
  Out out = Out::kNone;
  const char* input_type = "Tensor";  ///< of the function's first parameter, if it is `input`
  /// For the stub, where the result type depends on the arguments: one signature per line.
  const char* overloads = nullptr;
};

/// False for an alias that sets what would come from the other row.
constexpr bool sets_only_texts(const FunctionRow& row) {
  const FunctionRow empty;
  return row.call == nullptr && row.cost.name == nullptr && row.docs.parameters[0] == '\0' &&
         row.docs.returns == nullptr && row.docs.raises[0] == '\0' && row.example_of == nullptr &&
         row.where == empty.where && row.out == empty.out && row.overloads == nullptr &&
         std::string_view(row.input_type) == empty.input_type;
}

/// True for rows that state their cost, and all the texts that users read.
constexpr bool is_complete(const FunctionRow& row) {
  if (row.same_as == nullptr && row.cost.name == nullptr) return false;
  const bool read = (row.where & kBoth) != 0 && (row.where & kInner) == 0;
  if (!read || row.same_as != nullptr || row.signature[0] == '_') return true;
  return row.doc[0] != '\0' && row.docs.returns != nullptr && row.example != nullptr;
}

/// The first of the rows with that name, or their end.
constexpr std::span<const FunctionRow>::iterator row_named(std::string_view name,
                                                           std::span<const FunctionRow> rows) {
  return std::ranges::find_if(rows, [&](const FunctionRow& row) {
    const std::string_view signature = row.signature;
    return signature.substr(0, signature.find('(')) == name;
  });
}

/// The index of the first row that is incomplete, an alias of no row above it, or an alias with
/// its own fields that nothing would read; else -1.
constexpr int incomplete_row(std::span<const FunctionRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FunctionRow& row = rows[i];
    const auto above = rows.first(i);
    const bool alias = row.same_as != nullptr;
    const bool stray =
        alias && (row_named(row.same_as, above) == above.end() || !sets_only_texts(row));
    if (stray || !is_complete(row)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace gpukit::bindings
