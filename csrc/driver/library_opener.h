// Opens the first usable library of a search plan and writes down each attempt.
#pragma once

#include "base/dynamic_library.h"
#include "driver/load_report.h"
#include "driver/search_paths.h"

namespace gpukit::driver {

/// Opens one candidate if it exists and is safe. The attempt is added to the report in every case;
/// the result is empty when it was not opened. An opened library stays mapped for the life of the
/// process.
DynamicLibrary open_candidate(const Candidate& candidate, LoadReport& report);

/// Turns the last attempt, which was opened, into one that failed after all.
void reject_last(LoadReport& report, std::string reason);

/// The attempts that found a file but could not use it, as one line: outcome, path and reason.
std::string attempts_text(const LoadReport& report);

}  // namespace gpukit::driver
