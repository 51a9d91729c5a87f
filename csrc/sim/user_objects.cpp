#include "sim/user_objects.h"

#include "sim/sim_stream.h"

namespace gpukit::sim {

CUuserObject UserObjects::create(void* data, CUhostFn destroy, unsigned references) {
  const std::lock_guard lock(mutex_);
  const auto object = reinterpret_cast<CUuserObject>(next_ += 16);
  entries_[object] = {data, destroy, references};
  return object;
}

bool UserObjects::retain(CUuserObject object, unsigned count) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(object);
  if (found == entries_.end()) return false;
  found->second.references += count;
  return true;
}

void UserObjects::retain(const HeldObjects& held) {
  for (const auto& [object, count] : held) retain(object, count);
}

bool UserObjects::release(CUuserObject object, unsigned count) {
  Entry last{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(object);
    if (found == entries_.end() || found->second.references < count) return false;
    found->second.references -= count;
    if (found->second.references != 0) return true;
    last = found->second;
    entries_.erase(found);
  }
  const HostFunctionScope scope;
  last.destroy(last.data);
  return true;
}

void UserObjects::release(const HeldObjects& held) {
  for (const auto& [object, count] : held) release(object, count);
}

}  // namespace gpukit::sim
