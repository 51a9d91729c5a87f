// gpukit's own small thread pool: started on first use, asleep when idle, forgotten in a forked
// child.
#pragma once

#include <cstdint>

namespace gpukit::cpu {

/// Work on the index range [begin, end). May throw; the first exception reaches the caller of
/// parallel_for.
using RangeFunction = void (*)(void* context, std::int64_t begin, std::int64_t end);

/// Covers [0, count) with calls of `function`, each for at least `grain` indices (but the last).
/// The caller works too and finishes what no worker has taken, so a busy core costs at most its
/// share. Runs inline when one piece is enough, inside another parallel_for, or while another
/// thread uses the pool.
void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function, void* context);

/// For work of a few microseconds, cut in exactly `pieces`: sleeping workers are woken only in a
/// series of such calls. Pieces are taken in order, so the longest should come first.
void parallel_pieces(std::int64_t pieces, bool brief, RangeFunction function, void* context);

/// The same two with a callable `body(begin, end)`, which is only referred to.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  parallel_for(
      count, grain,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}
template <class Body>
void parallel_pieces(std::int64_t pieces, bool brief, const Body& body) {
  parallel_pieces(
      pieces, brief,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

/// Threads that a call from here would use: 1 inside a parallel_for.
int available_threads() noexcept;

/// Threads that CPU work uses, the caller included. At the start GPUKIT_NUM_THREADS, else all
/// usable cores.
int get_num_threads() noexcept;

/// Throws ValueError unless 1 <= count <= 4096.
void set_num_threads(int count);

/// Cores this process may use: the affinity mask, limited by the container's CPU quota.
int usable_cores() noexcept;

}  // namespace gpukit::cpu
