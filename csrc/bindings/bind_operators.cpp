// The rows of elementwise.def, for the package and for the tests that are made from them.
#include <span>

#include "bindings/bind.h"
#include "ops/elementwise_table.h"

namespace gpukit::bindings {

namespace {

const char* text_of(Domain domain) {
  switch (domain) {
    case Domain::kFunction:
      return "function";
    case Domain::kRounding:
      return "rounding";
    case Domain::kArithmetic:
      return "arithmetic";
    case Domain::kMagnitude:
      return "magnitude";
    case Domain::kBoolAsInteger:
      return "bool as integer";
    case Domain::kBitwise:
      return "bitwise";
    case Domain::kShift:
      return "shift";
    case Domain::kAny:
      return "any";
    case Domain::kComparison:
      return "comparison";
    case Domain::kTest:
      return "test";
  }
  return "";
}

py::tuple sampled_intervals(const ops::ElementwiseRow& row, int operands) {
  py::list intervals;
  for (const ops::Interval& interval : std::span(row.sampled).first(operands))
    intervals.append(py::make_tuple(interval.low, interval.high));
  return intervals;
}

py::dict described(const ops::ElementwiseRow& row, int operands,
                   std::span<const ops::ElementwiseAlias> aliases) {
  py::list names;
  for (const ops::ElementwiseAlias& alias : aliases) {
    if (alias.row == &row) names.append(alias.name);
  }
  py::dict fields;
  fields["name"] = row.name;
  fields["aliases"] = py::tuple(names);
  fields["operands"] = operands;
  fields["domain"] = text_of(row.domain);
  fields["out"] = ops::has_out(row.forms);
  fields["in_place"] = ops::has_in_place(row.forms);
  fields["differentiable"] = row.differentiable;
  fields["sampled"] = sampled_intervals(row, operands);
  return fields;
}

py::list elementwise_operators() {
  py::list all;
  for (const ops::ElementwiseRow& row : ops::unary_rows()) {
    if (ops::is_public(row.forms)) all.append(described(row, 1, ops::unary_aliases()));
  }
  for (const ops::ElementwiseRow& row : ops::binary_rows()) {
    if (ops::is_public(row.forms)) all.append(described(row, 2, ops::binary_aliases()));
  }
  return all;
}

}  // namespace

template <>
void bind<Part::kOperators>(py::module_& module) {
  module.def("elementwise_operators", elementwise_operators,
             "The rows of elementwise.def that users can call: name, aliases, number of operands, "
             "domain, whether out= and an in-place form exist, whether it is differentiable, and "
             "the intervals that tests draw its operands from.");
}

}  // namespace gpukit::bindings
