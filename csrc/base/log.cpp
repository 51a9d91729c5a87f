#include "base/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>

#include "base/env.h"

namespace gpukit::log {

namespace {

constexpr int kUnread = -1;
constinit std::atomic<int> current_threshold{kUnread};

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

// Never destroyed: messages may come while static objects are torn down.
struct SinkHolder {
  std::mutex mutex;
  std::shared_ptr<const Sink> sink;
};

SinkHolder& state() {
  static auto* instance = new SinkHolder;
  return *instance;
}

void write_to_stderr(Level level, std::string_view message) {
  std::string line = "gpukit ";
  line.append(level_name(level)).append(": ").append(message).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Level read_environment() {
  const std::string name = env::text("GPUKIT_LOG");
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) return static_cast<Level>(i);
  }
  return Level::kWarning;
}

}  // namespace

std::string_view level_name(Level level) noexcept {
  return kLevelNames[static_cast<std::size_t>(level)];
}

Level threshold() {
  const int known = current_threshold.load(std::memory_order_relaxed);
  if (known != kUnread) return static_cast<Level>(known);
  // An invalid GPUKIT_LOG is reported through this very log, which therefore needs a level
  // meanwhile.
  int expected = kUnread;
  current_threshold.compare_exchange_strong(expected, static_cast<int>(Level::kWarning));
  const Level level = read_environment();
  expected = static_cast<int>(Level::kWarning);
  current_threshold.compare_exchange_strong(expected, static_cast<int>(level));
  return static_cast<Level>(current_threshold.load());
}

void set_threshold(Level level) noexcept { current_threshold.store(static_cast<int>(level)); }

void set_sink(Sink sink) {
  std::shared_ptr<const Sink> next =
      sink ? std::make_shared<const Sink>(std::move(sink)) : std::shared_ptr<const Sink>();
  {
    const std::lock_guard lock(state().mutex);
    state().sink.swap(next);
  }
  // The old sink dies here, unlocked: it may own Python objects.
}

void emit(Level level, std::string_view message) {
  std::shared_ptr<const Sink> sink;
  {
    const std::lock_guard lock(state().mutex);
    sink = state().sink;
  }
  if (sink) {
    (*sink)(level, message);
  } else {
    write_to_stderr(level, message);
  }
}

}  // namespace gpukit::log
