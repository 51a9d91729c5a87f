// A shared library opened at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpukit {

/// Move-only owner of a dlopen handle. The destructor closes it unless `keep_forever` was called.
class DynamicLibrary {
 public:
  DynamicLibrary() noexcept = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  /// Opens by absolute path, symbols private to the handle and all resolved at once. The result is
  /// empty on failure and `message` then holds the loader's words; a path that is not absolute is
  /// refused.
  static DynamicLibrary open(const std::string& absolute_path, std::string& message);

  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Address of an exported symbol, or null.
  void* symbol(const char* name) const noexcept;

  /// The file that the loader mapped; it differs from the requested path when that was a
  /// link.
  const std::string& path() const noexcept { return path_; }

  /// Vendor libraries leave threads and exit handlers behind: they are never unmapped.
  void keep_forever() noexcept { keep_ = true; }

 private:
  void close() noexcept;

  void* handle_ = nullptr;
  std::string path_;
  bool keep_ = false;
};

/// Absolute paths of the libraries in this process whose file name begins with `name_prefix`.
std::vector<std::string> already_mapped(std::string_view name_prefix);

}  // namespace gpukit
