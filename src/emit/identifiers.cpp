// SPDX-License-Identifier: Apache-2.0
// A walk over expressions; texts that hold more than one word (loop headers, array extents) are split into words.
#include "emit/identifiers.h"

#include <algorithm>
#include <cctype>

namespace tessera::emit {

namespace {

using lowered::Block;
using lowered::Expr;

class Collector {
 public:
  void block(const Block& statements) {
    for (const lowered::Statement& each : statements) statement(each);
  }
  void statement(const lowered::Statement& statement) {
    std::visit([&](const auto& node) { visit(node); }, statement.node);
  }
  std::set<std::string> found;

 private:
  void text(std::string_view words) {
    for (size_t k = 0; k < words.size();) {
      size_t end = k;
      while (end < words.size() &&
             (std::isalnum(static_cast<unsigned char>(words[end])) || words[end] == '_'))
        ++end;
      const bool is_member = k > 0 && (words[k - 1] == ':' || words[k - 1] == '.');  // Major::k, unit.at
      if (end > k && !is_member) found.insert(std::string(words.substr(k, end - k)));
      k = std::max(end, k + 1);
    }
  }
  void expression(const Expr& e) {
    if (!e) return;
    using Kind = lowered::Expression::Kind;
    if (e->kind == Kind::name || e->kind == Kind::call) text(e->text);
    for (const Expr& operand : e->operands) expression(operand);
  }
  void visit(const lowered::Comment&) {}
  void visit(const lowered::Barrier& node) {
    if (node.threads == lowered::Barrier::Of::cluster) found.insert("cluster");
  }
  void visit(const lowered::Local& node) {
    expression(node.initial);
    text(node.type);
    for (const std::string& extent : node.extents) text(extent);
  }
  void visit(const lowered::Assign& node) {
    expression(node.target);
    expression(node.value);
  }
  void visit(const lowered::Evaluate& node) { expression(node.expression); }
  void visit(const lowered::If& node) {
    expression(node.condition);
    block(node.then);
    block(node.otherwise);
  }
  void visit(const lowered::For& node) {
    text(node.header);
    text(node.step);
    expression(node.first);
    expression(node.end);
    block(node.body);
  }
  void visit(const lowered::Shared& node) {
    text(node.count);
    text(node.first_byte);
  }
  void visit(const lowered::Lambda& node) { block(node.body); }
  void visit(const lowered::Using& node) { text(node.type); }
};

// Names are given out again once their scope has closed, so a local is used if something behind it in its own block
// mentions it.
void prune(Block& statements) {
  std::set<std::string> used;
  for (size_t k = statements.size(); k-- > 0;) {
    lowered::Statement& statement = statements[k];
    bool is_dead = false;
    if (const auto* local = std::get_if<lowered::Local>(&statement.node)) {
      is_dead = !local->name.starts_with('[') && !used.contains(local->name);
    } else if (auto* loop = std::get_if<lowered::For>(&statement.node)) {
      prune(loop->body);
      is_dead = loop->body.empty();
    } else if (auto* branch = std::get_if<lowered::If>(&statement.node)) {
      prune(branch->then);
      prune(branch->otherwise);
      is_dead = branch->then.empty() && branch->otherwise.empty();
    } else if (auto* lambda = std::get_if<lowered::Lambda>(&statement.node)) {
      prune(lambda->body);
    } else if (const auto* alias = std::get_if<lowered::Using>(&statement.node)) {
      is_dead = !used.contains(alias->name);
    }
    if (is_dead) {
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    Collector collector;
    collector.statement(statement);
    used.merge(collector.found);
  }
}

}  // namespace

std::set<std::string> identifiers_in(const Block& block) {
  Collector collector;
  collector.block(block);
  return std::move(collector.found);
}

void remove_unused_locals(Block& block) { prune(block); }

}  // namespace tessera::emit
