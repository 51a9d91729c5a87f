// Messages for people. Four levels; GPUKIT_LOG names the least important one that is shown.
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <string_view>

namespace gpukit::log {

enum class Level { kDebug, kInfo, kWarning, kError };

std::string_view level_name(Level level) noexcept;

/// Level in force: the one set last, else GPUKIT_LOG, read at the first message.
Level threshold();
void set_threshold(Level level) noexcept;

/// Receives each shown message. It may run on any thread and without the GIL; no lock of the log is
/// held.
using Sink = std::function<void(Level, std::string_view)>;

/// Replaces the sink; an empty one brings standard error back.
void set_sink(Sink sink);

/// Hands a finished message to the sink, whatever its level. Passes on what the sink throws.
void emit(Level level, std::string_view message);

inline bool enabled(Level level) { return level >= threshold(); }

template <class... Parts>
void write(Level level, const Parts&... parts) {
  if (!enabled(level)) return;
  std::ostringstream out;
  (out << ... << parts);
  emit(level, out.str());
}

template <class... Parts>
void debug(const Parts&... parts) {
  write(Level::kDebug, parts...);
}
template <class... Parts>
void info(const Parts&... parts) {
  write(Level::kInfo, parts...);
}
template <class... Parts>
void warning(const Parts&... parts) {
  write(Level::kWarning, parts...);
}
template <class... Parts>
void error(const Parts&... parts) {
  write(Level::kError, parts...);
}

/// For destructors and callbacks: a message that cannot be shown is dropped.
template <class... Parts>
void warn_noexcept(const Parts&... parts) noexcept {
  try {
    write(Level::kWarning, parts...);
  } catch (...) {  // nowhere to report it
  }
}

}  // namespace gpukit::log
