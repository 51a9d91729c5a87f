#include "sim/nvml_script.h"

#include <cctype>
#include <charconv>

namespace gpukit::sim::nvml {

namespace nvml_script {
namespace {

constexpr std::size_t kMostCards = 64;
constexpr const char* kKnown =
    "lost@D, mig@D, fail:NAME:CODE@D, hang:NAME@D, read:NAME:NUMBER@D, driver:BRANCH, "
    "nvlinks:COUNT";

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// The text up to `mark`; `text` keeps what follows it.
std::string_view take_until(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return head;
}

bool add(std::string_view kind, std::string_view rest, int device, Script& script) {
  Rule rule;
  rule.device = device;
  rule.function = take_until(rest, ':');
  if (rule.function.empty()) return false;
  if (kind == "hang") {
    rule.kind = Rule::Kind::kHang;
  } else {
    rule.kind = kind == "fail" ? Rule::Kind::kFail : Rule::Kind::kRead;
    if (!parse(rest, rule.value)) return false;
  }
  script.rules.push_back(std::move(rule));
  return true;
}

// "16xT4", "T4" or "0".
bool add_cards(std::string_view text, Script& script) {
  script.has_cards = true;
  if (text == "0") return true;
  std::size_t count = 1;
  const auto mark = text.find('x');
  if (mark != std::string_view::npos && parse(text.substr(0, mark), count))
    text.remove_prefix(mark + 1);
  const Card* card = find_card(text);
  if (card == nullptr || count > kMostCards) return false;
  script.cards.insert(script.cards.end(), count, card);
  return true;
}

}  // namespace
}  // namespace nvml_script

std::string add_setting(std::string_view text, Script& script) {
  std::string_view target = text;
  std::string_view what = nvml_script::take_until(target, '@');
  int device = -1;
  const std::string error =
      "NVML setting '" + std::string(text) + "' is not known; known: " + nvml_script::kKnown;
  if (!target.empty() && !nvml_script::parse(target, device)) return error;
  const std::string_view kind = nvml_script::take_until(what, ':');
  bool good = false;
  if (kind == "lost" || kind == "mig") {
    good = device >= 0;
    (kind == "lost" ? script.lost : script.mig).push_back(device);
  } else if (kind == "driver") {
    good = nvml_script::parse(what, script.branch);
  } else if (kind == "nvlinks") {
    good = nvml_script::parse(what, script.nvlinks) && script.nvlinks >= 0;
  } else if (kind == "fail" || kind == "hang" || kind == "read") {
    good = nvml_script::add(kind, what, device, script);
  }
  return good ? std::string() : error;
}

std::string parse_script(std::string_view text, Script& script) {
  while (!text.empty()) {
    const std::string_view part = nvml_script::take_until(text, ',');
    if (part.empty()) continue;
    const bool is_setting =
        part.find('@') != std::string_view::npos || part.find(':') != std::string_view::npos;
    if (is_setting) {
      std::string error = add_setting(part, script);
      if (!error.empty()) return error;
    } else if (!nvml_script::add_cards(part, script)) {
      return describe_unknown_card(part);
    }
  }
  return {};
}

}  // namespace gpukit::sim::nvml
