// An observer written in Python.
#pragma once

#include <memory>

#include "base/observer.h"
#include "bindings/python.h"

namespace gpukit::bindings {

/// What is noted inside the calls that it hears of: it costs time, so it is asked for.
struct ObserverOptions {
  bool work = false;   ///< of devices
  bool nodes = false;  ///< of the graph
};

/// Calls the methods before_operator, after_operator, before_derivative and after_derivative of an
/// object, of which it needs one at least. Needs the GIL.
std::shared_ptr<Observer> python_observer(const py::object& object, ObserverOptions noted);

}  // namespace gpukit::bindings
