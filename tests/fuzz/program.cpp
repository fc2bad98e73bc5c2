// SPDX-License-Identifier: Apache-2.0
// Questions about the tree; see program.h.
#include "fuzz/program.h"

#include <algorithm>
#include <iterator>
#include <random>

namespace tessera::fuzz {

namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

void join(std::vector<int>& axes, const std::vector<int>& more) {
  axes.insert(axes.end(), more.begin(), more.end());
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
}

void find_axes(Program& program, std::vector<Statement>& statements) {
  for (Statement& statement : statements) {
    for (Expression& index : statement.indices) find_axes(program, index);
    find_axes(program, statement.value);
    if (statement.kind == StatementKind::let)
      program.locals[static_cast<std::size_t>(statement.local)].axes = statement.value.axes;
    find_axes(program, statement.body);
  }
}

/// Counts points of values: those of their axes, of what they fold, and of everything around. Where folds are not
/// kept, one inside another is computed again for each of the outer one's elements.
class Work {
 public:
  Work(const Program& program, int problem, bool keeps_folds)
      : program_(program), problem_(problem), keeps_folds_(keeps_folds) {}

  double of(const std::vector<Statement>& body, const std::vector<int>& around) const {
    double work = 0;
    for (const Statement& one : body) {
      std::vector<int> axes = around;
      if (one.kind == StatementKind::loop) {
        join(axes, one.ranges);
        work += of(one.body, axes);
        continue;
      }
      if (one.local >= 0) join(axes, program_.locals[static_cast<std::size_t>(one.local)].axes);
      for (const Expression& index : one.indices) join(axes, index.axes);
      work += points(axes) + of(one.value, keeps_folds_ ? around : axes);
    }
    return work;
  }

 private:
  /// All of it happens `times` times: a fold over an axis that is around already has a range of its own.
  double of(const Expression& e, const std::vector<int>& around, double times = 1) const {
    double work = 0;
    std::vector<int> inside = around;
    if (!e.folded.empty()) {
      if (!keeps_folds_) times *= repeated(e.folded, around);
      std::vector<int> axes = around;
      join(axes, e.axes);
      join(axes, e.folded);
      work += times * points(axes);
      if (!keeps_folds_) inside = std::move(axes);
    }
    for (const Expression& argument : e.arguments) work += of(argument, inside, times);
    return work;
  }

  double repeated(const std::vector<int>& folded, const std::vector<int>& around) const {
    std::vector<int> again;
    std::ranges::copy_if(folded, std::back_inserter(again),
                         [&](int axis) { return std::ranges::find(around, axis) != around.end(); });
    return points(again);
  }

  double points(const std::vector<int>& axes) const {
    double count = 1;
    for (const int axis : axes) {
      const auto [from, to] = range_of(program_, program_.binders[static_cast<std::size_t>(axis)], problem_);
      count *= static_cast<double>(std::max<std::int64_t>(1, to - from));
    }
    return count;
  }

  const Program& program_;
  int problem_;
  bool keeps_folds_;
};

}  // namespace

double repeated_work_of(const Program& program, int problem) {
  return Work(program, problem, false).of(program.body, program.grid);
}

double work_of(const Program& program, int problem) {
  double work = Work(program, problem, true).of(program.body, program.grid);
  for (const Tensor& tensor : program.tensors) {
    double elements = 1;
    for (const std::int64_t extent : shape_of(program, tensor, problem))
      elements *= static_cast<double>(extent);
    work += elements;
  }
  return work;
}

std::int64_t Symbol::most() const { return *std::ranges::max_element(extents); }
std::int64_t Symbol::least() const { return *std::ranges::min_element(extents); }

bool is_scalar(const Binder& binder) {
  return binder.step == Step::none && (binder.kind == BinderKind::grid || binder.kind == BinderKind::loop);
}

std::int64_t value_of(const Program& program, const Size& size, int problem) {
  if (size.symbol < 0) return size.offset;
  const Symbol& symbol = program.symbols[static_cast<std::size_t>(size.symbol)];
  return floor_divide(size.scale * symbol.extents[static_cast<std::size_t>(problem)] + size.offset,
                      size.divisor);
}

std::pair<std::int64_t, std::int64_t> range_of(const Program& program, const Binder& binder, int problem) {
  const Symbol& symbol = program.symbols[static_cast<std::size_t>(binder.symbol)];
  const std::int64_t extent = symbol.extents[static_cast<std::size_t>(problem)];
  if (binder.to < 0) return {0, extent};
  return {std::min(binder.from, extent), std::min(binder.to, extent)};
}

std::vector<std::int64_t> shape_of(const Program& program, const Tensor& tensor, int problem) {
  std::vector<std::int64_t> shape;
  for (const Size& size : tensor.dimensions) shape.push_back(value_of(program, size, problem));
  return shape;
}

void find_axes(const Program& program, Expression& expression) {
  expression.axes.clear();
  for (Expression& argument : expression.arguments) find_axes(program, argument);
  for (const Expression& argument : expression.arguments) join(expression.axes, argument.axes);
  if (expression.kind == Kind::coordinate || expression.kind == Kind::tile_id) {
    // The number of a tile is one number for all of the tile: it has no axis.
    if (expression.kind == Kind::coordinate) join(expression.axes, {expression.binder});
  } else if (expression.kind == Kind::local) {
    expression.axes = program.locals[static_cast<std::size_t>(expression.local)].axes;
    std::ranges::sort(expression.axes);
  }
  std::vector<int> gone = expression.folded;
  if (expression.kind == Kind::pick) gone.push_back(expression.binder);
  std::erase_if(expression.axes, [&](int axis) { return std::ranges::find(gone, axis) != gone.end(); });
}

void find_axes(Program& program) { find_axes(program, program.body); }

std::vector<double> input_values(const Program& program, int number, int problem) {
  const Tensor& tensor = program.tensors[static_cast<std::size_t>(number)];
  std::int64_t count = 1;
  for (const std::int64_t extent : shape_of(program, tensor, problem)) count *= extent;
  std::mt19937_64 random(program.seed * 1000003 + static_cast<std::uint64_t>(number * 64 + problem));
  const auto width = static_cast<std::uint64_t>(tensor.high - tensor.low + 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values)
    value = static_cast<double>(tensor.low + static_cast<std::int64_t>(random() % width));
  return values;
}

}  // namespace tessera::fuzz
