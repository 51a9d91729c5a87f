#include "autograd/hooks.h"

#include <algorithm>

namespace gpukit::autograd {

std::uint64_t HookList::add(std::shared_ptr<Hook> hook) {
  const std::lock_guard lock(mutex_);
  entries_.emplace_back(next_id_, std::move(hook));
  return next_id_++;
}

void HookList::remove(std::uint64_t id) noexcept {
  std::shared_ptr<Hook> dropped;  // ends after the lock is gone: its end may run Python
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [id](const Entry& entry) { return entry.first == id; });
  if (found == entries_.end()) return;
  dropped = std::move(found->second);
  entries_.erase(found);
}

void HookList::clear() noexcept {
  std::vector<Entry> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(entries_);
}

std::vector<HookList::Entry> HookList::all() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace gpukit::autograd
