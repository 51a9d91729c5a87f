#include "sim/nvml_state.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>

#include "base/condition.h"
#include "sim/sim_control.h"

namespace gpukit::sim::nvml {

namespace nvml_state {
namespace {

constexpr int kDefaultBranch = 570;

/// The simulated driver of the same folder, when the process has loaded it.
struct Driver {
  int (*facts)(int, GpukitSimCardFacts*) = nullptr;
  int (*branch)() = nullptr;
  const char* (*settings)() = nullptr;
  double (*clock_ms)(int) = nullptr;
  int (*can_access_peer)(int*, int, int) = nullptr;
};

Driver find_driver() {
  Dl_info self = {};
  if (dladdr(reinterpret_cast<void*>(&find_driver), &self) == 0) return {};
  const std::string path = self.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* library = dlopen((folder + "libgpukit_simcuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  Driver driver;
  driver.facts = reinterpret_cast<decltype(driver.facts)>(dlsym(library, "gpukitSimCardFacts"));
  driver.branch = reinterpret_cast<decltype(driver.branch)>(dlsym(library, "gpukitSimBranch"));
  driver.settings =
      reinterpret_cast<decltype(driver.settings)>(dlsym(library, "gpukitSimNvmlSettings"));
  driver.clock_ms = reinterpret_cast<decltype(driver.clock_ms)>(dlsym(library, "gpukitSimClockMs"));
  driver.can_access_peer =
      reinterpret_cast<decltype(driver.can_access_peer)>(dlsym(library, "cuDeviceCanAccessPeer"));
  return driver;
}

std::string uuid_text(const unsigned char (&bytes)[16]) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; i++) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

Gpu make(int index, const Card& card) {
  Gpu gpu;
  gpu.index = index;
  gpu.card = &card;
  unsigned char uuid[16];
  card_uuid(card, index, uuid);
  gpu.uuid = uuid_text(uuid);
  char id[32];
  std::snprintf(id, sizeof id, "00000000:%02X:00.0", pci_bus(index));
  gpu.bus_id = id;
  gpu.memory_total = card.memory_bytes;
  return gpu;
}

std::vector<Gpu> gpus_of_driver(const Driver& driver) {
  std::vector<Gpu> gpus;
  GpukitSimCardFacts facts = {};
  while (driver.facts != nullptr && driver.facts(static_cast<int>(gpus.size()), &facts) == 0) {
    const Card* card = find_card(facts.card);
    if (card == nullptr) break;
    Gpu gpu = make(static_cast<int>(gpus.size()), *card);
    gpu.memory_total = facts.memory_total;
    gpu.memory_used = facts.memory_used;
    gpu.busy = facts.busy != 0;
    if (driver.clock_ms != nullptr) gpu.clock_ms = std::max(0.0, driver.clock_ms(gpu.index));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

bool holds(const std::vector<int>& devices, int device) {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

bool applies(const Rule& rule, const std::string& function, int device) {
  const bool named = rule.function == "*" || rule.function == function;
  return named && (rule.device < 0 || rule.device == device);
}

}  // namespace
}  // namespace nvml_state

State& state() {
  static auto* const the_state = new State;
  return *the_state;
}

std::string State::configure(std::string_view text) {
  Script script;
  std::string error = parse_script(text, script);
  if (!error.empty()) return error;
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
  scripted_ = true;
  generation_++;
  replaced_.notify_all();
  return {};
}

void State::follow_driver() {
  const std::lock_guard lock(mutex_);
  scripted_ = false;
  generation_++;
  replaced_.notify_all();
}

bool State::is_initialised() {
  const std::lock_guard lock(mutex_);
  return initialised_ > 0;
}

void State::set_initialised(bool on) {
  const std::lock_guard lock(mutex_);
  initialised_ += on ? 1 : (initialised_ > 0 ? -1 : 0);
}

Script State::current_script() {
  {
    const std::lock_guard lock(mutex_);
    if (scripted_) return script_;
  }
  Script script;
  const nvml_state::Driver driver = nvml_state::find_driver();
  if (driver.settings != nullptr) parse_script(driver.settings(), script);
  return script;
}

std::vector<Gpu> State::gpus() {
  const Script script = current_script();
  std::vector<Gpu> gpus;
  if (script.has_cards) {
    for (const Card* card : script.cards)
      gpus.push_back(nvml_state::make(static_cast<int>(gpus.size()), *card));
  } else {
    gpus = nvml_state::gpus_of_driver(nvml_state::find_driver());
  }
  for (Gpu& gpu : gpus) {
    gpu.lost = nvml_state::holds(script.lost, gpu.index);
    gpu.mig = nvml_state::holds(script.mig, gpu.index);
  }
  return gpus;
}

int State::branch() {
  const Script script = current_script();
  if (script.branch != 0) return script.branch;
  const nvml_state::Driver driver = nvml_state::find_driver();
  return driver.branch != nullptr ? driver.branch() : nvml_state::kDefaultBranch;
}

bool State::are_peers(int device, int other) {
  const nvml_state::Driver driver = nvml_state::find_driver();
  if (current_script().has_cards || driver.can_access_peer == nullptr) return true;
  int access = 0;
  return driver.can_access_peer(&access, device, other) == 0 && access != 0;
}

int State::nvlinks() { return current_script().nvlinks; }

int State::status_before(const std::string& function, int device) {
  const Script script = current_script();
  for (const Rule& rule : script.rules) {
    if (!nvml_state::applies(rule, function, device)) continue;
    if (rule.kind == Rule::Kind::kFail) return static_cast<int>(rule.value);
    if (rule.kind != Rule::Kind::kHang) continue;
    std::unique_lock lock(mutex_);
    const std::uint64_t before = generation_;
    wait_until(replaced_, lock, [&] { return generation_ != before; });
    return kUnknown;
  }
  return kSuccess;
}

std::optional<std::uint64_t> State::reading(const std::string& function, int device) {
  for (const Rule& rule : current_script().rules) {
    if (rule.kind == Rule::Kind::kRead && nvml_state::applies(rule, function, device))
      return rule.value;
  }
  return std::nullopt;
}

}  // namespace gpukit::sim::nvml
