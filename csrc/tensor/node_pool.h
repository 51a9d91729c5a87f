// Small equal blocks kept for reuse per thread: making and dropping a small tensor must not reach
// malloc.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "base/thread_local.h"

namespace gpukit {

namespace detail {

struct PoolNode {
  PoolNode* next;
};

enum class PoolState : unsigned char { kNew, kOpen, kClosed };

/// Trivially destroyed, so that it can be used while the thread's other objects are being
/// destroyed.
struct PoolList {
  PoolNode* head = nullptr;
  int room = 0;
  PoolState state = PoolState::kNew;
};

}  // namespace detail

/// Each thread keeps up to `Capacity` blocks; a block may be released on another thread than took
/// it. `Tag` keeps the pools of two types apart.
template <class Tag, std::size_t Bytes, std::size_t Alignment, int Capacity>
class NodePool {
 public:
  static void* allocate() {
    Node* node = list.head;
    if (node == nullptr) [[unlikely]]
      return ::operator new(Bytes, std::align_val_t(Alignment));
    list.head = node->next;
    ++list.room;
    return node;
  }

  static void deallocate(void* address) noexcept {
    if (list.room <= 0) [[unlikely]] {
      if (!open_list()) return ::operator delete(address, std::align_val_t(Alignment));
    }
    Node* node = ::new (address) Node{list.head};
    list.head = node;
    --list.room;
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr int kCapacity = 0;  // a kept block would hide a use after free
#else
  static constexpr int kCapacity = Capacity;
#endif

  using Node = detail::PoolNode;
  using State = detail::PoolState;
  /// Frees the list when its thread ends.
  struct Closer {
    ~Closer() {
      list.state = State::kClosed;
      list.room = 0;
      while (list.head != nullptr) {
        ::operator delete(static_cast<void*>(std::exchange(list.head, list.head->next)),
                          std::align_val_t(Alignment));
      }
    }
    void touch() noexcept {}
  };

  /// True when a block may be kept: on the first call of a thread. Apart, so that deallocate()
  /// needs no stack.
  [[gnu::noinline]] static bool open_list() noexcept {
    if (list.state != State::kNew || kCapacity == 0) return false;
    static thread_local Closer closer;
    closer.touch();
    list.state = State::kOpen;
    list.room = kCapacity;
    return true;
  }

  GPUKIT_FAST_THREAD_LOCAL static inline constinit detail::PoolList list{};
};

}  // namespace gpukit
