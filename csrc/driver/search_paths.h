// Search paths of vendor libraries, in order, and which of them are safe to load from.
#pragma once

#include <string>
#include <vector>

namespace gpukit::driver {

/// How far a place is trusted: gpukit's own library need only be absolute; what the user named or
/// the process holds already may be a cuda-compat library; what was found must pass every rule.
enum class Trust { kOwn, kNamed, kFound };

struct Candidate {
  std::string path;
  std::string origin;
  Trust trust = Trust::kFound;
};

struct SearchPlan {
  std::vector<Candidate> candidates;
  std::string closed;  // not empty: the search was switched off, and this says how
};

/// Places of the CUDA driver. A `library_path` is the only candidate; "none" gives an empty plan;
/// without one: GPUKIT_LIBCUDA (alone, when set), a copy already in this process, known folders,
/// the loader's cache, the absolute folders of LD_LIBRARY_PATH.
SearchPlan driver_search_plan(const std::string& library_path);

/// Places of cuBLAS for the driver at `driver_path`: its companion in the same folder,
/// GPUKIT_CUBLAS (alone, when set), a copy already in this process, nvidia wheels, toolkits, the
/// loader's cache. Newest major first.
SearchPlan cublas_search_plan(const std::string& driver_path);

/// Places of NVRTC: GPUKIT_NVRTC (alone, when set), a copy already in this process, nvidia wheels,
/// toolkits, the loader's cache. Newest major first.
SearchPlan nvrtc_search_plan();

/// Places of NCCL for the driver at `driver_path`: its companion in the same folder, GPUKIT_NCCL
/// (alone, when set), a copy already in this process, nvidia wheels, toolkits, the loader's cache.
SearchPlan nccl_search_plan(const std::string& driver_path);

/// Places of NVML for the driver at `driver_path` ("" when none is open): its companion in the same
/// folder, the folder of the driver that GPUKIT_LIBCUDA names, known folders, the loader's cache.
SearchPlan nvml_search_plan(const std::string& driver_path);

/// The libcublasLt that belongs to a cuBLAS: same folder, same major. The path is empty where the
/// file's name gives no major.
Candidate light_library_of(const Candidate& cublas);

/// The builtins that belong to an NVRTC: same folder, same release. The path is empty where there
/// are none.
Candidate builtins_of(const Candidate& nvrtc);

/// Folders of nvidia's wheels, set once from Python before the first use of cuBLAS.
void set_library_folders(std::vector<std::string> folders);

/// Why a file may not be loaded (relative, a stub, cuda-compat, writable by everybody), or an empty
/// string. Links are followed first. A file that does not exist is not refused.
std::string refusal(const Candidate& candidate);

bool file_exists(const std::string& path);

/// Path with all links followed; the path itself where that is not possible.
std::string resolved(const std::string& path);

/// Folder part of a path, without the slash.
std::string folder_of(const std::string& path);

/// Numbers after ".so.": "/x/libcuda.so.535.104.05" gives "535.104.05"; empty when there are none.
std::string version_suffix(const std::string& path);

/// First of those numbers, or 0.
int major_in_name(const std::string& path);

}  // namespace gpukit::driver
