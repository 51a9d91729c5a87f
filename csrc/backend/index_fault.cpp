#include "backend/index_fault.h"

#include <iterator>

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace index_fault {
namespace {

constexpr std::string_view kNames[] = {
    "X[...]",   "X[...] = Y",   "index_select", "index_add_",    "take",     "gather",
    "scatter_", "scatter_add_", "embedding",    "cross_entropy", "nll_loss",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(IndexedOp::kCount));

std::string sentence(const IndexFault& fault) {
  const std::string_view op = name(fault.op);
  if (!counts_from_end(fault.op)) {
    return concat(op, ": target[", fault.position, "] is ", fault.index, ", but there are ",
                  fault.size, " classes (0 to ", fault.size - 1, ").");
  }
  const std::string valid = fault.size > 0 ? concat("Use ", -fault.size, " … ", fault.size - 1, ".")
                                           : "It has no elements.";
  return concat(op, ": index ", fault.index, " is out of range for dimension ", fault.dim,
                " of size ", fault.size, ". ", valid);
}

}  // namespace
}  // namespace index_fault

std::string_view name(IndexedOp op) noexcept {
  const auto at = static_cast<std::size_t>(op);
  return at < std::size(index_fault::kNames) ? index_fault::kNames[at] : "an operation";
}

void throw_index_fault(const IndexFault& fault, std::optional<Device> found_on) {
  if (!found_on) throw IndexError(index_fault::sentence(fault));
  const std::string place = !counts_from_end(fault.op)
                                ? ""
                                : concat(" It was element ", fault.position, " of the index.");
  throw IndexError(concat(index_fault::sentence(fault), place, " ", to_string(*found_on),
                          " found it while it worked on an earlier call, whose result is not to be "
                          "used; CUDA_LAUNCH_BLOCKING=1 shows it at that call."))
      .with_detail("device", to_string(*found_on))
      .with_detail("operation", std::string(name(fault.op)))
      .with_detail("index", fault.index)
      .with_detail("size", fault.size)
      .with_detail("position", fault.position);
}

}  // namespace gpukit
