// What gpukit.compile hears of a function that it records: calls of plain operators are noted here,
// without running Python between them, and all others go to the tracer in Python.
#pragma once

#include <cstddef>
#include <memory>

#include "base/observer.h"
#include "bindings/python.h"

namespace gpukit::bindings {

/// The tracer's own objects, which the recorder reads and adds to as the tracer does.
struct RecorderParts {
  py::object tracer;       ///< before_operator, after_operator, and after_plain_operator
  py::dict known;          ///< id of a tensor -> (Value, weak reference)
  py::list facts;          ///< of values, by number
  py::list calls;          ///< gets (operator, name, arguments, value, False, place, records, reads
                           ///< a gradient)
  py::object value_type;   ///< called with a number
  py::object facts_type;   ///< a class of named tuples: shape, dtype, device, requires_grad
  py::object names;        ///< a set: the operators that give one new tensor and change none
  std::size_t most_calls;  ///< are noted; the next one is reported to the tracer, which ends there
};

std::shared_ptr<Observer> call_recorder(RecorderParts parts);

}  // namespace gpukit::bindings
