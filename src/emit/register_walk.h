// SPDX-License-Identifier: Apache-2.0
// A walk over a lowered function with the numbers of a variant in place, as nvcc will see it: unrolled loops are written
// out, equal expressions are one value, what a loop does not change is made in front of it, loads are issued ahead.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/lifetimes.h"
#include "emit/lowered.h"
#include "emit/plan.h"
#include "emit/register_costs.h"
#include "emit/register_names.h"

namespace tessera::emit {

inline constexpr double kAddress = 2;  // registers of 64 bits

inline constexpr RegisterCosts kRegisterCosts;

class RegisterWalk {
 public:
  RegisterWalk(const Variant& variant, const Target& target);
  /// Registers of a thread, if there were as many as it likes.
  double run(const lowered::Function& function);

 private:
  using Expr = lowered::Expr;
  using Expression = lowered::Expression;
  using Table = std::map<std::string, HeldValue>;

  // Values, and when loads bring them: register_values.cpp.
  void use(const HeldValue& value);
  std::string fresh();
  const HeldValue* known(const std::string& key) const;
  /// A value made from others, or the equal one that is there. Whole numbers that a loop does not change leave it.
  HeldValue make(const std::string& op, const std::vector<HeldValue>& from, double registers,
                 double scratch = 0, bool whole = false);
  /// Only memory instructions add a constant on their way; products and comparisons need the sum in registers.
  HeldValue summed(const HeldValue& value);
  /// Where a function branches for rare arguments, these are taken from where they were loaded.
  void use_copies(const HeldObject& object, const HeldPlace& place);
  /// Calls without branches, of the elements of a vector, run side by side.
  void overlap(const Expression& e);
  /// A parameter of 64 bits that a guarded instruction needs.
  void use_parameter(const std::string& name);
  /// The register of a load, which is issued some loads ahead of its place.
  int arrival(double registers);
  int issue(int loads_ahead) const;
  /// The address that a load has for itself is made ahead, too; what arrives may take its place.
  void wait_with_address(double arriving);
  void assign(HeldObject& object, int slot, const HeldValue& value);
  /// What a guard around the assignment may leave unwritten: to ptxas, the last turn's value may still be needed.
  bool is_partial(const HeldObject& object) const;
  int home_of(HeldObject& object, int slot);
  /// When the last element of a word is written, its elements become one register.
  void pack(HeldObject& object, int slot);

  // Expressions: register_expressions.cpp.
  HeldValue eval(const Expr& e);
  std::vector<HeldValue> operands(const Expression& e);
  HeldPlace place_of(const Expr& e);
  HeldValue named(const Expr& e);
  /// Shared memory and tables have addresses of 32 bits.
  HeldValue address_of(const HeldPlace& place);
  HeldValue read(const HeldPlace& place);
  HeldValue binary(const Expression& e);
  bool is_divisor(const Expr& e);
  HeldValue call(const Expression& e);
  static std::string tensor_of(const Expression& access);
  HeldValue first_element(const Expression& e);
  /// The address of an element, or where a line begins: the sum of coordinate times stride, in the order of dimensions.
  HeldValue address(const std::string& tensor, const Expr& at, bool vector);
  HeldValue load(const Expression& e);
  HeldValue store(const Expression& e);

  // Vectors of lines that may begin anywhere, and windows of neighbours: register_lines.cpp.
  bool is_whole() const { return !variant_.ragged || variant_.vector == 1; }
  void part(const lowered::Local& node);
  HeldValue any(const HeldObject& part, int64_t distance);
  /// What the compiler knows: elements of vectors that lines consist of.
  bool always_exists(const Expression& e);
  HeldValue has(const Expression& e);
  HeldValue boundary(const Expression& e);
  void or_else(HeldObject& object, int first, const Expression& e);
  void load_vector(HeldObject& object, int first, const Expression& e);
  /// The addresses and words of a vector that is read in pieces, while it is.
  void pieces(int bytes, int lanes);
  void load_strips(const Expression& e);
  void window(HeldObject& object, const Expr& e);
  void neighbours(HeldObject& object, const Expression& e, int first, int count);

  // Statements: registers.cpp.
  void block(const lowered::Block& statements);
  void visit(const lowered::Comment&);
  void visit(const lowered::Shared&);
  void visit(const lowered::Lambda&) {}
  void visit(const lowered::Using&) {}
  void visit(const lowered::Barrier&);
  void visit(const lowered::Evaluate& node);
  void visit(const lowered::Local& node);
  HeldValue initial(const lowered::Local& node, HeldObject& object);
  /// `const auto [b, s] = tile_position(unit, units).at;`
  void positions(const lowered::Local& node);
  /// A whole vector: from memory, or what a function makes of other vectors.
  void fill(HeldObject& object, int first, const Expr& e);
  void put(HeldObject& object, int first, bool loads, bool has_address);
  void visit(const lowered::Assign& node);
  /// A guard and the same again are one; with another between them, what was made under the first is not there.
  void visit(const lowered::If& node);
  void guarded(const std::string& condition, bool branches, const std::function<void()>& body);
  void visit(const lowered::For& node);
  void written_out(const std::string& name, int64_t first, int64_t end, const lowered::Block& body);
  void runtime_loop(const lowered::For& node, const std::vector<std::string>& header);
  void turns_of_runtime_loop(const lowered::For& node, const std::string& name, const HeldValue& counter);
  /// nvcc writes out four turns of a short loop; ptxas four or two times that, unless they store, branch or fill too much.
  static int written_out_turns(const Work& work);
  void open_loop();
  void close_loop();

  const Variant& variant_;
  HeldNames names_;
  bool parameters_in_registers_;
  Lifetimes lives_;
  std::vector<Table> tables_;  // equal expressions, of each open branch and loop
  std::string last_guard_;     // of the branch that was closed last: the next one may go on
  Table last_table_;
  std::vector<size_t> loop_tables_;  // the table around each open loop
  std::vector<std::map<std::pair<HeldObject*, int>, int>>
      changed_;                  // in each open loop, and the values before
  std::vector<int> parameters_;  // steps of the uses of parameters under this guard
  std::vector<int> loads_;       // steps of the loads of this stretch without branches
  int serial_ = 0;
  size_t guards_open_ = 0, predicates_open_ = 0;
  bool calls_ = false;            // what is evaluated is an operand of a function that branches
  int predicates_ = 0;            // conditions that loops do not change
  std::vector<int> overlapping_;  // calls of branch-free functions in this stretch
  int runtime_loops_ = 0;         // so far
};

}  // namespace tessera::emit
