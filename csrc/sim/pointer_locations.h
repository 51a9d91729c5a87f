// Offsets of pointers in a kernel's arguments, found by the compiler from their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpukit::sim {

struct PointerLocation {
  unsigned parameter = 0;
  unsigned offset = 0;  ///< bytes from the start of the parameter
};

/// Initialises any member that holds nothing else: pointers with all bits set, numbers with 0.
struct MarkedMember {
  template <class T>
  operator T*() const {
    return reinterpret_cast<T*>(~std::uintptr_t{0});
  }
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  operator T() const {
    return T{};
  }
};

template <class T, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), MarkedMember{})...}; };
}

/// How many members a T has, those of its members and elements counted one by one.
template <class T, std::size_t kLow = 0, std::size_t kHigh = sizeof(T)>
constexpr std::size_t count_members() {
  if constexpr (kLow == kHigh) {
    return kLow;
  } else {
    constexpr std::size_t kMiddle = kLow + (kHigh - kLow + 1) / 2;
    if constexpr (takes_members<T>(std::make_index_sequence<kMiddle>()))
      return count_members<T, kMiddle, kHigh>();
    else
      return count_members<T, kLow, kMiddle - 1>();
  }
}

template <class T, std::size_t... I>
void add_pointers(unsigned parameter, std::vector<PointerLocation>& pointers,
                  std::index_sequence<I...>) {
  alignas(T) unsigned char bytes[sizeof(T)] = {};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
  new (bytes) T{(static_cast<void>(I), MarkedMember{})...};
#pragma GCC diagnostic pop
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= sizeof(T); at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word == ~std::uintptr_t{0}) pointers.push_back({parameter, static_cast<unsigned>(at)});
  }
}

/// Of all parameters of a kernel, in order.
template <class... Args>
std::vector<PointerLocation> find_pointers() {
  std::vector<PointerLocation> pointers;
  [[maybe_unused]] unsigned parameter = 0;
  (add_pointers<Args>(parameter++, pointers, std::make_index_sequence<count_members<Args>()>()),
   ...);
  return pointers;
}

}  // namespace gpukit::sim
