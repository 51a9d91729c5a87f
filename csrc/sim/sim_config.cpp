#include "sim/sim_config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "base/byte_count.h"
#include "sim/nvml_script.h"

namespace gpukit::sim {

namespace sim_config {
namespace {

constexpr int kMostDevices = 64;
constexpr const char* kDefaultCard = "T4";
constexpr std::string_view kSettings[] = {
    "mem",    "link_gbps", "launch_us", "latency_us", "realtime", "seed",   "order",
    "driver", "peer",      "strict",    "fault",      "nvml",     "engine", "ptx",
    "limit",  "progress",  "check",     "counts",     "log"};

struct DriverBranch {
  int branch;
  int cuda_version;
};

constexpr DriverBranch kDriverBranches[] = {
    {450, 11000}, {460, 11020}, {470, 11040}, {495, 11050}, {510, 11060}, {515, 11070},
    {520, 11080}, {525, 12000}, {530, 12010}, {535, 12020}, {545, 12030}, {550, 12040},
    {555, 12050}, {560, 12060}, {565, 12070}, {570, 12080}, {575, 12090}, {580, 13000}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(mark);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool parse(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  const auto used = static_cast<std::size_t>(end - copy.c_str());
  return used != 0 && used == copy.size() && std::isfinite(value) && value >= 0;
}

template <std::integral T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_bytes(std::string_view text, std::uint64_t& bytes) {
  const std::optional<std::int64_t> count = parse_byte_count(text);
  bytes = static_cast<std::uint64_t>(count.value_or(0));
  return bytes > 0;
}

bool parse(std::string_view text, bool& flag) {
  flag = text == "1" || text == "true" || text == "yes";
  return flag || text == "0" || text == "false" || text == "no";
}

bool parse(std::string_view text, ExecutionOrder& order) {
  if (text == "fwd")
    order.order = ThreadOrder::kForward;
  else if (text == "rev")
    order.order = ThreadOrder::kReverse;
  else if (text == "rnd")
    order.order = ThreadOrder::kRandom;
  else if (text.substr(0, 4) == "rnd:" && parse(text.substr(4), order.seed))
    order.order = ThreadOrder::kRandom;
  else
    return false;
  return true;
}

// "2xT4", "T4" or "2".
std::string add_cards(std::string_view text, std::vector<const Card*>& cards) {
  int count = 1;
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0)
    digits++;
  std::string_view name = text;
  const bool counted =
      digits > 0 && (digits == text.size() || text[digits] == 'x' || text[digits] == 'X');
  if (counted && !(digits == text.size() && digits > 2)) {
    if (!parse(text.substr(0, digits), count)) count = kMostDevices + 1;
    name =
        digits == text.size() ? std::string_view(kDefaultCard) : trimmed(text.substr(digits + 1));
  }
  if (count < 1) return "the number of devices must be 1 or more";
  if (count > kMostDevices)
    return "at most " + std::to_string(kMostDevices) + " devices can be simulated";
  const Card* card = find_card(name);
  if (card == nullptr) return describe_unknown_card(name);
  cards.insert(cards.end(), static_cast<std::size_t>(count), card);
  return {};
}

/// 0 keeps the order; any other seed runs threads in a random order of that seed.
bool parse_seed(std::string_view text, ExecutionOrder& order) {
  if (!parse(text, order.seed)) return false;
  if (order.seed != 0) order.order = ThreadOrder::kRandom;
  return true;
}

/// A branch of the driver (535), or the CUDA version that it claims (12020).
bool parse_driver(std::string_view text, int& version) {
  if (!parse(text, version)) return false;
  if (version >= 1000) return true;
  const auto known = std::find_if(std::begin(kDriverBranches), std::end(kDriverBranches),
                                  [&](const auto& row) { return row.branch == version; });
  if (known == std::end(kDriverBranches)) return false;
  version = known->cuda_version;
  return true;
}

bool parse_engine(std::string_view text, bool& is_ptx) {
  is_ptx = text == "ptx";
  return is_ptx || text == "host";
}

/// check=race+init, or check=race,init: the text after the comma has no '='.
bool parse_check(std::string_view text, SimConfig& config) {
  ptx::CheckSettings& checks = config.checks;
  for (const std::string_view name : split(text, '+')) {
    if (name == "race")
      checks.race = true;
    else if (name == "init")
      checks.init = true;
    else if (name == "sync")
      checks.sync = true;
    else if (name == "all")
      checks = {true, true, true};
    else if (name != "memory")
      return false;
    config.check_memory = config.check_memory || name == "memory" || name == "all";
  }
  return true;
}

std::string add_nvml(std::string_view text, SimConfig& config) {
  nvml::Script trial;
  std::string error = nvml::add_setting(text, trial);
  if (error.empty()) config.nvml.emplace_back(text);
  return error;
}

std::string set(std::string_view key, std::string_view value, SimConfig& config) {
  bool good = true;
  if (key == "mem" || key == "memory")
    good = parse_bytes(value, config.memory_bytes);
  else if (key == "link_gbps")
    good = parse(value, config.link_gbps);
  else if (key == "launch_us")
    good = parse(value, config.launch_us);
  else if (key == "latency_us")
    good = parse(value, config.transfer_latency_us);
  else if (key == "realtime")
    good = parse(value, config.realtime);
  else if (key == "seed")
    good = parse_seed(value, config.order);
  else if (key == "order")
    good = parse(value, config.order);
  else if (key == "driver")
    good = config.driver_is_named = parse_driver(value, config.driver_version);
  else if (key == "peer")
    good = parse(value, config.peer_access);
  else if (key == "strict")
    good = parse(value, config.strict);
  else if (key == "engine")
    good = parse_engine(value, config.engine_is_ptx);
  else if (key == "ptx")
    config.ptx_folder = value;
  else if (key == "log")
    config.log_path = value;
  else if (key == "limit")
    good = parse(value, config.instruction_limit);
  else if (key == "progress")
    good = parse(value, config.progress_seconds);
  else if (key == "check")
    good = parse_check(value, config);
  else if (key == "counts")
    good = parse(value, config.counts);
  else if (key == "fault")
    config.faults.emplace_back(value);
  else if (key == "nvml")
    return add_nvml(value, config);
  else
    return describe_unknown("setting", key, kSettings);
  return good ? "" : "setting " + std::string(key) + " cannot be " + quoted(value);
}

/// The driver where the text names none.
int driver_for(const std::vector<const Card*>& cards) {
  constexpr int kFirstOfCuda13 = 75;  // Turing
  const bool all = std::ranges::all_of(
      cards, [](const Card* card) { return card->capability() >= kFirstOfCuda13; });
  return all ? 13000 : 12080;
}

}  // namespace
}  // namespace sim_config

int driver_branch(int cuda_version) {
  int branch = sim_config::kDriverBranches[0].branch;
  for (const sim_config::DriverBranch& row : sim_config::kDriverBranches) {
    if (row.cuda_version <= cuda_version) branch = row.branch;
  }
  return branch;
}

ParsedConfig parse_config(std::string_view text) {
  ParsedConfig parsed;
  bool cards_named = false, after_check = false;
  for (const std::string_view part : sim_config::split(text, ',')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) {
      parsed.error = sim_config::set(sim_config::trimmed(part.substr(0, equals)),
                                     sim_config::trimmed(part.substr(equals + 1)), parsed.config);
      if (!parsed.error.empty()) return parsed;
      after_check = sim_config::trimmed(part.substr(0, equals)) == "check";
      continue;
    }
    if (after_check && sim_config::parse_check(part, parsed.config)) continue;
    if (cards_named) {
      parsed.error = "the devices are named twice; the second time as " + sim_config::quoted(part);
      return parsed;
    }
    cards_named = true;
    for (const std::string_view group : sim_config::split(part, '+')) {
      parsed.error = sim_config::add_cards(group, parsed.config.cards);
      if (!parsed.error.empty()) return parsed;
    }
  }
  if (!cards_named) parsed.config.cards = {find_card(sim_config::kDefaultCard)};
  if (parsed.config.cards.size() > static_cast<std::size_t>(sim_config::kMostDevices)) {
    parsed.error =
        "at most " + std::to_string(sim_config::kMostDevices) + " devices can be simulated";
  }
  if (!parsed.config.driver_is_named)
    parsed.config.driver_version = sim_config::driver_for(parsed.config.cards);
  return parsed;
}

std::vector<const Card*> visible_cards(const std::vector<const Card*>& cards,
                                       std::string_view list) {
  std::vector<const Card*> shown;
  std::vector<std::size_t> numbers;
  for (const std::string_view part : sim_config::split(list, ',')) {
    std::size_t number = 0;
    if (!sim_config::parse(part, number) || number >= cards.size()) break;
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) return {};
    numbers.push_back(number);
    shown.push_back(cards[number]);
  }
  return shown;
}

}  // namespace gpukit::sim
