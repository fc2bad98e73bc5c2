// SPDX-License-Identifier: Apache-2.0
// Random programs: dimensions, the grid, statements; see generate.h.
#include "fuzz/generate.h"

#include <algorithm>
#include <array>
#include <set>

#include "fuzz/number.h"
#include "fuzz/value_generator.h"

namespace tessera::fuzz {

namespace {

constexpr std::array<const char*, 4> kSymbols = {"M", "N", "K", "D"};
/// Sums of floats in variables stay below this.
constexpr std::int64_t kFloatBudget = 1 << 16;
/// Points at which values are computed, elements of tensors included.
constexpr double kWorkOfEvaluation = 100000;
/// Points at which generated code computes at most, every fold where it stands.
constexpr double kRepeatedWork = 3e5;

class Generator {
 public:
  Generator(std::uint64_t seed, const Profile& profile)
      : choices_(seed),
        on_(choices_.features()),
        profile_(profile),
        values_(program_, choices_, on_, profile_) {
    program_.seed = seed;
    program_.problems = profile.problems;
  }

  Program run() {
    program_.rounds_to_tf32 = on_.products && choices_.chance(10);
    symbols();
    grid();
    lets(program_.body, program_.grid);
    if (on_.loops) {
      const auto count = choices_.between(1, 2);
      for (int i = 0; i < count; ++i) state(program_.body);
    }
    const auto outputs = on_.outputs ? choices_.between(1, 3) : 1;
    for (int i = 0; i < outputs; ++i) output();
    show_symbols();
    if (on_.annotations) annotations();
    find_axes(program_);
    fit_extents();
    return std::move(program_);
  }

 private:
  /// Extents of M, N and K, of which the first that is drawn is the largest; D is free.
  std::vector<std::int64_t> working_extents() {
    std::vector<std::int64_t> extents(kSymbols.size());
    std::vector<std::size_t> order = {0, 1, 2};
    choices_.shuffle(order);
    order.push_back(3);
    std::int64_t work = profile_.most_work;
    for (const std::size_t i : order) {
      extents[i] = choices_.extent(std::max<std::int64_t>(1, std::min(profile_.largest, work)));
      if (i < 3) work /= extents[i];
    }
    return extents;
  }

  void symbols() {
    for (const char* name : kSymbols) program_.symbols.push_back({name, {}, 0});
    for (int problem = 0; problem < profile_.problems; ++problem) {
      const bool is_large = problem < profile_.large_problems;
      const std::vector<std::int64_t> extents =
          is_large ? working_extents() : std::vector<std::int64_t>(kSymbols.size());
      for (std::size_t i = 0; i < kSymbols.size(); ++i)
        program_.symbols[i].extents.push_back(is_large             ? extents[i]
                                              : choices_.chance(8) ? 0
                                                                   : choices_.extent(20));
    }
    if (!on_.bounded) return;
    Symbol& last = program_.symbols.back();
    last.limit = choices_.one_of<std::int64_t>({32, 64, 80, 96, 128});
    for (std::int64_t& extent : last.extents) extent = std::min(extent, last.limit);
  }

  void grid() {
    const auto ranges = choices_.chance(4) ? 0 : choices_.between(1, on_.products ? 2 : 3);
    std::vector<int> order = {0, 1, 3};
    if (choices_.chance(20)) order = {1, 0, 2};
    for (int i = 0; i < ranges; ++i) {
      const int id = values_.add_symbol_binder(BinderKind::grid, order[static_cast<std::size_t>(i)]);
      Binder& one = program_.binders[static_cast<std::size_t>(id)];
      one.step = choices_.chance(50) ? Step::plan : Step::named;
      if (on_.scalar_ranges && choices_.chance(25)) one.step = Step::none;
      if (on_.semantic_steps && choices_.chance(20)) {
        one.step = Step::semantic;
        one.step_size = choices_.one_of<std::int64_t>({3, 8, 16, 24, 32});
      }
      program_.grid.push_back(id);
    }
    around_ = program_.grid;
  }

  std::vector<int> stepped(const std::vector<int>& ranges) const {
    std::vector<int> result;
    for (const int id : ranges) {
      if (!is_scalar(program_.binders[static_cast<std::size_t>(id)])) result.push_back(id);
    }
    return result;
  }

  /// Names for values, which later statements read.
  void lets(std::vector<Statement>& body, const std::vector<int>& axes) {
    const auto count = on_.lets ? choices_.between(0, 2) : 0;
    for (int i = 0; i < count; ++i) {
      Statement statement{.kind = StatementKind::let};
      const DType type = values_.any_type();
      Expression value = values_.value(type, axes, profile_.depth, false);
      if (value.kind == Kind::literal) continue;
      statement.local = add_local("v", type, value.axes, false);
      values_.readable.push_back({statement.local, value.bound, value.is_total});
      statement.value = std::move(value);
      add(body, std::move(statement));
    }
  }

  int add_local(const char* prefix, DType type, std::vector<int> axes, bool is_variable) {
    const auto id = static_cast<int>(program_.locals.size());
    program_.locals.push_back({prefix + std::to_string(id), type, std::move(axes), is_variable});
    return id;
  }

  void add(std::vector<Statement>& body, Statement statement) {
    statement.lets = values_.take_lets();
    body.push_back(std::move(statement));
  }

  // ---- state and loops ----

  DType state_type() {
    std::vector<DType> types = {DType::i32, DType::i32};
    if (on_.floats) types.insert(types.end(), {DType::f32, DType::f32});
    if (on_.wide_integers) types.push_back(DType::i64);
    if (on_.narrow_integers && !on_.products) types.insert(types.end(), {DType::i16, DType::u8});
    if (on_.doubles) types.push_back(DType::f64);
    return choices_.one_of(types);
  }

  /// Variables, and a loop that changes them; maybe with such a loop inside.
  void state(std::vector<Statement>& body, bool is_inner = false) {
    const std::vector<int> axes = stepped(program_.grid);
    std::vector<int> variables;
    const auto count = choices_.between(1, 2);
    for (int i = 0; i < count; ++i) variables.push_back(variable(body, axes));
    const int range = loop_range(axes);
    Statement loop{.kind = StatementKind::loop};
    loop.ranges = {range};
    const Step step = program_.binders[static_cast<std::size_t>(range)].step;
    const bool is_plan = step == Step::plan || step == Step::named;
    const std::size_t outside = values_.readable.size();
    if (!is_plan) make_readable(variables);
    // A fold over a tile has a value of its own for each partition: only what is summed up may be one.
    const bool has_tiles = step == Step::semantic;
    if (has_tiles) values_.loop_ranges.push_back(range);
    std::vector<int> inside = around_;
    inside.push_back(range);
    if (choices_.chance(30)) lets(loop.body, inside);
    if (on_.nested_loops && !is_inner && !is_plan) {
      const std::vector<int> outer = around_;
      if (step == Step::none) around_ = inside;
      state(loop.body, true);
      around_ = outer;
    }
    for (const int local : variables) update(loop, local, is_plan);
    if (has_tiles && on_.tile_ids && !is_inner) store_tile(loop, range);
    if (has_tiles) values_.loop_ranges.pop_back();
    values_.readable.resize(outside);
    make_readable(variables);
    body.push_back(std::move(loop));
  }

  void make_readable(const std::vector<int>& variables) {
    for (const int local : variables) values_.readable.push_back({local, bound_of(local), true});
  }

  double bound_of(int local) const {
    const DType type = program_.locals[static_cast<std::size_t>(local)].type;
    return is_float(type) ? static_cast<double>(kFloatBudget) : greatest(type);
  }

  int variable(std::vector<Statement>& body, std::vector<int> axes) {
    const DType type = state_type();
    Statement statement{.kind = StatementKind::variable};
    if (on_.state && choices_.chance(20)) {  // an axis of its own, of which the loop keeps all
      const int id =
          values_.add_symbol_binder(BinderKind::let, values_.literal_symbol(choices_.between(2, 5)));
      body.push_back({.kind = StatementKind::ranges, .lets = {id}});
      axes.push_back(id);
    }
    std::vector<int> all = axes;
    for (const int id : around_) {  // what mentions a related range may be absent
      if (program_.binders[static_cast<std::size_t>(id)].relation.empty()) all.push_back(id);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    statement.value = choices_.chance(60)
                          ? make_literal(type, is_unsigned_integer(type) ? 1 : choices_.between(-3, 3))
                          : values_.value(type, all, 1, true);
    if (is_float(type)) statement.value = clamped(program_, std::move(statement.value), 1 << 10);
    statement.local = add_local("s", type, axes, true);
    const int local = statement.local;
    add(body, std::move(statement));
    return local;
  }

  int loop_range(const std::vector<int>& axes) {
    const bool is_literal = choices_.chance(20);
    const int symbol =
        is_literal ? values_.literal_symbol(choices_.between(1, 4)) : choices_.one_of<int>({2, 2, 2, 1});
    const int id = values_.add_symbol_binder(BinderKind::loop, symbol);
    Binder& one = program_.binders[static_cast<std::size_t>(id)];
    one.step = choices_.one_of<Step>({Step::plan, Step::plan, Step::named});
    if (on_.semantic_steps && choices_.chance(40)) {
      one.step = Step::semantic;
      one.step_size = choices_.one_of<std::int64_t>({2, 5, 8, 16, 32});
    }
    if (is_literal || choices_.chance(20)) one.step = Step::none;
    std::vector<Conjunct> relation;
    if (on_.relations && choices_.chance(60)) relation = values_.relation(id, axes);
    program_.binders[static_cast<std::size_t>(id)].relation = std::move(relation);
    return id;
  }

  /// One assignment. What a loop in steps of the plan carries is summed up, or is the greatest so far.
  void update(Statement& loop, int local, bool is_plan) {
    const Local variable = program_.locals[static_cast<std::size_t>(local)];
    Statement statement{.kind = StatementKind::assign, .local = local};
    std::vector<int> axes = variable.axes;
    for (const int id : around_) {
      if (std::ranges::find(axes, id) == axes.end()) axes.push_back(id);
    }
    const int range = loop.ranges[0];
    if (is_plan) {
      statement.operation = choices_.one_of<Operation>(
          {Operation::add, Operation::add, Operation::subtract, Operation::maximum, Operation::minimum});
      statement.value = summand(statement.operation, variable.type, {range}, axes);
    } else {
      if (is_scalar(program_.binders[static_cast<std::size_t>(range)])) axes.push_back(range);
      statement.operation =
          choices_.one_of<Operation>({Operation::none, Operation::none, Operation::add, Operation::maximum});
      statement.value = values_.value(variable.type, axes, profile_.depth - 1, !on_.absence);
      if (is_float(variable.type)) keep_small(statement, range);
    }
    if (contains(statement.value, Kind::product) && on_.annotations && !has_pipeline_ &&
        choices_.chance(30)) {
      loop.pipeline = static_cast<int>(choices_.between(1, 7));
      has_pipeline_ = true;
    }
    add(loop.body, std::move(statement));
  }

  /// A variable of floats may grow by so much in each round that it stays exact.
  void keep_small(Statement& statement, int range) {
    const Binder& one = program_.binders[static_cast<std::size_t>(range)];
    const Symbol& symbol = program_.symbols[static_cast<std::size_t>(one.symbol)];
    const std::int64_t rounds = std::max<std::int64_t>(1, symbol.most());
    const std::int64_t limit =
        statement.operation == Operation::add ? (kFloatBudget - 1024) / rounds : kFloatBudget;
    statement.value = clamped(program_, std::move(statement.value), std::max<std::int64_t>(limit, 1));
  }

  Expression summand(Operation update, DType type, const std::vector<int>& folded,
                     const std::vector<int>& axes) {
    const bool adds = update == Operation::add || update == Operation::subtract;
    if (adds && on_.products && product_type(values_.factor_type(type)) == type && choices_.chance(75)) {
      if (auto product = values_.product_over(folded, type, axes, profile_.depth)) {
        if (!is_float(type) || product->bound <= kFloatBudget - 1024) return std::move(*product);
      }
    }
    double terms = 1;
    bool exists = true;
    for (const int id : folded) terms *= values_.count_of(id), exists = exists && values_.is_never_empty(id);
    std::vector<int> inside = axes;
    inside.insert(inside.end(), folded.begin(), folded.end());
    Expression value = values_.value_with(type, inside, values_.related_axes(folded), profile_.depth - 1,
                                          !on_.absence || choices_.chance(50));
    if (is_float(type)) {
      const double budget = (kFloatBudget - 1024) / (adds ? terms : 1.0);
      value =
          clamped(program_, std::move(value), std::max<std::int64_t>(1, static_cast<std::int64_t>(budget)));
    }
    const Operation fold = adds                           ? Operation::sum
                           : update == Operation::maximum ? Operation::max
                                                          : Operation::min;
    return make_fold(program_, fold, folded, std::move(value), terms, exists);
  }

  static bool contains(const Expression& e, Kind kind) {
    return e.kind == kind || std::ranges::any_of(e.arguments, [&](const Expression& argument) {
             return contains(argument, kind);
           });
  }

  /// Each step of a loop has an element of its own in an output.
  void store_tile(Statement& loop, int range) {
    const Binder one = program_.binders[static_cast<std::size_t>(range)];
    const DType type = values_.any_type();
    Tensor tensor = output_tensor(type);
    Statement statement{.kind = StatementKind::store};
    for (const int id : program_.grid) index_by(id, tensor, statement);
    Expression number{.kind = Kind::tile_id, .type = DType::index, .binder = range};
    const Symbol& symbol = program_.symbols[static_cast<std::size_t>(one.symbol)];
    tensor.dimensions.push_back({one.symbol, 1, one.step_size - 1, one.step_size});
    if (symbol.name.empty()) return;
    statement.indices.push_back(std::move(number));
    statement.value = values_.value(type, program_.grid, profile_.depth - 1, true);
    statement.tensor = static_cast<int>(program_.tensors.size());
    tensor.name = "y" + std::to_string(statement.tensor);
    program_.tensors.push_back(std::move(tensor));
    add(loop.body, std::move(statement));
  }

  // ---- outputs ----

  static Tensor output_tensor(DType type) {
    Tensor tensor;
    tensor.type = type;
    tensor.is_output = true;
    return tensor;
  }

  void index_by(int id, Tensor& tensor, Statement& statement) const {
    const Symbol& symbol =
        program_.symbols[static_cast<std::size_t>(program_.binders[static_cast<std::size_t>(id)].symbol)];
    Size size{program_.binders[static_cast<std::size_t>(id)].symbol, 1, 0, 1};
    if (symbol.name.empty()) size = {-1, 1, symbol.extents[0], 1};
    tensor.dimensions.push_back(size);
    statement.indices.push_back(make_coordinate(id));
  }

  /// What an output gets: any value, or a product and what is done with it.
  Expression result(DType type, const std::vector<int>& axes) {
    auto product = on_.products && type != DType::boolean && choices_.chance(60) ? values_.main_product(axes)
                                                                                 : std::nullopt;
    if (!product) return values_.value(type, axes, profile_.depth, true);
    if (choices_.chance(50)) {
      Expression other = values_.value(product->type, axes, profile_.depth - 2, true);
      if (other.bound + product->bound <= exact_limit(product->type) || !is_float(product->type))
        product = make_binary(program_, Operation::add, std::move(*product), std::move(other));
    }
    return fitted(program_, std::move(*product), type);
  }

  void output() {
    std::vector<int> axes = program_.grid;
    Statement declared{.kind = StatementKind::ranges};
    if (choices_.chance(35) || axes.empty()) {
      const int symbol = static_cast<int>(choices_.between(1, 3));
      axes.push_back(values_.colon_of(symbol));
    }
    if (choices_.chance(12)) {
      const int id =
          values_.add_symbol_binder(BinderKind::let, values_.literal_symbol(choices_.between(2, 5)));
      declared.lets.push_back(id);
      axes.push_back(id);
    }
    if (!declared.lets.empty()) program_.body.push_back(declared);
    choices_.shuffle(axes);
    const DType type = values_.any_type();
    Tensor tensor = output_tensor(type);
    Statement statement{.kind = StatementKind::store};
    for (const int id : axes) index_by(id, tensor, statement);
    statement.value = result(type, axes);
    statement.tensor = static_cast<int>(program_.tensors.size());
    tensor.name = "y" + std::to_string(statement.tensor);
    program_.tensors.push_back(std::move(tensor));
    Statement later = statement;
    add(program_.body, std::move(statement));
    if (!on_.later_stores || !on_.absence || choices_.chance(50)) return;
    Expression some = values_.value(type, axes, profile_.depth - 1, false);
    Expression condition = values_.value(DType::boolean, axes, profile_.depth - 1, true);
    later.value = make_where(program_, std::move(condition), std::move(some));
    add(program_.body, std::move(later));
  }

  /// Every symbol that is used stands alone in some parameter.
  void show_symbols() {
    std::set<int> used, shown;
    for (const Binder& one : program_.binders) used.insert(one.symbol);
    for (const Tensor& tensor : program_.tensors) {
      for (const Size& size : tensor.dimensions) {
        used.insert(size.symbol);
        if (size.scale == 1 && size.offset == 0 && size.divisor == 1) shown.insert(size.symbol);
      }
    }
    for (const int symbol : {0, 1, 2, 3}) {
      if (shown.contains(symbol)) continue;
      if (!used.contains(symbol)) used.insert(symbol);
      Tensor tensor;
      tensor.name = "x" + std::to_string(program_.tensors.size());
      tensor.dimensions = {{symbol, 1, 0, 1}};
      program_.tensors.push_back(std::move(tensor));
    }
  }

  /// Extents shrink until no tensor is large and the evaluation is quick. Bounds hold as well for smaller ones.
  void fit_extents() {
    for (int problem = 0; problem < program_.problems; ++problem) {
      while (work_of(program_, problem) > kWorkOfEvaluation ||
             repeated_work_of(program_, problem) > kRepeatedWork) {
        std::int64_t* largest = nullptr;
        for (Symbol& symbol : program_.symbols) {
          std::int64_t& extent = symbol.extents[static_cast<std::size_t>(problem)];
          if (!symbol.name.empty() && (largest == nullptr || extent > *largest)) largest = &extent;
        }
        if (*largest <= 2) break;
        *largest = *largest * 2 / 3;
      }
    }
  }

  void annotations() {
    if (choices_.chance(40))
      program_.warps = static_cast<int>(choices_.one_of<std::int64_t>({1, 2, 3, 4, 8}));
    if (on_.products && !has_pipeline_ && choices_.chance(30))
      program_.stages = static_cast<int>(choices_.between(1, 7));
    for (const Binder& one : program_.binders) {
      if (one.step == Step::named && choices_.chance(50))
        program_.tiles["B" + one.name] = choices_.one_of<std::int64_t>({16, 32, 48, 64, 80, 96, 128});
    }
  }

  Choices choices_;
  Features on_;
  Profile profile_;
  Program program_;
  ValueGenerator values_;
  bool has_pipeline_ = false;
  std::vector<int> around_;  ///< the grid's ranges and scalars of loops around the current statement
};

}  // namespace

Program generate(std::uint64_t seed, const Profile& profile) { return Generator(seed, profile).run(); }

}  // namespace tessera::fuzz
