// CRC-32 by tables, eight bytes a step, and by carry-less products where the processor has them.
#include "cpu/crc32.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>

#include "base/x86_features.h"
#endif

namespace gpukit::cpu {
namespace {

using Table = std::array<std::uint32_t, 256>;

/// tables[k][b]: what a byte b does to the state when k more bytes follow it.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1u) ? 0xEDB88320u : 0u);
    tables[0][byte] = state;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xffu];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

std::uint32_t one_byte(std::uint32_t state, unsigned char byte) noexcept {
  return (state >> 8) ^ kTables[0][(state ^ byte) & 0xffu];
}

std::uint32_t eight_bytes(std::uint32_t state, const unsigned char* data) noexcept {
  std::uint32_t next = 0;
  for (unsigned i = 0; i < 4; ++i) next ^= kTables[7 - i][((state >> (8 * i)) ^ data[i]) & 0xffu];
  for (unsigned i = 4; i < 8; ++i) next ^= kTables[7 - i][data[i]];
  return next;
}

std::uint32_t by_tables(std::uint32_t state, const unsigned char* data,
                        std::size_t bytes) noexcept {
  for (; bytes >= 8; bytes -= 8, data += 8) state = eight_bytes(state, data);
  for (; bytes > 0; --bytes, ++data) state = one_byte(state, *data);
  return state;
}

#if defined(__x86_64__)

#define GPUKIT_CLMUL __attribute__((target("pclmul,sse4.1")))

GPUKIT_CLMUL inline __m128i load(const unsigned char* data) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

/// The 16 bytes moved forward by the distance of `factors`, modulo the polynomial, onto `next`.
GPUKIT_CLMUL inline __m128i fold(__m128i state, __m128i factors, __m128i next) noexcept {
  const __m128i low = _mm_clmulepi64_si128(state, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(state, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// `bytes` is a multiple of 16, and at least 64. What is left of them are 16 bytes with the same
/// checksum.
GPUKIT_CLMUL std::uint32_t by_products(std::uint32_t state, const unsigned char* data,
                                       std::size_t bytes) noexcept {
  // Powers of x modulo the polynomial, for distances of 64 and of 16 bytes (bits reflected).
  const __m128i far = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i near = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i lanes[4];
  for (int i = 0; i < 4; ++i) lanes[i] = load(data + 16 * i);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  for (data += 64, bytes -= 64; bytes >= 64; data += 64, bytes -= 64) {
    for (int i = 0; i < 4; ++i) lanes[i] = fold(lanes[i], far, load(data + 16 * i));
  }
  __m128i rest = lanes[0];
  for (int i = 1; i < 4; ++i) rest = fold(rest, near, lanes[i]);
  for (; bytes > 0; data += 16, bytes -= 16) rest = fold(rest, near, load(data));
  unsigned char block[16];
  std::memcpy(block, &rest, sizeof block);
  return by_tables(0, block, sizeof block);
}

#undef GPUKIT_CLMUL

bool has_products() noexcept {
  static const bool found = x86::has_carryless_products();
  return found;
}

#endif

}  // namespace

std::uint32_t crc32(std::uint32_t value, const void* data, std::size_t bytes) noexcept {
  const auto* from = static_cast<const unsigned char*>(data);
  std::uint32_t state = ~value;
#if defined(__x86_64__)
  if (bytes >= 64 && has_products()) {
    const std::size_t whole = bytes & ~std::size_t{15};
    state = by_products(state, from, whole);
    from += whole;
    bytes -= whole;
  }
#endif
  return ~by_tables(state, from, bytes);
}

}  // namespace gpukit::cpu
