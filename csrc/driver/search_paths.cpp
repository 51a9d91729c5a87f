#include "driver/search_paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/dynamic_library.h"
#include "base/env.h"
#include "driver/loader_cache.h"

namespace gpukit::driver {

namespace search_paths {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriverSoname = "libcuda.so.1";
constexpr const char* kNowhere = "none";
constexpr const char* kMapped = "already in this process";

// Newest first; older majors than 11 have another GemmEx.
constexpr std::array<const char*, 3> kCublasSonames = {"libcublas.so.13", "libcublas.so.12",
                                                       "libcublas.so.11"};
// Newest first; those before 11.2 do not report their target architectures.
constexpr std::array<const char*, 3> kNvrtcSonames = {"libnvrtc.so.13", "libnvrtc.so.12",
                                                      "libnvrtc.so.11.2"};

// The cuBLAS and NVML libraries that belong to one driver library and are installed next to it.
constexpr const char* kCompanionOf = "libgpukit_simcuda.so";
constexpr const char* kCublasCompanion = "libgpukit_simcublas.so";
constexpr const char* kNvmlCompanion = "libgpukit_simnvml.so";
constexpr const char* kNcclCompanion = "libgpukit_simnccl.so";

constexpr std::array<const char*, 1> kNcclSonames = {"libnccl.so.2"};

constexpr const char* kNvmlSoname = "libnvidia-ml.so.1";

// Folders that only a platform's mounted driver uses come first: an image may carry a stale copy in
// the others.
constexpr std::array<const char*, 9> kDriverFolders = {
    "/usr/lib64-nvidia",           // Colab
    "/usr/local/nvidia/lib64",     // Kaggle, GKE
    "/usr/lib/wsl/lib",            // WSL2
    "/run/opengl-driver/lib",      // NixOS
    "/usr/lib/x86_64-linux-gnu",   // Debian, Ubuntu, and what container runtimes mount
    "/usr/lib/aarch64-linux-gnu",  // the same on Grace and Jetson
    "/usr/lib64",                  // Red Hat, SUSE
    "/usr/lib",                    // Arch
    "/usr/lib64/nvidia",           // Red Hat of old
};

constexpr std::array<const char*, 4> kSystemFolders = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};

struct FolderList {
  std::mutex mutex;
  std::vector<std::string> folders;
};

FolderList& wheel_folders() {
  static FolderList list;
  return list;
}

/// Collects candidates and skips those already listed under the same name.
class PlanBuilder {
 public:
  void add(std::string path, const char* origin, Trust trust = Trust::kFound) {
    const bool known = std::any_of(candidates_.begin(), candidates_.end(),
                                   [&](const Candidate& other) { return other.path == path; });
    if (!known) candidates_.push_back({std::move(path), origin, trust});
  }

  /// For long lists: only those that exist.
  void add_if_present(std::string path, const char* origin) {
    if (file_exists(path)) add(std::move(path), origin);
  }

  SearchPlan finish() { return {std::move(candidates_), {}}; }

 private:
  std::vector<Candidate> candidates_;
};

SearchPlan closed_plan(std::string how) { return {{}, std::move(how)}; }

SearchPlan single_candidate(std::string path, const char* origin, Trust trust) {
  return {{{std::move(path), origin, trust}}, {}};
}

std::vector<std::string> loader_path_folders() {
  std::vector<std::string> folders;
  const std::string value = env::text("LD_LIBRARY_PATH");
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find_first_of(":;", start), value.size());
    // An empty or relative entry means the working directory to the loader; to gpukit it means
    // nothing.
    if (end > start && value[start] == '/') folders.push_back(value.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

/// /usr/local/cuda first, then /usr/local/cuda-13.0, -12.8 …, newest name first.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (fs::directory_iterator entry("/usr/local", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("cuda-")) folders.push_back(entry->path().string() + "/lib64");
  }
  std::sort(folders.rbegin(), folders.rend());
  folders.insert(folders.begin(), "/usr/local/cuda/lib64");
  return folders;
}

bool has_part(const std::string& path, std::string_view part) {
  return path.find(part) != std::string::npos;
}

/// Any user could put a file there. The sticky bit keeps others from replacing what is in a
/// folder, so it saves the folders above, but not the folder itself, where a new file may be
/// planted.
std::string writable_by_all(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0) {
    return "the file can be written by every user";
  }
  bool nearest = true;
  for (std::string folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
    const bool open = stat(folder.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0;
    if (open && (nearest || (info.st_mode & S_ISVTX) == 0)) {
      return "its folder " + folder + " can be written by every user";
    }
    nearest = false;
  }
  return {};
}

/// A library that was made for the driver at `driver_path`, or an empty string.
std::string companion_of(const std::string& driver_path, const char* name) {
  const std::string folder = folder_of(driver_path);
  if (folder + "/" + kCompanionOf != driver_path) return {};
  std::string companion = folder + "/" + name;
  return file_exists(companion) ? companion : std::string();
}

std::string refusal(const std::string& path, Trust trust) {
  if (has_part(path, "/stubs/")) return "it is the toolkit's stub, not the driver";
  if (trust == Trust::kFound && has_part(path, "/compat/")) {
    return "cuda-compat is used only when GPUKIT_LIBCUDA names it";
  }
  return writable_by_all(path);
}

/// A library of the CUDA toolkit: a copy in this process, NVIDIA's wheels, toolkits, the system,
/// the loader's cache, LD_LIBRARY_PATH. The sonames are in the order in which they are wanted.
SearchPlan toolkit_search_plan(const char* name, std::span<const char* const> sonames) {
  PlanBuilder plan;
  for (std::string& path : already_mapped(name)) {
    plan.add(std::move(path), kMapped, Trust::kNamed);
  }
  const auto add_folders = [&](const std::vector<std::string>& folders, const char* origin) {
    for (const char* soname : sonames) {
      for (const std::string& folder : folders) plan.add_if_present(folder + "/" + soname, origin);
    }
  };
  {
    const std::lock_guard lock(wheel_folders().mutex);
    add_folders(wheel_folders().folders, "nvidia wheel");
  }
  add_folders(toolkit_folders(), "CUDA toolkit");
  add_folders({kSystemFolders.begin(), kSystemFolders.end()}, "system folder");
  for (const char* soname : sonames) {
    for (std::string& path : cached_libraries(soname)) plan.add(std::move(path), "loader cache");
  }
  add_folders(loader_path_folders(), "LD_LIBRARY_PATH");
  return plan.finish();
}

/// A library of the toolkit: nowhere where the variable says "none", the companion of a driver that
/// has one, the file that the variable names, else where toolkits lie.
SearchPlan chosen_plan(const char* variable, std::string companion, const char* name,
                       std::span<const char* const> sonames) {
  std::string chosen = env::text(variable);
  if (chosen == kNowhere) return closed_plan(concat(variable, "=none"));
  if (!companion.empty())
    return single_candidate(std::move(companion), "beside the driver", Trust::kOwn);
  if (!chosen.empty()) return single_candidate(std::move(chosen), variable, Trust::kNamed);
  return toolkit_search_plan(name, sonames);
}

}  // namespace
}  // namespace search_paths

bool file_exists(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string version_suffix(const std::string& path) {
  constexpr std::string_view kMark = ".so.";
  const std::size_t mark = path.rfind(kMark);
  if (mark == std::string::npos) return {};
  std::string suffix = path.substr(mark + kMark.size());
  const bool numeric = suffix.find_first_not_of("0123456789.") == std::string::npos;
  return numeric ? suffix : std::string();
}

int major_in_name(const std::string& path) {
  const std::string suffix = version_suffix(path);
  return suffix.empty() ? 0 : std::atoi(suffix.c_str());
}

Candidate light_library_of(const Candidate& cublas) {
  const int major = major_in_name(resolved(cublas.path));
  if (major == 0) return {};
  const std::string name = "libcublasLt.so." + std::to_string(major);
  return {folder_of(cublas.path) + "/" + name, cublas.origin, cublas.trust};
}

std::string refusal(const Candidate& candidate) {
  if (candidate.path.empty() || candidate.path.front() != '/') return "it is not an absolute path";
  if (candidate.trust == Trust::kOwn || !file_exists(candidate.path)) return {};
  std::string reason = search_paths::refusal(candidate.path, candidate.trust);
  const std::string target = resolved(candidate.path);
  if (reason.empty() && target != candidate.path) {
    reason = search_paths::refusal(target, candidate.trust);
    if (!reason.empty()) reason = "it is a link to " + target + ": " + reason;
  }
  return reason;
}

void set_library_folders(std::vector<std::string> folders) {
  const std::lock_guard lock(search_paths::wheel_folders().mutex);
  search_paths::wheel_folders().folders = std::move(folders);
}

SearchPlan driver_search_plan(const std::string& library_path) {
  if (library_path == search_paths::kNowhere)
    return search_paths::closed_plan("the search for a driver is switched off");
  if (!library_path.empty())
    return search_paths::single_candidate(library_path, "named by gpukit", Trust::kOwn);
  const std::string override_path = env::text("GPUKIT_LIBCUDA");
  if (override_path == search_paths::kNowhere)
    return search_paths::closed_plan("GPUKIT_LIBCUDA=none");
  if (!override_path.empty())
    return search_paths::single_candidate(override_path, "GPUKIT_LIBCUDA", Trust::kNamed);

  search_paths::PlanBuilder plan;
  for (std::string& path : already_mapped("libcuda.so")) {
    plan.add(std::move(path), search_paths::kMapped, Trust::kNamed);
  }
  for (const char* folder : search_paths::kDriverFolders) {
    plan.add(std::string(folder) + "/" + search_paths::kDriverSoname, "known place");
  }
  for (std::string& path : cached_libraries(search_paths::kDriverSoname))
    plan.add(std::move(path), "loader cache");
  for (const std::string& folder : search_paths::loader_path_folders()) {
    plan.add(folder + "/" + search_paths::kDriverSoname, "LD_LIBRARY_PATH");
  }
  return plan.finish();
}

SearchPlan cublas_search_plan(const std::string& driver_path) {
  return search_paths::chosen_plan(
      "GPUKIT_CUBLAS", search_paths::companion_of(driver_path, search_paths::kCublasCompanion),
      "libcublas.so", search_paths::kCublasSonames);
}

SearchPlan nvrtc_search_plan() {
  return search_paths::chosen_plan("GPUKIT_NVRTC", "", "libnvrtc.so", search_paths::kNvrtcSonames);
}

SearchPlan nccl_search_plan(const std::string& driver_path) {
  return search_paths::chosen_plan(
      "GPUKIT_NCCL", search_paths::companion_of(driver_path, search_paths::kNcclCompanion),
      "libnccl.so", search_paths::kNcclSonames);
}

Candidate builtins_of(const Candidate& nvrtc) {
  const std::string suffix = version_suffix(resolved(nvrtc.path));
  const std::size_t minor_end = suffix.find('.', suffix.find('.') + 1);
  const bool has_minor = suffix.find('.') != std::string::npos;
  const std::string wanted =
      has_minor ? suffix.substr(0, minor_end) : concat(major_in_name(nvrtc.path), '.');
  std::vector<std::string> found;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder_of(nvrtc.path), ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("libnvrtc-builtins.so.") && version_suffix(name).starts_with(wanted))
      found.push_back(entry->path().string());
  }
  if (found.empty()) return {};
  return {*std::min_element(found.begin(), found.end()), nvrtc.origin, nvrtc.trust};
}

SearchPlan nvml_search_plan(const std::string& driver_path) {
  const std::string companion =
      search_paths::companion_of(driver_path, search_paths::kNvmlCompanion);
  if (!companion.empty())
    return search_paths::single_candidate(companion, "next to the driver", Trust::kOwn);
  const std::string named = env::text("GPUKIT_LIBCUDA");
  if (named == search_paths::kNowhere) return search_paths::closed_plan("GPUKIT_LIBCUDA=none");

  search_paths::PlanBuilder plan;
  if (!named.empty())
    plan.add_if_present(folder_of(named) + "/" + search_paths::kNvmlSoname,
                        "next to GPUKIT_LIBCUDA");
  for (const char* folder : search_paths::kDriverFolders)
    plan.add_if_present(std::string(folder) + "/" + search_paths::kNvmlSoname, "known place");
  for (std::string& path : cached_libraries(search_paths::kNvmlSoname))
    plan.add(std::move(path), "loader cache");
  return plan.finish();
}

}  // namespace gpukit::driver
