#include "ptx/linker.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ptx/parser.h"
#include "ptx/ptx_error.h"
#include "ptx/unit_scanner.h"

namespace gpukit::ptx {

namespace {

std::string describe(const Unit& unit, int line) {
  return unit.name + ", line " + std::to_string(line);
}

/// Where a name that other texts can see is defined.
struct Definition {
  const Unit* unit = nullptr;
  const Symbol* symbol = nullptr;
};

/// Joins the units: which definitions are dropped, which names change.
class Linker {
 public:
  explicit Linker(const std::vector<Unit>& units) : units_(units) {
    for (const Unit& unit : units_) {
      for (const Symbol& symbol : unit.symbols) {
        units_of_name_[symbol.name].insert(&unit);
        if (symbol.is_exported() && symbol.is_defined()) define(unit, symbol);
      }
    }
  }

  /// Omitted parts of a unit's text: a weak definition that another one replaces, and
  /// external declarations of variables that are defined.
  bool is_dropped(const Unit& unit, const Symbol& symbol) const {
    const auto found = definitions_.find(symbol.name);
    if (found == definitions_.end() || !symbol.stands_alone) return false;
    if (symbol.external) return !symbol.is_function;
    return symbol.is_exported() && symbol.is_defined() && found->second.symbol != &symbol &&
           (symbol.weak || found->second.unit != &unit);
  }

  /// The names that only this unit means, and that another one has, too.
  std::unordered_set<std::string_view> private_names(const Unit& unit) const {
    std::unordered_set<std::string_view> names;
    for (const Symbol& symbol : unit.symbols) {
      if (!symbol.is_private()) continue;
      if (units_of_name_.at(symbol.name).size() > 1) names.insert(symbol.name);
    }
    return names;
  }

 private:
  void define(const Unit& unit, const Symbol& symbol) {
    Definition& known = definitions_[symbol.name];
    if (known.symbol != nullptr && !known.symbol->weak && !symbol.weak) {
      throw LinkError(describe(unit, symbol.line) + "; error: '" + std::string(symbol.name) +
                      "' is defined in " + describe(*known.unit, known.symbol->line) + ", too");
    }
    if (known.symbol == nullptr || (known.symbol->weak && !symbol.weak)) known = {&unit, &symbol};
  }

  const std::vector<Unit>& units_;
  std::unordered_map<std::string_view, Definition> definitions_;
  std::unordered_map<std::string_view, std::unordered_set<const Unit*>> units_of_name_;
};

/// A unit's text after omissions and changes; line numbers are unchanged.
class UnitWriter {
 public:
  UnitWriter(const Unit& unit, std::string& to) : unit_(unit), to_(to) {}

  void drop(const Span& span) { changes_[span.begin] = {span.end, newlines(span)}; }
  void replace(const Span& span, std::string with) {
    changes_[span.begin] = {span.end, std::move(with)};
  }

  void write() {
    std::size_t at = 0;
    for (const auto& [begin, change] : changes_) {
      if (begin < at) continue;  // inside of something that is dropped
      to_.append(unit_.text, at, begin - at);
      to_ += change.with;
      at = change.end;
    }
    to_.append(unit_.text, at);
    to_ += '\n';
  }

 private:
  struct Change {
    std::size_t end;
    std::string with;
  };

  std::string newlines(const Span& span) const {
    const auto first = unit_.text.begin() + static_cast<std::ptrdiff_t>(span.begin);
    const auto last = unit_.text.begin() + static_cast<std::ptrdiff_t>(span.end);
    return std::string(static_cast<std::size_t>(std::count(first, last, '\n')), '\n') + ' ';
  }

  const Unit& unit_;
  std::string& to_;
  std::map<std::size_t, Change> changes_;
};

std::vector<Unit> scan_all(const std::vector<LinkInput>& inputs) {
  std::vector<Unit> units;
  units.reserve(inputs.size());
  for (const LinkInput& input : inputs) {
    check(input);
    units.push_back(scan_unit(input.name, input.text));
  }
  return units;
}

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::string head_of(const std::vector<Unit>& units) {
  const auto newest =
      std::max_element(units.begin(), units.end(),
                       [](const Unit& a, const Unit& b) { return a.version < b.version; });
  const auto largest = std::max_element(
      units.begin(), units.end(),
      [](const Unit& a, const Unit& b) { return a.target_number < b.target_number; });
  return ".version " + std::string(newest->version_text) + "\n.target " +
         std::string(largest->target) + "\n.address_size 64\n";
}

}  // namespace

void check(const LinkInput& input) {
  try {
    parse(input.text);
  } catch (const PtxError& error) {
    throw LinkError(input.name + ", line " + std::to_string(error.line()) +
                    "; error: " + error.what());
  }
}

LinkedText::LinkedText(const std::vector<LinkInput>& inputs) {
  const std::vector<Unit> units = scan_all(inputs);
  if (units.empty()) throw LinkError("nothing was given to link");
  const Linker linker(units);
  text_ = head_of(units);
  std::uint64_t first_file = 0;
  std::size_t counted = 0;
  int lines = 0;
  for (std::size_t number = 0; number < units.size(); number++) {
    const Unit& unit = units[number];
    lines += count_lines(std::string_view(text_).substr(counted));
    counted = text_.size();
    starts_.push_back({unit.name, lines + 1});
    UnitWriter writer(unit, text_);
    for (const Span& span : unit.left_out) writer.drop(span);
    for (const Symbol& symbol : unit.symbols) {
      if (linker.is_dropped(unit, symbol)) writer.drop(symbol.item);
    }
    const auto renamed = linker.private_names(unit);
    const std::string ending = "$unit" + std::to_string(number + 1);
    for (const Mention& mention : unit.mentions) {
      if (renamed.contains(mention.name))
        writer.replace(mention.span, std::string(mention.name) + ending);
    }
    for (const FileNumber& file : unit.file_numbers)
      writer.replace(file.span, std::to_string(file.number + first_file));
    writer.write();
    first_file += unit.highest_file + 1;
  }
}

std::string LinkedText::location_of(int line) const {
  const auto behind = std::find_if(starts_.begin(), starts_.end(),
                                   [&](const Start& start) { return start.line > line; });
  if (behind == starts_.begin()) return "line " + std::to_string(line);
  const Start& start = *(behind - 1);
  return start.name + ", line " + std::to_string(line - start.line + 1);
}

}  // namespace gpukit::ptx
