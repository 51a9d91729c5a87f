#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <utility>

#if defined(__linux__)
#include <link.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

namespace gpukit {

namespace dynamic_library {
namespace {

std::string mapped_path(void* handle, const std::string& asked) {
#if defined(__linux__)
  link_map* entry = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0 && entry != nullptr && entry->l_name[0] == '/') {
    return entry->l_name;
  }
#else
  static_cast<void>(handle);
#endif
  return asked;
}

bool begins_with(std::string_view path, std::string_view prefix) {
  if (path.empty() || path.front() != '/') return false;
  return path.substr(path.rfind('/') + 1).starts_with(prefix);
}

#if defined(__linux__)
struct MappedSearch {
  std::string_view prefix;
  std::vector<std::string> found;
};

int collect(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<MappedSearch*>(data);
  if (info->dlpi_name != nullptr && begins_with(info->dlpi_name, search->prefix)) {
    search->found.emplace_back(info->dlpi_name);
  }
  return 0;
}
#endif

}  // namespace
}  // namespace dynamic_library

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      keep_(other.keep_) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    path_ = std::move(other.path_);
    keep_ = other.keep_;
  }
  return *this;
}

DynamicLibrary::~DynamicLibrary() { close(); }

void DynamicLibrary::close() noexcept {
  if (handle_ != nullptr && !keep_) dlclose(handle_);
  handle_ = nullptr;
}

DynamicLibrary DynamicLibrary::open(const std::string& absolute_path, std::string& message) {
  DynamicLibrary library;
  if (absolute_path.empty() || absolute_path.front() != '/') {
    message = "not an absolute path";
    return library;
  }
  library.handle_ = dlopen(absolute_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    const char* reason = dlerror();
    message = reason != nullptr ? reason : "the loader gave no reason";
    return library;
  }
  library.path_ = dynamic_library::mapped_path(library.handle_, absolute_path);
  return library;
}

void* DynamicLibrary::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::vector<std::string> already_mapped(std::string_view name_prefix) {
#if defined(__linux__)
  dynamic_library::MappedSearch search{name_prefix, {}};
  dl_iterate_phdr(dynamic_library::collect, &search);
  return search.found;
#else
  std::vector<std::string> found;
#if defined(__APPLE__)
  for (std::uint32_t i = 0; i < _dyld_image_count(); ++i) {
    const char* name = _dyld_get_image_name(i);
    if (name != nullptr && dynamic_library::begins_with(name, name_prefix))
      found.emplace_back(name);
  }
#endif
  return found;
#endif
}

}  // namespace gpukit
