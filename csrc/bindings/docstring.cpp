#include "bindings/docstring.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "bindings/signature_text.h"

namespace gpukit::bindings {

namespace {

/// A parameter that means the same in most functions. Rows may give it another type or text.
struct CommonParameter {
  std::string_view name, type, text;
};

constexpr CommonParameter kCommon[] = {
    {"input", "Tensor", "a tensor of any shape and dtype."},
    {"other", "Tensor | Number",
     "a tensor that broadcasts with input on the same device, or a number."},
    {"dim", "int", "the dimension, counted from the end when negative."},
    {"keepdim", "bool", "keep reduced dimensions as dimensions of size 1."},
    {"dtype", "DTypeLike", "a dtype or its name, for the result; None is the one under Returns."},
    {"device", "DeviceLike", "device of the result; None: the default device."},
    {"requires_grad", "bool", "record operations on the result; floating dtypes only."},
    {"pin_memory", "bool", "on the CPU, in page-locked memory, which needs a CUDA device."},
    {"generator", "Generator",
     "a gpukit.Generator to draw from; None is the one that manual_seed sets."},
    {"out", "Tensor", "a tensor for the result, of its shape and of a dtype that can hold it."},
    {"memory_format", "str",
     "gpukit.contiguous_format, preserve_format, channels_last or channels_last_3d."},
    {"alpha", "Number | None", {}},
    {"exponent", "Tensor | Number", {}},
    {"rounding_mode", "str", {}},
};

// What out= adds to the errors of each function that has it (see store_in_out).
constexpr std::string_view kOutRaises =
    "ShapeError: out has another shape than the result.\n"
    "DTypeError: out cannot hold the result's dtype.\n"
    "DeviceMismatchError: out is on another device.\n"
    "AutogradError: out is given where gradients are recorded.\n";

const CommonParameter* common_parameter(std::string_view name) {
  const auto* const found = std::ranges::find(kCommon, name, &CommonParameter::name);
  return found != std::end(kCommon) ? found : nullptr;
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The type of a default.
std::string_view type_of_default(std::string_view text) {
  if (text == "True" || text == "False") return "bool";
  if (text.starts_with('\'')) return "str";
  return is_integer_text(text) ? "int" : "float";
}

/// An unknown type is Any, which tests/layout/test_rows.py refuses.
std::string type_of(const ParameterText& parameter) {
  if (!parameter.type.empty()) return std::string(parameter.type);
  const bool optional = parameter.fallback == "None";
  if (const CommonParameter* common = common_parameter(parameter.name))
    return std::string(common->type).append(optional ? " | None" : "");
  const bool unknown = parameter.fallback.empty() || optional;
  return std::string(unknown ? "Any" : type_of_default(parameter.fallback));
}

std::string typed(const ParameterText& parameter) {
  if (parameter.name.empty()) return "*";
  std::string text(parameter.star ? "*" : "");
  text.append(parameter.name).append(": ").append(type_of(parameter));
  if (!parameter.fallback.empty()) text.append(" = ").append(parameter.fallback);
  return text;
}

/// The line of `text` that begins with "name: ", or nothing.
std::string_view line_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) return line;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::string arguments_part(std::string_view texts, std::span<const ParameterText> parameters) {
  std::string part;
  for (const ParameterText& parameter : parameters) {
    if (parameter.name.empty()) continue;
    if (const std::string_view line = line_of(texts, parameter.name); !line.empty()) {
      part.append("\n    ").append(line);
    } else if (const CommonParameter* common = common_parameter(parameter.name);
               common != nullptr && !common->text.empty()) {
      part.append("\n    ").append(common->name).append(": ").append(common->text);
    }
  }
  return part.empty() ? part : "\n\nArgs:" + part;
}

void append_lines(std::string& part, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    part.append("\n    ").append(line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

std::string raises_part(std::string_view raises, bool takes_out) {
  if (raises == "-") return {};
  if (raises.empty()) raises = "TypeError: an argument is of another kind.\n";
  std::string part = "\n\nRaises:";
  append_lines(part, raises);
  if (takes_out) append_lines(part, kOutRaises);
  return part;
}

/// The position after the first argument of a call: its comma or bracket.
std::size_t end_of_argument(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (depth == 0 && (text[i] == ',' || text[i] == ')')) return i;
    if (text[i] == ')' || text[i] == ']') --depth;
  }
  return text.size();
}

/// The example with another function instead of `of`: an alias, or the in-place form, which is a
/// method of the first argument.
std::string example_with(std::string_view name, std::string_view of, std::string_view example) {
  const std::string call = std::string("gpukit.").append(of).append("(");
  const std::size_t start = example.find(call);
  if (start == std::string_view::npos) return std::string(example);
  const std::string_view before = example.substr(0, start);
  const std::size_t argument = start + call.size();
  if (!name.ends_with('_')) {
    return std::string(before).append("gpukit.").append(name).append("(").append(
        example.substr(argument));
  }
  const std::size_t end = end_of_argument(example, argument);
  const std::size_t rest = example.substr(end).starts_with(", ") ? end + 2 : end;
  return std::string(before)
      .append(example.substr(argument, end - argument))
      .append(".")
      .append(name)
      .append("(")
      .append(example.substr(rest));
}

std::string indented(std::string_view text) {
  std::string result = "    ";
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') result += "    ";
  }
  return result;
}

}  // namespace

std::string typed_signature(std::string_view signature, bool method, std::string_view input_type) {
  std::string text(name_in(signature));
  text += "(";
  bool first = true;
  for (ParameterText& parameter : parameters_in(signature)) {
    if (!first) text += ", ";
    if (first && parameter.name == "input" && parameter.type.empty()) parameter.type = input_type;
    text += first && method ? "self: Tensor" : typed(parameter);
    first = false;
  }
  return text.append(") -> ").append(result_in(signature));
}

std::string docstring(const FunctionRow& row, std::string_view signature, bool method) {
  std::string text = typed_signature(signature, method, row.input_type);
  text.append("\n\n").append(row.doc);
  if (row.docs.returns != nullptr) {
    const std::vector<ParameterText> parameters = parameters_in(signature);
    text += arguments_part(row.docs.parameters, std::span(parameters).subspan(method ? 1 : 0));
    text.append("\n\nReturns:\n    ").append(row.docs.returns);
    text += raises_part(row.docs.raises, row.out != Out::kNone);
  }
  if (row.example == nullptr || row.example_of == nullptr) return with_example(text, row.example);
  const std::string example = example_with(name_in(signature), row.example_of, row.example);
  return with_example(text, example.c_str());
}

std::string with_example(std::string_view doc, const char* example) {
  std::string text(doc);
  if (example == nullptr) return text;
  text += "\n\nExample:\n";
  if (!std::string_view(example).starts_with(">>> import gpukit"))
    text += "    >>> import gpukit\n";
  return text.append(indented(example)).append("\n");
}

}  // namespace gpukit::bindings
