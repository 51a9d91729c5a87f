// The ranks of one communicator, as its calls see them, and those that are all in one process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/nccl_lanes.h"
#include "sim/nccl_ring.h"

namespace gpukit::sim::nccl {

constexpr int kMostDevices = 64;
/// What a card would wait for without end is an error after this.
constexpr std::chrono::seconds kPatience{20};

/// Bytes that each device of this process has sent.
inline std::atomic<std::uint64_t> sent_bytes[kMostDevices];

class Group {
 public:
  virtual ~Group() = default;
  virtual std::size_t size() const = 0;
  /// The device of a rank of this process.
  virtual int device(std::size_t rank) const = 0;
  /// Whether all ranks are in this process.
  virtual bool is_local() const = 0;
  /// On the thread of the rank's stream: waits for the others. After an error nothing is computed,
  /// for a rank that gave up may have freed its memory.
  virtual void meet(std::uint64_t number, std::size_t rank, const Call& call, const Part& part) = 0;
  /// On the thread of the rank's stream: moves its messages, as far as their other ends come.
  virtual void exchange(std::size_t rank, const std::vector<Message>& messages) = 0;
  /// A planned fault: the rank does not come to the call.
  virtual void hang(const Call& call) = 0;
  virtual void cancel(const std::string& why) = 0;
  virtual std::string error() const = 0;
};

/// What the communicators of one ncclCommInitAll share.
class LocalGroup final : public Group {
 public:
  explicit LocalGroup(std::vector<int> devices) : devices_(std::move(devices)) {}

  std::size_t size() const override { return devices_.size(); }
  int device(std::size_t rank) const override { return devices_[rank]; }
  bool is_local() const override { return true; }

  /// The last rank to come computes.
  void meet(std::uint64_t number, std::size_t rank, const Call& call, const Part& part) override {
    std::unique_lock lock(mutex_);
    if (aborted_) return;
    auto [place, is_new] = meetings_.try_emplace(number, nullptr);
    if (is_new) place->second = std::make_shared<Meeting>(size());
    const std::shared_ptr<Meeting> meeting = place->second;
    meeting->calls[rank] = call;
    meeting->parts[rank] = part;
    if (++meeting->arrived == size()) {
      finish(*meeting);
    } else if (!changed_.wait_for(lock, kPatience, [&] { return meeting->done || aborted_; })) {
      stop("rank " + std::to_string(rank) + " waited in vain: " + call.text());
    }
    if (++meeting->left == size()) meetings_.erase(number);
  }

  void exchange(std::size_t rank, const std::vector<Message>& messages) override {
    Lane* const made = lanes();
    if (made == nullptr) return cancel("there is no memory for messages");
    Exchange moving(made, size(), rank, messages);
    auto end = std::chrono::steady_clock::now() + kPatience;
    for (std::string fault; error().empty() && !moving.done();) {
      const auto now = std::chrono::steady_clock::now();
      if (moving.advance(fault)) {
        end = now + kPatience;
      } else if (!fault.empty()) {
        cancel(fault);
      } else if (now > end) {
        cancel("rank " + std::to_string(rank) + " waited in vain: " + messages[0].call.text());
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
    if (error().empty()) sent_bytes[devices_[rank]] += bytes_sent(rank, messages);
  }

  void hang(const Call& call) override {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [&] { return aborted_; }))
      stop("a rank hangs: " + call.text());
  }

  void cancel(const std::string& why) override {
    const std::lock_guard lock(mutex_);
    stop(why);
  }

  std::string error() const override {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  /// The ranks of one call of all ranks, as they come to it.
  struct Meeting {
    explicit Meeting(std::size_t ranks) : calls(ranks), parts(ranks) {}
    std::vector<Call> calls;
    std::vector<Part> parts;
    std::size_t arrived = 0;
    std::size_t left = 0;
    bool done = false;
  };

  void finish(Meeting& meeting) {
    if (const std::string fault = difference(meeting.calls); !fault.empty()) return stop(fault);
    Ring(meeting.calls.front(), meeting.parts).run();
    for (std::size_t rank = 0; rank < size(); rank++)
      sent_bytes[devices_[rank]] += meeting.parts[rank].sent;
    meeting.done = true;
    changed_.notify_all();
  }

  void stop(const std::string& why) {
    if (error_.empty()) error_ = why;
    aborted_ = true;
    changed_.notify_all();
  }

  /// One for each pair of ranks, made at the first message; null without memory. Pages that no
  /// message uses cost nothing.
  Lane* lanes() {
    const std::lock_guard lock(mutex_);
    if (lanes_ == nullptr) lanes_.reset(std::calloc(size() * size(), sizeof(Lane)));
    return static_cast<Lane*>(lanes_.get());
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::vector<int> devices_;
  std::unique_ptr<void, Free> lanes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings_;
  std::string error_;
  bool aborted_ = false;
};

}  // namespace gpukit::sim::nccl
