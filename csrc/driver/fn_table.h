// Turns an X-list of vendor functions into a struct of typed slots and a list of entries that fills
// it.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "driver/cuda_functions.h"

namespace gpukit::driver {

enum class Presence { kRequired, kOptional };

/// One function of a table: its name here and in the library, and where its address is stored.
struct FnEntry {
  const char* name;    // member of the table
  const char* symbol;  // what the library exports
  int since;           // CUDA's packed version, 0 where unknown
  Presence presence;
  std::size_t offset;  // of the slot in the table
};

namespace detail {
static_assert(sizeof(void*) == sizeof(void (*)()), "symbols are passed as data pointers");
}

/// Writes an address into the slot of `entry`; null empties it.
template <class Table>
void set_slot(Table& table, const FnEntry& entry, void* address) noexcept {
  std::memcpy(reinterpret_cast<unsigned char*>(&table) + entry.offset, &address, sizeof address);
}

template <class Table>
bool slot_is_set(const Table& table, const FnEntry& entry) noexcept {
  void* address = nullptr;
  std::memcpy(&address, reinterpret_cast<const unsigned char*>(&table) + entry.offset,
              sizeof address);
  return address != nullptr;
}

struct MissingFunctions {
  std::vector<std::string> required;
  std::vector<std::string> optional;
};

/// Fills every slot with `lookup(entry)` (an address or null) and says which stayed empty.
template <class Table, class Lookup>
MissingFunctions fill(Table& table, std::span<const FnEntry> entries, Lookup lookup) {
  MissingFunctions missing;
  for (const FnEntry& entry : entries) {
    void* address = lookup(entry);
    set_slot(table, entry, address);
    if (address != nullptr) continue;
    (entry.presence == Presence::kRequired ? missing.required : missing.optional)
        .emplace_back(entry.symbol);
  }
  return missing;
}

#define GPUKIT_DECLARE_SLOT(member, symbol, type, since, presence) type member = nullptr;

/// The driver's functions. A null slot is an optional function that this driver does not have.
struct DriverTable {
  GPUKIT_CUDA_FUNCTIONS(GPUKIT_DECLARE_SLOT)
};

#undef GPUKIT_DECLARE_SLOT

/// The entries of DriverTable in the order of the X-list.
std::span<const FnEntry> driver_entries() noexcept;

/// The entry with that member name, or null.
const FnEntry* find_entry(const char* name) noexcept;

}  // namespace gpukit::driver
