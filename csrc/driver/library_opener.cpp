#include "driver/library_opener.h"

#include <utility>

namespace gpukit::driver {

DynamicLibrary open_candidate(const Candidate& candidate, LoadReport& report) {
  const auto record = [&](const char* outcome, std::string reason) {
    report.attempts.push_back({candidate.path, candidate.origin, outcome, std::move(reason)});
    return DynamicLibrary();
  };
  if (std::string reason = refusal(candidate); !reason.empty())
    return record(kRefused, std::move(reason));
  if (!file_exists(candidate.path)) return record(kNotFound, "there is no such file");
  std::string message;
  DynamicLibrary library = DynamicLibrary::open(candidate.path, message);
  if (!library) return record(kFailed, std::move(message));
  library.keep_forever();
  record(kOpened, {});
  return library;
}

void reject_last(LoadReport& report, std::string reason) {
  report.attempts.back().outcome = kFailed;
  report.attempts.back().reason = std::move(reason);
}

std::string attempts_text(const LoadReport& report) {
  std::string text;
  for (const LoadAttempt& attempt : report.attempts) {
    if (attempt.outcome == kNotFound || attempt.outcome == kOpened) continue;
    if (!text.empty()) text += "; ";
    text += attempt.outcome + " " + attempt.path + ": " + attempt.reason;
  }
  return text;
}

}  // namespace gpukit::driver
