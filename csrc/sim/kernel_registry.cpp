#include "sim/kernel_registry.h"

#include <unordered_map>

#include "sim/device_runtime.h"

namespace gpukit::sim {

namespace kernel_registry {
namespace {

// Registrars run while the library is loaded, before any other static of it may be relied on.
KernelEntry* registered = nullptr;

std::unordered_map<std::string_view, const KernelEntry*> index() {
  std::unordered_map<std::string_view, const KernelEntry*> index;
  for (const KernelEntry* entry = registered; entry != nullptr; entry = entry->next)
    index.emplace(entry->name, entry);
  return index;
}

}  // namespace
}  // namespace kernel_registry

void register_kernel(KernelEntry* entry) {
  entry->next = kernel_registry::registered;
  kernel_registry::registered = entry;
}

const KernelEntry* find_kernel(std::string_view name) {
  static const auto* const index = new auto(kernel_registry::index());
  const auto found = index->find(name);
  return found == index->end() ? nullptr : found->second;
}

}  // namespace gpukit::sim
