// SPDX-License-Identifier: Apache-2.0
// Each kind of fault removes one kind of node; the count runs over a function in the order of its text.
#include "emit/fault.h"

namespace tessera::emit {

namespace {

class Planter {
 public:
  explicit Planter(const Fault& fault) : fault_(fault), left_(fault.index) {}

  bool block(lowered::Block& statements) {
    for (size_t k = 0; k < statements.size(); ++k) {
      if (here(statements[k]) && left_-- == 0) {
        leave_out(statements, k);
        return true;
      }
      if (auto* loop = std::get_if<lowered::For>(&statements[k].node); loop && block(loop->body)) return true;
      auto* branch = std::get_if<lowered::If>(&statements[k].node);
      if (branch && (block(branch->then) || block(branch->otherwise))) return true;
    }
    return false;
  }

 private:
  bool here(const lowered::Statement& statement) const {
    switch (fault_.kind) {
      case Fault::Kind::guard: {
        const auto* branch = std::get_if<lowered::If>(&statement.node);
        return branch && branch->is_guard;
      }
      case Fault::Kind::mask: {
        const auto* branch = std::get_if<lowered::If>(&statement.node);
        return branch && !branch->is_guard;
      }
      case Fault::Kind::barrier: return std::holds_alternative<lowered::Barrier>(statement.node);
      case Fault::Kind::fill: {
        const auto* assign = std::get_if<lowered::Assign>(&statement.node);
        return assign && assign->is_fill;
      }
      case Fault::Kind::initialisation: {
        const auto* local = std::get_if<lowered::Local>(&statement.node);
        return local && local->is_initialisation;
      }
    }
    return false;
  }

  void leave_out(lowered::Block& statements, size_t k) const {
    const auto at = statements.begin() + static_cast<std::ptrdiff_t>(k);
    if (auto* branch = std::get_if<lowered::If>(&statements[k].node)) {
      lowered::Block inner = std::move(branch->then);
      const auto place = statements.erase(at);
      statements.insert(place, std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    } else if (auto* local = std::get_if<lowered::Local>(&statements[k].node)) {
      // What a register happens to hold: the twin's poison, so that the mistake shows.
      local->initial = lowered::call("poison<" + local->type + ">", {}, local->initial->type);
    } else {
      statements.erase(at);
    }
  }

  const Fault& fault_;
  int left_;
};

}  // namespace

bool plant_fault(const Fault& fault, LoweredPhase& phase) {
  bool planted = false;
  for (lowered::Function& function : phase.functions) planted |= Planter(fault).block(function.body);
  return planted;
}

}  // namespace tessera::emit
