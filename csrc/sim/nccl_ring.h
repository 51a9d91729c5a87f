// What a ring of GPUs computes: real values, moved from neighbour to neighbour, every byte counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/half.h"

namespace gpukit::sim::nccl {

enum DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBFloat16 = 9,
};

enum Op : int { kSum = 0, kProduct = 1, kMax = 2, kMin = 3, kAverage = 4 };

enum class Kind { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kSend, kReceive };

inline const char* name_of(Kind kind) {
  static constexpr const char* kNames[] = {"ncclAllReduce", "ncclReduce",        "ncclBroadcast",
                                           "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                           "ncclRecv"};
  return kNames[static_cast<int>(kind)];
}

inline std::size_t bytes_of(int type) {
  static constexpr std::size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= kInt8 && type <= kBFloat16 ? kBytes[type] : 0;
}

/// What every rank has to call alike.
struct Call {
  Kind kind{};
  std::size_t count = 0;  ///< as the function has it: of one rank's part in gather and scatter
  int type = kFloat32;
  int op = kSum;
  int root = 0;  ///< the other rank of a message

  bool operator==(const Call&) const = default;
  bool is_message() const { return kind == Kind::kSend || kind == Kind::kReceive; }
  bool computes() const {
    return kind != Kind::kBroadcast && kind != Kind::kAllGather && !is_message();
  }
  std::string text() const {
    std::string text = std::string(name_of(kind)) + " of " + std::to_string(count) +
                       " elements of type " + std::to_string(type);
    if (computes()) text += ", op " + std::to_string(op);
    if (kind == Kind::kReduce || kind == Kind::kBroadcast) text += ", root " + std::to_string(root);
    if (is_message()) text += ", peer " + std::to_string(root);
    return text;
  }
};

/// Which ranks do not call what rank 0 calls; empty where all do.
inline std::string difference(const std::vector<Call>& calls) {
  for (std::size_t rank = 1; rank < calls.size(); rank++) {
    if (calls[rank] == calls[0]) continue;
    return "the ranks differ: rank 0 calls " + calls[0].text() + ", rank " + std::to_string(rank) +
           " " + calls[rank].text();
  }
  return {};
}

struct Sizes {
  std::size_t send = 0;
  std::size_t receive = 0;
};

/// Bytes of a rank's buffers.
inline Sizes sizes_of(const Call& call, std::size_t ranks) {
  const std::size_t bytes = call.count * bytes_of(call.type);
  if (call.kind == Kind::kAllGather) return {bytes, bytes * ranks};
  if (call.kind == Kind::kReduceScatter) return {bytes * ranks, bytes};
  return {bytes, bytes};
}

/// Whether the call reads the rank's send buffer, or writes its receive buffer.
inline bool needs(const Call& call, std::size_t rank, bool sends) {
  const bool is_root = static_cast<std::size_t>(call.root) == rank;
  if (call.kind == Kind::kBroadcast && sends) return is_root;
  if (call.kind == Kind::kReduce && !sends) return is_root;
  if (call.is_message()) return sends == (call.kind == Kind::kSend);
  return true;
}

/// One rank's buffers, and what it has sent.
struct Part {
  const char* send = nullptr;
  char* receive = nullptr;
  std::uint64_t sent = 0;
};

template <class T>
T combined(int op, T a, T b) {
  switch (op) {
    case kProduct:
      return static_cast<T>(a * b);
    case kMax:
      return std::max(a, b);
    case kMin:
      return std::min(a, b);
    default:
      return static_cast<T>(a + b);
  }
}

template <class T>
void combine(int op, const char* from, char* into, std::size_t count) {
  for (std::size_t i = 0; i < count; i++) {
    T a, b;
    std::memcpy(&a, into + i * sizeof(T), sizeof(T));
    std::memcpy(&b, from + i * sizeof(T), sizeof(T));
    a = combined(op, a, b);
    std::memcpy(into + i * sizeof(T), &a, sizeof(T));
  }
}

template <auto to_float, auto from_float>
void combine(int op, const char* from, char* into, std::size_t count) {
  for (std::size_t i = 0; i < count; i++) {
    std::uint16_t a, b;
    std::memcpy(&a, into + 2 * i, 2);
    std::memcpy(&b, from + 2 * i, 2);
    a = from_float(combined(op, to_float(a), to_float(b)));
    std::memcpy(into + 2 * i, &a, 2);
  }
}

inline void combine(const Call& call, const char* from, char* into, std::size_t count) {
  switch (call.type) {
    case kInt8:
      return combine<std::int8_t>(call.op, from, into, count);
    case kUint8:
      return combine<std::uint8_t>(call.op, from, into, count);
    case kInt32:
      return combine<std::int32_t>(call.op, from, into, count);
    case kUint32:
      return combine<std::uint32_t>(call.op, from, into, count);
    case kInt64:
      return combine<std::int64_t>(call.op, from, into, count);
    case kUint64:
      return combine<std::uint64_t>(call.op, from, into, count);
    case kFloat16:
      return combine<half_bits_to_float, float_to_half_bits>(call.op, from, into, count);
    case kBFloat16:
      return combine<bfloat16_bits_to_float, float_to_bfloat16_bits>(call.op, from, into, count);
    case kFloat32:
      return combine<float>(call.op, from, into, count);
    default:
      return combine<double>(call.op, from, into, count);
  }
}

template <class T>
void divide(char* data, std::size_t count, T by) {
  for (std::size_t i = 0; i < count; i++) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    value = static_cast<T>(value / by);
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

template <auto to_float, auto from_float>
void divide(char* data, std::size_t count, float by) {
  for (std::size_t i = 0; i < count; i++) {
    std::uint16_t value;
    std::memcpy(&value, data + 2 * i, 2);
    value = from_float(to_float(value) / by);
    std::memcpy(data + 2 * i, &value, 2);
  }
}

inline void scale(int type, char* data, std::size_t count, std::size_t ranks) {
  const auto by = static_cast<float>(ranks);
  if (type == kFloat32) return divide<float>(data, count, by);
  if (type == kFloat64) return divide<double>(data, count, by);
  if (type == kFloat16) return divide<half_bits_to_float, float_to_half_bits>(data, count, by);
  if (type == kBFloat16)
    return divide<bfloat16_bits_to_float, float_to_bfloat16_bits>(data, count, by);
  if (type == kUint64) return divide<std::uint64_t>(data, count, ranks);
  if (type == kInt64) return divide<std::int64_t>(data, count, static_cast<std::int64_t>(ranks));
  if (type == kInt32) return divide<std::int32_t>(data, count, static_cast<std::int32_t>(ranks));
  if (type == kUint32) return divide<std::uint32_t>(data, count, static_cast<std::uint32_t>(ranks));
  if (type == kInt8) return divide<std::int8_t>(data, count, static_cast<std::int8_t>(ranks));
  return divide<std::uint8_t>(data, count, static_cast<std::uint8_t>(ranks));
}

/// All ranks' parts of one call, on a ring: rank r sends to r + 1.
class Ring {
 public:
  Ring(const Call& call, std::vector<Part>& parts)
      : call_(call), parts_(parts), ranks_(parts.size()), item_(bytes_of(call.type)) {}

  void run() {
    switch (call_.kind) {
      case Kind::kAllReduce:
        return all_reduce();
      case Kind::kReduce:
        return reduce();
      case Kind::kBroadcast:
        return broadcast();
      case Kind::kAllGather:
        return all_gather();
      case Kind::kReduceScatter:
        return reduce_scatter();
      case Kind::kSend:
      case Kind::kReceive:
        return;  // no part of a ring
    }
  }

 private:
  using Buffers = std::vector<std::vector<char>>;

  std::size_t next(std::size_t rank) const { return (rank + 1) % ranks_; }
  /// Elements before a chunk: chunks differ by one element at most.
  std::size_t start(std::size_t chunk, std::size_t count) const { return chunk * count / ranks_; }

  Buffers copies(std::size_t count) const {
    Buffers all;
    for (const Part& part : parts_) all.emplace_back(part.send, part.send + count * item_);
    return all;
  }

  /// After it, rank r has the sum of chunk r. Each rank sends all chunks but one.
  void scatter(Buffers& all, std::size_t count) {
    for (std::size_t step = 0; step + 1 < ranks_; step++) {
      for (std::size_t rank = 0; rank < ranks_; rank++) {
        const std::size_t chunk = (rank + 2 * ranks_ - 1 - step) % ranks_;
        add(all, rank, start(chunk, count), start(chunk + 1, count));
      }
    }
    if (call_.op != kAverage) return;
    for (std::size_t rank = 0; rank < ranks_; rank++) {
      const std::size_t first = start(rank, count);
      scale(call_.type, all[rank].data() + first * item_, start(rank + 1, count) - first, ranks_);
    }
  }

  void add(Buffers& all, std::size_t rank, std::size_t first, std::size_t end) {
    const std::size_t place = first * item_;
    combine(call_, all[rank].data() + place, all[next(rank)].data() + place, end - first);
    parts_[rank].sent += (end - first) * item_;
  }

  void all_reduce() {
    Buffers all = copies(call_.count);
    scatter(all, call_.count);
    for (std::size_t step = 0; step + 1 < ranks_; step++) {
      for (std::size_t rank = 0; rank < ranks_; rank++) {
        const std::size_t chunk = (rank + ranks_ - step) % ranks_;
        const std::size_t first = start(chunk, call_.count);
        const std::size_t bytes = (start(chunk + 1, call_.count) - first) * item_;
        copy(all[rank].data() + first * item_, all[next(rank)].data() + first * item_, bytes, rank);
      }
    }
    for (std::size_t rank = 0; rank < ranks_; rank++) store(all[rank].data(), rank, call_.count);
  }

  void reduce_scatter() {
    Buffers all = copies(call_.count * ranks_);
    scatter(all, call_.count * ranks_);
    for (std::size_t rank = 0; rank < ranks_; rank++)
      store(all[rank].data() + rank * call_.count * item_, rank, call_.count);
  }

  void reduce() {
    Buffers all = copies(call_.count);
    const auto root = static_cast<std::size_t>(call_.root);
    for (std::size_t step = 1; step < ranks_; step++)
      add(all, (root + step) % ranks_, 0, call_.count);
    if (call_.op == kAverage) scale(call_.type, all[root].data(), call_.count, ranks_);
    store(all[root].data(), root, call_.count);
  }

  void broadcast() {
    auto rank = static_cast<std::size_t>(call_.root);
    const std::size_t bytes = call_.count * item_;
    std::memmove(parts_[rank].receive, parts_[rank].send, bytes);
    for (std::size_t step = 0; step + 1 < ranks_; step++, rank = next(rank))
      copy(parts_[rank].receive, parts_[next(rank)].receive, bytes, rank);
  }

  void all_gather() {
    const std::size_t bytes = call_.count * item_;
    const Buffers own = copies(call_.count);
    for (std::size_t rank = 0; rank < ranks_; rank++)
      std::memcpy(parts_[rank].receive + rank * bytes, own[rank].data(), bytes);
    for (std::size_t step = 0; step + 1 < ranks_; step++) {
      for (std::size_t rank = 0; rank < ranks_; rank++) {
        const std::size_t place = (rank + ranks_ - step) % ranks_ * bytes;
        copy(parts_[rank].receive + place, parts_[next(rank)].receive + place, bytes, rank);
      }
    }
  }

  void copy(const char* from, char* into, std::size_t bytes, std::size_t rank) {
    std::memcpy(into, from, bytes);
    parts_[rank].sent += bytes;
  }

  void store(const char* result, std::size_t rank, std::size_t count) {
    std::memcpy(parts_[rank].receive, result, count * item_);
  }

  const Call& call_;
  std::vector<Part>& parts_;
  std::size_t ranks_;
  std::size_t item_;
};

}  // namespace gpukit::sim::nccl
