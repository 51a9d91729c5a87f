#include "autograd/node.h"

#include "autograd/elementwise.h"
#include "autograd/grad_mode.h"
#include "base/check.h"
#include "base/error.h"
#include "tensor/node_pool.h"

namespace gpukit::autograd {

namespace {

std::atomic<std::uint64_t> next_sequence{1};

/// Nodes of this thread whose last reference is gone, when one is being ended already.
struct Dying {
  Node* first = nullptr;
  bool ending = false;
};
constinit thread_local Dying dying;

struct NodeTag;
constexpr std::size_t kPooledBytes = 384;  // most nodes; a larger one is allocated for itself
using Pool = NodePool<NodeTag, kPooledBytes, 64, 128>;

/// True if no other tensor shares the memory.
bool is_sole_owner(const Tensor& tensor) noexcept {
  return tensor.use_count() == 1 && tensor.storage().use_count() == 1;
}

}  // namespace

namespace detail {

std::mutex& lock_of(const void* node) noexcept {
  static std::array<std::mutex, 16> locks;
  return locks[reinterpret_cast<std::uintptr_t>(node) / 64 % locks.size()];
}

void throw_freed(const char* name) {
  throw AutogradError(concat("backward(): ", name,
                             " was used before and has let go of what it saved. Call "
                             "backward(retain_graph=True) the first time, or compute the result "
                             "again."))
      .with_fix("loss.backward(retain_graph=True)");
}

}  // namespace detail

Node::Node(const char* name, const Tensor& output, Edges&& edges)
    : name_(name),
      sequence_(next_sequence.fetch_add(1, std::memory_order_relaxed)),
      kind_(output),
      edges_(std::move(edges)) {}

void* Node::operator new(std::size_t bytes) {
  return bytes <= kPooledBytes ? Pool::allocate() : ::operator new(bytes);
}

void Node::operator delete(void* address, std::size_t bytes) noexcept {
  if (bytes <= kPooledBytes) return Pool::deallocate(address);
  ::operator delete(address);
}

void Node::end(Node* node) noexcept { delete node; }

// Destroying a node releases those it points to, which may be destroyed in turn: they wait in a
// list, so that a chain of any length needs no stack.
void Node::destroy() noexcept {
  next_dying_ = dying.first;
  dying.first = this;
  if (dying.ending) return;
  dying.ending = true;
  while (dying.first != nullptr) {
    Node* node = dying.first;
    dying.first = node->next_dying_;
    end(node);
  }
  dying.ending = false;
}

Tensor Node::exchange_gradient(Tensor gradient) noexcept {
  const std::lock_guard lock(detail::lock_of(this));
  std::swap(gradient_, gradient);
  return gradient;
}

Tensor Node::gradient() const {
  const std::lock_guard lock(detail::lock_of(this));
  return gradient_;
}

void Node::set_gradient(Tensor gradient) noexcept { exchange_gradient(std::move(gradient)); }

bool Node::store_if_empty(const Tensor& gradient) noexcept {
  const std::lock_guard lock(detail::lock_of(this));
  if (gradient_.defined()) return false;
  gradient_ = gradient;
  return true;
}

void Node::accumulate(Tensor gradient) {
  Tensor sum = std::move(gradient);
  do {  // again when another pass has stored a gradient while the sum was computed
    Tensor present = exchange_gradient(Tensor());
    if (present.defined() && (grad_enabled() || present.requires_grad())) {
      sum = binary(BinaryOp::kAdd, present, sum);
    } else if (present.defined()) {
      ops::binary_(BinaryOp::kAdd, present, sum);
      sum = std::move(present);
    } else if (!sum.is_contiguous() || !is_sole_owner(sum)) {
      sum = clone(sum);
    }
  } while (!store_if_empty(sum));
}

const std::shared_ptr<NodeHooks>& Node::make_hooks() {
  if (!hooks_) hooks_ = std::make_shared<NodeHooks>();
  return hooks_;
}

const std::shared_ptr<HookList>& Leaf::make_stored_hooks() {
  any_.store(true, std::memory_order_relaxed);
  if (!stored_hooks_) stored_hooks_ = std::make_shared<HookList>();
  return stored_hooks_;
}

void Leaf::call_stored_hooks() const {
  if (!stored_hooks_) return;
  for (const auto& [id, hook] : stored_hooks_->all())
    static_cast<TensorHook&>(*hook).call(Tensor());
}

Node& node_for(const Tensor& tensor) {
  if (tensor.impl()->is_stale_view()) [[unlikely]]
    refresh_view(tensor);
  auto& slot = tensor.impl()->autograd;
  if (!slot) slot = CountedPtr<AutogradMeta>::adopt(new Leaf(tensor));
  return static_cast<Node&>(*slot);
}

}  // namespace gpukit::autograd
