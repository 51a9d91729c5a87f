// Queues of the demo device: each is a thread that does its tasks in order, behind the host's back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/interrupt.h"

namespace demo {

using Task = std::function<void()>;

/// Threads run until the process ends, as the streams of a driver do.
class Stream {
 public:
  Stream() {
    std::thread([this] { work(); }).detach();
  }

  void add(Task task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++queued_;
    changed_.notify_all();
  }
  bool idle() {
    const std::lock_guard lock(mutex_);
    return done_ == queued_;
  }
  /// Waits for what is queued now; Ctrl-C comes through.
  void synchronize() {
    std::unique_lock lock(mutex_);
    const std::uint64_t until = queued_;
    while (
        !changed_.wait_for(lock, std::chrono::milliseconds(10), [&] { return done_ >= until; })) {
      lock.unlock();
      gpukit::throw_if_interrupted();
      lock.lock();
    }
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      // Late enough that a host which does not wait reads what is not there yet.
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      task();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::uint64_t queued_ = 0, done_ = 0;
};

/// A mark in a stream. Tasks hold it, so that it outlives its owner.
class Event {
 public:
  using Clock = std::chrono::steady_clock;

  void record(Stream& stream, const std::shared_ptr<Event>& self) {
    std::unique_lock lock(mutex_);
    const std::uint64_t number = ++recorded_;
    lock.unlock();
    stream.add([self, number] { self->pass(number); });
  }
  /// Later tasks of `stream` start after the mark.
  void hold(Stream& stream, const std::shared_ptr<Event>& self) {
    const std::lock_guard lock(mutex_);
    stream.add([self, number = recorded_] { self->await(number); });
  }
  bool passed() {
    const std::lock_guard lock(mutex_);
    return passed_ >= recorded_;
  }
  void synchronize() {
    std::unique_lock lock(mutex_);
    const std::uint64_t until = recorded_;
    while (
        !changed_.wait_for(lock, std::chrono::milliseconds(10), [&] { return passed_ >= until; })) {
      lock.unlock();
      gpukit::throw_if_interrupted();
      lock.lock();
    }
  }
  Clock::time_point time() {
    const std::lock_guard lock(mutex_);
    return time_;
  }

 private:
  void pass(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    if (number > passed_) passed_ = number;
    time_ = Clock::now();
    changed_.notify_all();
  }
  void await(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed_ >= number; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t recorded_ = 0, passed_ = 0;
  Clock::time_point time_;
};

}  // namespace demo
