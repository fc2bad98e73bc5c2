// SPDX-License-Identifier: Apache-2.0
// Lookup and declaration of names, and suggestions for misspelt ones.
#include "sema/scope.h"

#include <algorithm>
#include <iterator>

namespace tessera::sema {

namespace {

struct Describe {
  const char* operator()(const ErrorEntity&) const { return "a name"; }
  const char* operator()(const SymbolEntity&) const { return "a dimension"; }
  const char* operator()(const TensorEntity&) const { return "a parameter"; }
  const char* operator()(const ScalarEntity&) const { return "a parameter"; }
  const char* operator()(const NumberEntity&) const { return "a constant"; }
  const char* operator()(const TableEntity&) const { return "a constant table"; }
  const char* operator()(const TypeEntity&) const { return "a type"; }
  const char* operator()(const FunctionEntity&) const { return "a function"; }
  const char* operator()(const RangeEntity&) const { return "a range"; }
  const char* operator()(const ValueEntity&) const { return "a `let`"; }
  const char* operator()(const VariableEntity&) const { return "a `var`"; }
  const char* operator()(const PlanParameterEntity&) const { return "a plan parameter"; }
};

/// Insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string describe(const Entity& entity) { return std::visit(Describe{}, entity.node); }

std::vector<std::map<std::string, Entity, std::less<>>> Scope::detach(std::size_t depth) {
  std::vector<std::map<std::string, Entity, std::less<>>> above;
  std::move(frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end(), std::back_inserter(above));
  frames_.resize(depth);
  return above;
}

void Scope::attach(std::vector<std::map<std::string, Entity, std::less<>>> frames) {
  std::move(frames.begin(), frames.end(), std::back_inserter(frames_));
}

Entity* Scope::find(const std::string& name) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const auto entry = frame->find(name);
    if (entry != frame->end()) return &entry->second;
  }
  return nullptr;
}

const Entity* Scope::clash(const std::string& name) const {
  const std::size_t lowest = frames_.size() > 1 ? 1 : 0;
  for (std::size_t i = frames_.size(); i-- > lowest;) {
    const auto entry = frames_[i].find(name);
    if (entry != frames_[i].end()) return &entry->second;
  }
  return nullptr;
}

Entity& Scope::declare(const std::string& name, Entity entity) {
  return frames_.back().insert_or_assign(name, std::move(entity)).first->second;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> result;
  for (const auto& frame : frames_) {
    for (const auto& [name, entity] : frame) result.push_back(name);
  }
  return result;
}

std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates) {
  const std::size_t limit = name.size() <= 2 ? 1 : std::max<std::size_t>(1, name.size() / 3);
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t length_gap =
        candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
    if (candidate == name || length_gap >= best_distance) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < name.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tessera::sema
