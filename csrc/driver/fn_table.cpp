#include "driver/fn_table.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace gpukit::driver {

static_assert(std::is_standard_layout_v<DriverTable>, "slots are addressed by offset");

#define GPUKIT_ENTRY(member, symbol, type, since, presence) \
  FnEntry{#member, symbol, since, Presence::presence, offsetof(DriverTable, member)},

std::span<const FnEntry> driver_entries() noexcept {
  static constexpr auto kEntries = std::to_array<FnEntry>({GPUKIT_CUDA_FUNCTIONS(GPUKIT_ENTRY)});
  return kEntries;
}

#undef GPUKIT_ENTRY

const FnEntry* find_entry(const char* name) noexcept {
  for (const FnEntry& entry : driver_entries()) {
    if (std::string_view(entry.name) == name) return &entry;
  }
  return nullptr;
}

}  // namespace gpukit::driver
