#include "bindings/signature_text.h"

#include <algorithm>

namespace gpukit::bindings {

namespace {

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Splits at the commas outside brackets.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (const std::string_view part = trimmed(text.substr(start, i - start)); !part.empty())
        parts.push_back(part);
      start = i + 1;
    } else if (text[i] == '(' || text[i] == '[') {
      ++depth;
    } else if (text[i] == ')' || text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

ParameterText parameter_in(std::string_view part) {
  ParameterText parameter;
  parameter.star = part.front() == '*';
  if (parameter.star) part.remove_prefix(1);
  if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
    parameter.fallback = trimmed(part.substr(equals + 1));
    part = part.substr(0, equals);
  }
  const std::size_t colon = std::min(part.find(':'), part.size());
  parameter.name = trimmed(part.substr(0, colon));
  parameter.type = trimmed(part.substr(std::min(colon + 1, part.size())));
  return parameter;
}

}  // namespace

std::string ParameterText::plain() const {
  std::string text(star ? "*" : "");
  text += name;
  if (!fallback.empty()) text.append("=").append(fallback);
  return text;
}

std::string_view name_in(std::string_view signature) {
  return signature.substr(0, signature.find('('));
}

std::vector<ParameterText> parameters_in(std::string_view signature) {
  const std::size_t open = signature.find('(');
  std::vector<ParameterText> parameters;
  for (const std::string_view part :
       split_at_commas(signature.substr(open + 1, signature.rfind(')') - open - 1)))
    parameters.push_back(parameter_in(part));
  return parameters;
}

std::string_view result_in(std::string_view signature) {
  const std::size_t arrow = signature.rfind("-> ");
  return arrow == std::string_view::npos ? "Tensor" : signature.substr(arrow + 3);
}

std::string signature_with_out(std::string_view signature) {
  const std::size_t end = signature.rfind(')');
  const bool keywords = signature.find('*') != std::string_view::npos;
  std::string text(signature.substr(0, end));
  return text.append(keywords ? ", out=None" : ", *, out=None").append(signature.substr(end));
}

}  // namespace gpukit::bindings
