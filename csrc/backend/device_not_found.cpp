#include "backend/device_not_found.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace device_not_found {
namespace {

/// `reason` without its full stop, so that it can precede one.
std::string as_clause(std::string reason) {
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  return reason;
}

/// What is said of a device, and the line that the user can run instead.
struct Words {
  const char* kind;
  std::string fix;
  std::string instead;  ///< after the fix
};

Words words_for(Device device, int count) {
  if (device.is_cuda()) {
    return {"GPU", concat("gpukit.try_gpu(", device.index, ")"),
            concat(", or practise with gpukit.simulate(", device.index + 1, ")")};
  }
  const Device nearest = count > 0 ? Device::of(device.type, count - 1) : Device::cpu();
  return {"device", concat("device='", to_string(nearest), "'"), ""};
}

}  // namespace
}  // namespace device_not_found

void throw_device_not_found(Device device, int count, const std::string& reason,
                            const Details& details, std::string_view function) {
  const std::string clause = device_not_found::as_clause(reason);
  const device_not_found::Words words = device_not_found::words_for(device, count);
  throw DeviceNotFoundError(concat(function, function.empty() ? "" : ": ", to_string(device),
                                   " was asked for, but ", count, " usable ", words.kind,
                                   count == 1 ? " found" : "s found", clause.empty() ? "" : ": ",
                                   clause, ". Use ", words.fix, words.instead, "."))
      .with_fix(words.fix)
      .with_details(details)
      .with_detail("usable", count)
      .with_detail("reason", clause);
}

}  // namespace gpukit
