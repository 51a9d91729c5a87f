// Every environment variable that gpukit reads, as a table, and the only reader of the environment
// in C++.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpukit::env {

enum class Kind { kText, kPath, kFlag, kInteger, kChoice };

struct Variable {
  std::string_view name;
  Kind kind;
  std::string_view fallback;  // what an unset or invalid value means, as text
  std::string_view choices;   // "a|b|c" for kChoice, else empty
  std::int64_t lowest;        // bounds of kInteger, both included
  std::int64_t highest;
  std::string_view help;
  bool own;  // false: another project's variable that gpukit honours
};

/// The whole table, for the documentation, `doctor` and the tests.
std::span<const Variable> table() noexcept;

/// "text", "path", "flag", "integer" or "choice".
std::string_view kind_name(Kind kind) noexcept;

/// The raw value in the environment, or nothing. Names outside the table raise ValueError.
std::optional<std::string> raw(std::string_view name);

/// True when the variable is set, even to the empty string.
bool is_set(std::string_view name);

// Typed readers. They read the environment at each call; an unset or empty variable gives the
// table's default, an invalid one too, after one warning for each variable and process.
std::string text(std::string_view name);
bool flag(std::string_view name);
std::int64_t integer(std::string_view name);

}  // namespace gpukit::env
