#include "backend/device_not_found.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace device_not_found {
namespace {

/// `reason` without its full stop, so that it can stand before one.
std::string as_clause(std::string reason) {
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  return reason;
}

[[noreturn]] void fail(const std::string& message, const std::string& fix,
                       const std::string& reason) {
  throw DeviceNotFoundError(message).with_fix(fix).with_detail("reason", reason);
}

std::string describe(Device device, int count, const char* what, const std::string& clause) {
  return concat(to_string(device), " was asked for, but ", count, " usable ", what,
                count == 1 ? " found" : "s found", clause.empty() ? "" : ": ", clause, ". ");
}

}  // namespace
}  // namespace device_not_found

void throw_device_not_found(Device device, int count, const std::string& reason) {
  const std::string clause = device_not_found::as_clause(reason);
  if (!device.is_cuda()) {
    const Device nearest = count > 0 ? Device::of(device.type, count - 1) : Device::cpu();
    const std::string fix = concat("device='", to_string(nearest), "'");
    device_not_found::fail(
        concat(device_not_found::describe(device, count, "device", clause), "Use ", fix, "."), fix,
        clause);
  }
  const std::string fix = concat("gpukit.try_gpu(", device.index, ")");
  device_not_found::fail(concat(device_not_found::describe(device, count, "GPU", clause), "Use ",
                                fix, ", or practise with gpukit.simulate(", device.index + 1, ")."),
                         fix, clause);
}

}  // namespace gpukit
