#include "backend/absent_device.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace {

/// `reason` without its full stop, so that it can stand before one.
std::string as_clause(std::string reason) {
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  return reason;
}

}  // namespace

void throw_absent_device(int index, int count, const std::string& reason) {
  const std::string fix = concat("gpukit.try_gpu(", index, ")");
  const std::string clause = as_clause(reason);
  throw DeviceNotFoundError(concat("cuda:", index, " was asked for, but ", count,
                                   count == 1 ? " usable GPU found" : " usable GPUs found",
                                   clause.empty() ? "" : ": ", clause, ". Use ", fix,
                                   ", or practise with gpukit.simulate(", index + 1, ")."))
      .with_fix(fix)
      .with_detail("reason", clause);
}

}  // namespace gpukit
