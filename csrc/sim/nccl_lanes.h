// Messages from one rank to another, ncclSend and ncclRecv: they pass through memory of both in
// pieces.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/nccl_ring.h"

namespace gpukit::sim::nccl {

/// A message of one rank: `call.root` is the other one.
struct Message {
  Call call;
  char* data = nullptr;

  bool sends() const { return call.kind == Kind::kSend; }
  std::size_t peer() const { return static_cast<std::size_t>(call.root); }
  std::size_t bytes() const { return call.count * bytes_of(call.type); }
};

/// What a rank has come to, as the other end of a lane sees it.
struct LaneEnd {
  std::atomic<std::uint64_t> messages;
  std::size_t count;
  int type;
};

/// The messages from one rank to another, one after the other. Memory of zeros is its start.
struct Lane {
  static constexpr std::size_t kPiece = 1 << 18;

  LaneEnd sender;
  LaneEnd receiver;
  std::atomic<std::uint64_t> filled;  ///< pieces
  std::atomic<std::uint64_t> taken;
  char piece[kPiece];
};

/// One message on its way, as one of its ends moves it.
class Passage {
 public:
  Passage(Lane& lane, const Message& message, std::size_t rank)
      : lane_(lane), message_(message), rank_(rank) {}

  bool done() const { return done_; }

  /// Moves what can be moved now; whether there was something. A difference of the ends is `fault`.
  bool advance(std::string& fault) {
    if (!begun_) begin();
    if (!agreed_ && !agree(fault)) return false;
    return message_.sends() ? fill() : take();
  }

 private:
  LaneEnd& own() const { return message_.sends() ? lane_.sender : lane_.receiver; }
  LaneEnd& other() const { return message_.sends() ? lane_.receiver : lane_.sender; }
  /// An empty message has a piece, too: an end that is done knows that the other has compared.
  std::uint64_t pieces() const {
    return std::max<std::uint64_t>(1, (message_.bytes() + Lane::kPiece - 1) / Lane::kPiece);
  }
  std::size_t bytes_of_piece() const {
    return std::min(Lane::kPiece, message_.bytes() - moved_ * Lane::kPiece);
  }
  char* place() const { return message_.data + moved_ * Lane::kPiece; }

  void begin() {
    begun_ = true;
    number_ = own().messages.load(std::memory_order_relaxed) + 1;
    first_ = (message_.sends() ? lane_.filled : lane_.taken).load(std::memory_order_relaxed);
    own().count = message_.call.count;
    own().type = message_.call.type;
    own().messages.store(number_, std::memory_order_release);
  }

  bool agree(std::string& fault) {
    if (other().messages.load(std::memory_order_acquire) < number_) return false;
    if (other().count != own().count || other().type != own().type) {
      Call theirs = message_.call;
      theirs.kind = message_.sends() ? Kind::kReceive : Kind::kSend;
      theirs.count = other().count;
      theirs.type = other().type;
      theirs.root = static_cast<int>(rank_);
      fault = "the ranks differ: rank " + std::to_string(rank_) + " calls " + message_.call.text() +
              ", rank " + std::to_string(message_.peer()) + " " + theirs.text();
      return false;
    }
    agreed_ = true;
    return true;
  }

  bool fill() {
    const std::uint64_t taken = lane_.taken.load(std::memory_order_acquire);
    if (taken < first_ + moved_) return false;
    if (moved_ == pieces()) return done_ = true;
    if (message_.bytes() > 0) std::memcpy(lane_.piece, place(), bytes_of_piece());
    lane_.filled.store(first_ + ++moved_, std::memory_order_release);
    return true;
  }

  bool take() {
    if (lane_.filled.load(std::memory_order_acquire) <= first_ + moved_) return false;
    if (message_.bytes() > 0) std::memcpy(place(), lane_.piece, bytes_of_piece());
    lane_.taken.store(first_ + ++moved_, std::memory_order_release);
    done_ = moved_ == pieces();
    return true;
  }

  Lane& lane_;
  Message message_;
  std::size_t rank_;
  std::uint64_t number_ = 0;  // of the message in its lane
  std::uint64_t first_ = 0;   // of its pieces
  std::uint64_t moved_ = 0;
  bool begun_ = false;
  bool agreed_ = false;
  bool done_ = false;
};

/// The messages of one group call of a rank: those of a lane in their order, lanes side by side.
class Exchange {
 public:
  Exchange(Lane* lanes, std::size_t ranks, std::size_t rank, const std::vector<Message>& messages) {
    for (const Message& each : messages) {
      const std::size_t from = each.sends() ? rank : each.peer();
      const std::size_t to = each.sends() ? each.peer() : rank;
      Lane& lane = lanes[from * ranks + to];
      const Key key = {&lane, each.sends()};
      const auto known = std::find(keys_.begin(), keys_.end(), key);
      const auto queue = static_cast<std::size_t>(known - keys_.begin());
      if (known == keys_.end()) {
        keys_.push_back(key);
        queues_.emplace_back();
      }
      queues_[queue].emplace_back(lane, each, rank);
    }
    next_.resize(queues_.size());
  }

  bool done() const {
    for (std::size_t i = 0; i < queues_.size(); i++)
      if (next_[i] < queues_[i].size()) return false;
    return true;
  }

  /// Whether anything moved.
  bool advance(std::string& fault) {
    bool moved = false;
    for (std::size_t i = 0; i < queues_.size() && fault.empty(); i++) {
      if (next_[i] == queues_[i].size()) continue;
      Passage& first = queues_[i][next_[i]];
      while (!first.done() && first.advance(fault)) moved = true;
      if (first.done()) next_[i]++;
    }
    return moved;
  }

 private:
  struct Key {
    const Lane* lane;
    bool sends;
    bool operator==(const Key&) const = default;
  };
  std::vector<Key> keys_;
  std::vector<std::vector<Passage>> queues_;
  std::vector<std::size_t> next_;
};

/// Bytes that go from a rank to others.
inline std::uint64_t bytes_sent(std::size_t rank, const std::vector<Message>& messages) {
  std::uint64_t bytes = 0;
  for (const Message& each : messages)
    if (each.sends() && each.peer() != rank) bytes += each.bytes();
  return bytes;
}

}  // namespace gpukit::sim::nccl
