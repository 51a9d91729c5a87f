// Driver handles are numbers that are never used twice, so a stale one is an error code and not a
// crash.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpukit::sim {

template <class Handle, class Object>
class HandleTable {
 public:
  /// `first` keeps the handles of different kinds apart.
  explicit HandleTable(std::uintptr_t first) : next_(first + next_block()) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t key = next_;
    next_ += 16;
    objects_.emplace(key, std::move(object));
    return reinterpret_cast<Handle>(key);
  }

  std::shared_ptr<Object> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Takes the object out; null when the handle is unknown.
  std::shared_ptr<Object> remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    auto node = objects_.extract(reinterpret_cast<std::uintptr_t>(handle));
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  template <class Predicate>
  std::shared_ptr<Object> find_if(Predicate predicate) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, object] : objects_) {
      if (predicate(*object)) return object;
    }
    return nullptr;
  }

  /// The handle of an object for which the predicate holds; null when there is none.
  template <class Predicate>
  Handle handle_if(Predicate predicate) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, object] : objects_) {
      if (predicate(*object)) return reinterpret_cast<Handle>(key);
    }
    return nullptr;
  }

  template <class Predicate>
  void remove_if(Predicate predicate) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

 private:
  // Each simulation of the process uses its own numbers, so that handles of an ended one stay
  // unknown.
  static std::uintptr_t next_block() {
    static std::uintptr_t blocks = 0;
    return (blocks++) << 32;
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
  std::uintptr_t next_;
};

}  // namespace gpukit::sim
