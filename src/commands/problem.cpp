// SPDX-License-Identifier: Apache-2.0
// Sizes that meet a kernel's constraints; see problem.h.
#include "commands/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace tessera::commands {

namespace {

/// Assignments that a search may try before it gives up: constraints are few and candidates too.
constexpr int kSearchLimit = 200'000;
constexpr int64_t kLargestSize = int64_t{1} << 48;

bool holds(const ir::Constraint& constraint, const Problem& problem) {
  const bool member = constraint.relation == ir::Relation::member;
  return ir::holds(constraint, problem.evaluate(constraint.left),
                   member ? 0 : problem.evaluate(constraint.right));
}

/// The sizes in a constraint.
std::vector<ir::SizeId> sides_of(const ir::Constraint& constraint) {
  if (constraint.relation == ir::Relation::member) return {constraint.left};
  return {constraint.left, constraint.right};
}

/// Whether a symbol may have a value by itself.
bool allows(const ir::Symbol& symbol, int64_t value) {
  if (value < std::max<int64_t>(symbol.minimum, 0) || (symbol.maximum && value > *symbol.maximum))
    return false;
  return symbol.allowed.empty() || std::ranges::count(symbol.allowed, value) > 0;
}

/// Finds values for the symbols that are not set, one symbol after another, constraints being looked at as
/// soon as their symbols are known.
class SizeSearch {
 public:
  SizeSearch(Problem& problem, std::vector<bool> known, const std::vector<int64_t>& candidates)
      : problem_(problem), known_(std::move(known)), candidates_(candidates) {}

  bool solve() {
    if (++steps_ > kSearchLimit) return false;
    const auto known_before = known_;
    const auto sizes_before = problem_.sizes;
    follow_equalities();
    if (consistent() && choose_next()) return true;
    known_ = known_before;
    problem_.sizes = sizes_before;
    return false;
  }

 private:
  bool is_known(ir::SizeId size) const {
    return std::ranges::all_of(kernel().sizes.symbols_of(size),
                               [&](ir::SymbolId id) { return known_[id.index()]; });
  }
  const ir::Kernel& kernel() const { return *problem_.kernel; }

  /// `OH == (H - R)/S + 1` determines OH once the others are known.
  void follow_equalities() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Constraint& constraint : kernel().constraints) {
        if (constraint.relation != ir::Relation::equal) continue;
        changed |= follow(constraint.left, constraint.right) || follow(constraint.right, constraint.left);
      }
    }
  }
  bool follow(ir::SizeId target, ir::SizeId source) {
    const auto symbol = kernel().sizes.as_symbol(target);
    if (!symbol || known_[symbol->index()] || !is_known(source)) return false;
    problem_.sizes[symbol->index()] = problem_.evaluate(source);
    known_[symbol->index()] = true;
    return true;
  }

  /// Whether everything that is known so far is allowed.
  bool consistent() const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i] && !allows(kernel().symbols[kernel().symbols.id_at(i)], problem_.sizes[i])) return false;
    }
    return has_extents() && std::ranges::all_of(kernel().constraints,
                                                [&](const auto& constraint) { return may_hold(constraint); });
  }

  /// Whether a constraint holds, or a symbol of it is not known.
  bool may_hold(const ir::Constraint& constraint) const {
    return !std::ranges::all_of(sides_of(constraint), [&](ir::SizeId size) { return is_known(size); }) ||
           holds(constraint, problem_);
  }

  /// Whether no extent that is known is negative, as that of `y: f32[M - 3]` where M is 2.
  bool has_extents() const {
    return std::ranges::all_of(kernel().tensors, [&](const ir::Tensor& tensor) {
      return std::ranges::all_of(
          tensor.dims, [&](ir::SizeId dim) { return !is_known(dim) || problem_.evaluate(dim) >= 0; });
    });
  }

  bool choose_next() {
    const std::optional<std::size_t> next = next_unknown();
    if (!next) return true;
    const std::size_t index = *next;
    const ir::Symbol& symbol = kernel().symbols[kernel().symbols.id_at(index)];
    known_[index] = true;
    for (const int64_t value : symbol.allowed.empty() ? candidates_ : symbol.allowed) {
      problem_.sizes[index] = value;
      if (solve()) return true;
    }
    known_[index] = false;
    return false;
  }

  /// The first symbol that no equality will determine, for `K == 20 * G` is met by any G and by few K; else the first.
  std::optional<std::size_t> next_unknown() const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i]) continue;
      if (!follows_later(kernel().symbols.id_at(i))) return i;
      if (!first) first = i;
    }
    return first;
  }
  bool follows_later(ir::SymbolId symbol) const {
    const ir::SizeTable& sizes = kernel().sizes;
    const auto determines = [&](ir::SizeId target, ir::SizeId source) {
      return sizes.as_symbol(target) == symbol && std::ranges::count(sizes.symbols_of(source), symbol) == 0;
    };
    return std::ranges::any_of(kernel().constraints, [&](const ir::Constraint& constraint) {
      return constraint.relation == ir::Relation::equal &&
             (determines(constraint.left, constraint.right) || determines(constraint.right, constraint.left));
    });
  }

  Problem& problem_;
  std::vector<bool> known_;
  const std::vector<int64_t>& candidates_;
  int steps_ = 0;
};

std::optional<int64_t> parse_size(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Products of a few sizes stay within 63 bits; no tensor has such an extent anyway.
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kLargestSize)
    return std::nullopt;
  return value;
}

std::optional<ir::Literal> parse_scalar(const std::string& text, DType dtype) {
  ir::Literal literal;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (is_float(dtype)) {
    const auto [stop, error] = std::from_chars(begin, end, literal.real);
    return error == std::errc() && stop == end ? std::optional(literal) : std::nullopt;
  }
  if (is_bool(dtype) && (text == "true" || text == "false")) {
    literal.integer = text == "true" ? 1 : 0;
    return literal;
  }
  const auto [stop, error] = std::from_chars(begin, end, literal.integer);
  return error == std::errc() && stop == end ? std::optional(literal) : std::nullopt;
}

/// What a symbol allows, as a constraint is written.
std::string spell_limits(const ir::Symbol& symbol) {
  if (!symbol.allowed.empty())
    return fmt::format("{} in {{{}}}", symbol.name, fmt::join(symbol.allowed, ", "));
  std::string text = fmt::format("{} >= {}", symbol.name, std::max<int64_t>(symbol.minimum, 0));
  return symbol.maximum ? text + fmt::format(" && {} <= {}", symbol.name, *symbol.maximum) : text;
}

/// Says which limit or constraint stands in the way of sizes, the given ones first.
void report_broken(const Problem& problem, const std::vector<bool>& given, DiagnosticSink& sink) {
  const ir::Kernel& kernel = *problem.kernel;
  Span span;
  std::string text;  // all of them where only together they cannot be met
  for (const ir::Constraint& constraint : kernel.constraints)
    text += (text.empty() ? "" : ", ") + constraint.text;
  for (const ir::Tensor& tensor : kernel.tensors) {
    for (const ir::SizeId dim : tensor.dims) {
      if (problem.evaluate(dim) >= 0) continue;
      span = tensor.span;
      text = kernel.sizes.spell(dim, [&](ir::SymbolId id) { return kernel.symbols[id].name; }) + " >= 0";
    }
  }
  if (const ir::Constraint* broken = problem.broken_constraint()) {
    span = broken->span;
    text = broken->text;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ir::Symbol& symbol = kernel.symbols[kernel.symbols.id_at(i)];
    if (!given[i] || allows(symbol, problem.sizes[i])) continue;
    span = symbol.span;
    text = spell_limits(symbol);
  }
  sink.report(Diag::size_not_allowed, span, text, kernel.c_name)
      .note("with {}", problem.spell_sizes())
      .help("give sizes that fit with `--set`");
}

/// Reports settings that name nothing in the kernel.
bool check_names(const ir::Kernel& kernel, const Settings& settings, DiagnosticSink& sink) {
  std::vector<std::string> names;
  for (const ir::Symbol& symbol : kernel.symbols) names.push_back(symbol.name);
  for (const ir::Scalar& scalar : kernel.scalars) names.push_back(scalar.name);
  bool good = true;
  for (const auto& [name, value] : settings) {
    if (std::ranges::count(names, name) > 0) continue;
    good = false;
    auto report = sink.report(Diag::unknown_setting, {}, kernel.c_name, name);
    if (names.empty())
      report.note("it has none at all");
    else
      report.note("it has {}", fmt::join(names, ", "));
  }
  return good;
}

bool bad_value(const std::string& name, const std::string& value, std::string_view wanted,
               DiagnosticSink& sink) {
  sink.report(Diag::bad_command_line, {},
              fmt::format("`--set {}={}`: the value is not {}", name, value, wanted));
  return false;
}

bool set_scalars(const Settings& settings, Problem& problem, DiagnosticSink& sink) {
  for (const ir::Scalar& scalar : problem.kernel->scalars) {
    ir::Literal literal{.real = 1, .integer = 1};
    if (scalar.initial) literal = *scalar.initial;
    if (const auto setting = settings.find(scalar.name); setting != settings.end()) {
      const auto parsed = parse_scalar(setting->second, scalar.dtype);
      if (!parsed)
        return bad_value(scalar.name, setting->second, fmt::format("of type {}", spelling(scalar.dtype)),
                         sink);
      literal = *parsed;
    }
    problem.scalars.push_back(literal);
  }
  return true;
}

}  // namespace

int64_t Problem::evaluate(ir::SizeId size) const {
  return kernel->sizes.evaluate(size, [this](ir::SymbolId id) { return sizes[id.index()]; });
}

std::vector<int64_t> Problem::extents(ir::TensorId tensor) const {
  std::vector<int64_t> result;
  for (const ir::SizeId dim : kernel->tensors[tensor].dims) result.push_back(evaluate(dim));
  return result;
}

std::optional<int64_t> Problem::bytes() const {
  int64_t sum = 0;
  for (std::size_t i = 0; i < kernel->tensors.size(); ++i) {
    const ir::TensorId id = kernel->tensors.id_at(i);
    int64_t product = size_in_bytes(kernel->tensors[id].dtype);
    for (const int64_t extent : extents(id)) {
      if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::string Problem::spell_sizes() const {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text +=
        fmt::format("{}{}={}", i == 0 ? "" : " ", kernel->symbols[kernel->symbols.id_at(i)].name, sizes[i]);
  }
  return text;
}

const ir::Constraint* Problem::broken_constraint() const {
  const auto broken =
      std::ranges::find_if(kernel->constraints, [&](const auto& c) { return !holds(c, *this); });
  return broken == kernel->constraints.end() ? nullptr : &*broken;
}

std::optional<Settings> parse_settings(const std::vector<std::string>& items, DiagnosticSink& sink) {
  Settings settings;
  for (const std::string& item : items) {
    const std::size_t equal = item.find('=');
    if (equal == 0 || equal == std::string::npos || equal + 1 == item.size()) {
      sink.report(Diag::bad_command_line, {}, fmt::format("`--set {}` is not `NAME=VALUE`", item));
      return std::nullopt;
    }
    settings[item.substr(0, equal)] = item.substr(equal + 1);
  }
  return settings;
}

const ir::Kernel* choose_kernel(const ir::Module& module, const std::string& name, const std::string& path,
                                DiagnosticSink& sink) {
  std::vector<std::string> names;
  for (const ir::Kernel& kernel : module.kernels) {
    if (kernel.c_name == name || (name.empty() && module.kernels.size() == 1)) return &kernel;
    names.push_back(kernel.c_name);
  }
  auto report = name.empty() ? sink.report(Diag::kernel_not_chosen, {}, path, module.kernels.size())
                             : sink.report(Diag::unknown_kernel, {}, path, name);
  if (!names.empty()) report.note("it has {}", fmt::join(names, ", "));
  return nullptr;
}

std::optional<Problem> make_problem(const ir::Kernel& kernel, const Settings& settings,
                                    const std::vector<int64_t>& candidates, DiagnosticSink& sink) {
  Problem problem{&kernel, std::vector<int64_t>(kernel.symbols.size(), 0), {}};
  if (!check_names(kernel, settings, sink) || !set_scalars(settings, problem, sink)) return std::nullopt;
  std::vector<bool> known(kernel.symbols.size(), false);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::string& name = kernel.symbols[kernel.symbols.id_at(i)].name;
    const auto setting = settings.find(name);
    if (setting == settings.end()) continue;
    const auto size = parse_size(setting->second);
    if (!size) return bad_value(name, setting->second, "a whole number from 0 to 2^48", sink), std::nullopt;
    problem.sizes[i] = *size;
    known[i] = true;
  }
  if (SizeSearch(problem, known, candidates).solve()) return problem;
  report_broken(problem, known, sink);
  return std::nullopt;
}

}  // namespace tessera::commands
