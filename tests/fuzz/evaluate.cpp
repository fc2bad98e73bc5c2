// SPDX-License-Identifier: Apache-2.0
// The meaning of a generated program, point by point; see evaluate.h.
#include "fuzz/evaluate.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "fuzz/number.h"

namespace tessera::fuzz {

namespace {

using Value = std::optional<Number>;
using Box = std::pair<std::int64_t, std::int64_t>;

/// Values at all points of the boxes of some axes.
struct Tile {
  std::vector<int> axes;
  std::vector<Box> boxes;
  std::vector<Value> values;
  std::vector<bool> is_known;  ///< of a memory of folds
};

class Evaluator {
 public:
  Evaluator(const Program& program, int problem, std::int64_t partition)
      : program_(program), problem_(problem), partition_(partition) {
    for (const Binder& binder : program.binders) {
      boxes_.push_back(range_of(program, binder, problem));
      coordinates_.push_back(0);
      tile_ids_.push_back(0);
    }
    for (std::size_t i = 0; i < program.tensors.size(); ++i) prepare(static_cast<int>(i));
    locals_.resize(program.locals.size());
  }

  Expected run() {
    run_ranges(program_.grid, 0, program_.body);
    Expected expected;
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      if (program_.tensors[i].is_output) collect(i, expected);
    }
    return expected;
  }

 private:
  void prepare(int number) {
    const Tensor& tensor = program_.tensors[static_cast<std::size_t>(number)];
    shapes_.push_back(shape_of(program_, tensor, problem_));
    std::vector<Value> values;
    if (tensor.is_output) {
      std::int64_t count = 1;
      for (const std::int64_t extent : shapes_.back()) count *= extent;
      values.resize(static_cast<std::size_t>(count));
    } else {
      for (const double value : input_values(program_, number, problem_))
        values.push_back(from_whole(tensor.type, static_cast<std::int64_t>(value)));
    }
    tensors_.push_back(std::move(values));
  }

  void collect(std::size_t i, Expected& expected) const {
    const Tensor& tensor = program_.tensors[i];
    std::vector<double>& values = expected.outputs[tensor.name];
    for (const Value& value : tensors_[i]) {
      if (!value) expected.unwritten.push_back(tensor.name + " at " + std::to_string(values.size()));
      values.push_back(value ? as_double(*value, tensor.type) : 0);
    }
  }

  // ---- points ----

  const Binder& binder(int id) const { return program_.binders[static_cast<std::size_t>(id)]; }
  std::int64_t& coordinate(int id) { return coordinates_[static_cast<std::size_t>(id)]; }
  Box& box(int id) { return boxes_[static_cast<std::size_t>(id)]; }

  /// Calls `body` at each point of the boxes of some axes; what the coordinates were stays.
  template <typename Body>
  void at_points(const std::vector<int>& axes, const Body& body, std::size_t from = 0) {
    if (from == axes.size()) return body();
    const int axis = axes[from];
    const std::int64_t before = coordinate(axis);
    const Box range = box(axis);
    for (std::int64_t c = range.first; c < range.second; ++c) {
      coordinate(axis) = c;
      at_points(axes, body, from + 1);
    }
    coordinate(axis) = before;
  }

  Tile make_tile(const std::vector<int>& axes) {
    Tile tile{axes, {}, {}, {}};
    std::int64_t count = 1;
    for (const int axis : axes) {
      tile.boxes.push_back(box(axis));
      count *= std::max<std::int64_t>(0, box(axis).second - box(axis).first);
    }
    tile.values.resize(static_cast<std::size_t>(count));
    tile.is_known.resize(static_cast<std::size_t>(count));
    return tile;
  }

  std::size_t position(const Tile& tile) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < tile.axes.size(); ++i) {
      const std::int64_t c = coordinate(tile.axes[i]);
      if (c < tile.boxes[i].first || c >= tile.boxes[i].second) throw NotExact("a value outside of its tile");
      at = at * (tile.boxes[i].second - tile.boxes[i].first) + c - tile.boxes[i].first;
    }
    return static_cast<std::size_t>(at);
  }

  // ---- statements ----

  std::int64_t step_of(const Binder& range) const {
    switch (range.step) {
      case Step::none: return 1;
      case Step::semantic: return range.step_size;
      default: return partition_;
    }
  }

  void run_ranges(const std::vector<int>& ranges, std::size_t from, const std::vector<Statement>& body) {
    if (from == ranges.size()) return run(body);
    const int id = ranges[from];
    const Box whole = range_of(program_, binder(id), problem_);
    const std::int64_t step =
        std::min(step_of(binder(id)), std::max<std::int64_t>(1, whole.second - whole.first));
    std::int64_t number = 0;
    for (std::int64_t begin = whole.first; begin < whole.second; begin += step) {
      box(id) = {begin, std::min(begin + step, whole.second)};
      coordinate(id) = begin;
      tile_ids_[static_cast<std::size_t>(id)] = number++;
      run_ranges(ranges, from + 1, body);
    }
  }

  void run(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      known_.clear();
      switch (statement.kind) {
        case StatementKind::ranges: break;
        case StatementKind::let: keep(statement, statement.value.axes); break;
        case StatementKind::variable:
          keep(statement, program_.locals[static_cast<std::size_t>(statement.local)].axes);
          break;
        case StatementKind::assign: assign(statement); break;
        case StatementKind::store: store(statement); break;
        case StatementKind::loop: run_ranges(statement.ranges, 0, statement.body); break;
      }
    }
  }

  /// A let, or the initial value of a variable.
  void keep(const Statement& statement, const std::vector<int>& axes) {
    const Local& local = program_.locals[static_cast<std::size_t>(statement.local)];
    Tile tile = make_tile(axes);
    at_points(axes, [&] {
      Value value = at(statement.value);
      if (local.is_variable && !value) throw NotExact("an initial value that is absent");
      if (value) value = convert(*value, statement.value.type, local.type);
      tile.values[position(tile)] = value;
    });
    locals_[static_cast<std::size_t>(statement.local)] = std::move(tile);
  }

  /// All values are computed before the first is assigned: a point may read others of its own variable.
  void assign(const Statement& statement) {
    const Local& local = program_.locals[static_cast<std::size_t>(statement.local)];
    Tile& tile = locals_[static_cast<std::size_t>(statement.local)];
    std::vector<Value> values = tile.values;
    // What is assigned has the axes of the variable, too, so that relations among them are seen.
    std::vector<int> axes = statement.value.axes;
    axes.insert(axes.end(), tile.axes.begin(), tile.axes.end());
    std::ranges::sort(axes);
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    at_points(tile.axes, [&] {
      const Value value = at(statement.value);
      if (!value || !is_related(axes)) return;
      Number next = convert(*value, statement.value.type, local.type);
      Value& held = values[position(tile)];
      if (statement.operation != Operation::none) next = apply(statement.operation, *held, next, local.type);
      held = next;
    });
    tile.values = std::move(values);
  }

  void store(const Statement& statement) {
    const Tensor& tensor = program_.tensors[static_cast<std::size_t>(statement.tensor)];
    std::vector<int> axes;
    for (const Expression& index : statement.indices)
      axes.insert(axes.end(), index.axes.begin(), index.axes.end());
    std::ranges::sort(axes);
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    at_points(axes, [&] {
      const Value value = at(statement.value);
      const std::optional<std::size_t> to = element(statement.tensor, statement.indices);
      if (value && to)
        tensors_[static_cast<std::size_t>(statement.tensor)][*to] =
            convert(*value, statement.value.type, tensor.type);
    });
  }

  // ---- expressions ----

  /// The element at indices, if all of them exist and lie inside.
  std::optional<std::size_t> element(int number, const std::vector<Expression>& indices) {
    const Tensor& tensor = program_.tensors[static_cast<std::size_t>(number)];
    const std::vector<std::int64_t>& shape = shapes_[static_cast<std::size_t>(number)];
    std::int64_t at_element = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Value value = at(indices[d]);
      if (!value) return std::nullopt;
      auto index = static_cast<std::int64_t>(value->whole);
      if (tensor.is_periodic && shape[d] > 0) index = (index % shape[d] + shape[d]) % shape[d];
      if (index < 0 || index >= shape[d]) return std::nullopt;
      at_element = at_element * shape[d] + index;
    }
    return static_cast<std::size_t>(at_element);
  }

  /// The value at the current point; relations are seen by whatever has all of their axes.
  Value at(const Expression& expression) {
    const bool is_memorable = expression.kind == Kind::fold || expression.kind == Kind::product;
    if (!is_memorable) return is_related(expression.axes) ? value_of(expression) : std::nullopt;
    auto found = known_.find(&expression);
    if (found == known_.end()) found = known_.emplace(&expression, make_tile(expression.axes)).first;
    const std::size_t where = position(found->second);
    if (!found->second.is_known[where]) {
      const Value value = is_related(expression.axes) ? value_of(expression) : std::nullopt;
      Tile& tile = known_.at(&expression);  // folds inside have moved the table
      tile.values[where] = value;
      tile.is_known[where] = true;
      return value;
    }
    return found->second.values[where];
  }

  /// A range of the grid that takes one value at a time is there for every value.
  bool has_axis(const std::vector<int>& axes, int axis) const {
    const Binder& one = binder(axis);
    return (one.kind == BinderKind::grid && one.step == Step::none) || std::ranges::binary_search(axes, axis);
  }

  /// `axes`: of a value, ascending.
  bool is_related(const std::vector<int>& axes) {
    for (const int axis : axes) {
      for (const Conjunct& conjunct : binder(axis).relation) {
        const bool is_met = std::ranges::all_of(conjunct.affine.terms,
                                                [&](const auto& term) { return has_axis(axes, term.first); });
        if (is_met && !holds(conjunct)) return false;
      }
    }
    return true;
  }

  bool holds(const Conjunct& conjunct) {
    std::int64_t value = conjunct.affine.offset;
    for (const auto& [axis, scale] : conjunct.affine.terms) value += scale * coordinate(axis);
    if (conjunct.modulus > 0) value = ((value % conjunct.modulus) + conjunct.modulus) % conjunct.modulus;
    return apply(conjunct.operation, from_whole(DType::i64, value), Number{}, DType::i64).whole != 0;
  }

  Value value_of(const Expression& e) {
    switch (e.kind) {
      case Kind::literal: return from_whole(e.type, e.number);
      case Kind::coordinate: return from_whole(DType::index, coordinate(e.binder));
      case Kind::tile_id: return from_whole(DType::index, tile_ids_[static_cast<std::size_t>(e.binder)]);
      case Kind::extent:
        return from_whole(DType::index, fuzz::value_of(program_, {static_cast<int>(e.number)}, problem_));
      case Kind::scalar: {
        const Scalar& scalar = program_.scalars[static_cast<std::size_t>(e.number)];
        return from_whole(scalar.type, scalar.values[static_cast<std::size_t>(problem_)]);
      }
      case Kind::load: {
        const auto from = element(e.tensor, e.arguments);
        return from ? tensors_[static_cast<std::size_t>(e.tensor)][*from] : std::nullopt;
      }
      case Kind::local: {
        const Tile& tile = locals_[static_cast<std::size_t>(e.local)];
        return tile.values[position(tile)];
      }
      case Kind::fold: return folded(e);
      case Kind::product: return product(e);
      case Kind::pick: return picked(e);
      default: return pointwise(e);
    }
  }

  Value pointwise(const Expression& e) {
    const Value first = at(e.arguments[0]);
    if (e.kind == Kind::otherwise)
      return first ? convert(*first, e.arguments[0].type, e.type)
                   : converted(at(e.arguments[1]), e.arguments[1], e.type);
    if (!first) return std::nullopt;
    switch (e.kind) {
      case Kind::cast: return convert(*first, e.arguments[0].type, e.type);
      case Kind::unary: return apply(e.operation, convert(*first, e.arguments[0].type, e.type), e.type);
      case Kind::where_only: return first->whole != 0 ? at(e.arguments[1]) : std::nullopt;
      case Kind::where_else: {
        const Expression& chosen = e.arguments[first->whole != 0 ? 1 : 2];
        return converted(at(chosen), chosen, e.type);
      }
      default: break;
    }
    const Value second = at(e.arguments[1]);
    if (!second) return std::nullopt;
    const DType meeting = meeting_type(e);
    return apply(e.operation, convert(*first, e.arguments[0].type, meeting),
                 convert(*second, e.arguments[1].type, meeting), meeting);
  }

  static Value converted(const Value& value, const Expression& from, DType to) {
    return value ? Value(convert(*value, from.type, to)) : std::nullopt;
  }

  /// Where operands meet: in the type of the result, and for comparisons in that of the wider operand.
  static DType meeting_type(const Expression& e) {
    if (e.operation < Operation::equal || e.operation > Operation::greater_equal) return e.type;
    const DType a = e.arguments[0].type, b = e.arguments[1].type;
    if (a == b) return a;
    if (is_float(a)) return DType::f32;
    return DType::index;
  }

  Value folded(const Expression& e) {
    const Expression& argument = e.arguments[0];
    Value result;
    std::int64_t existing = 0, held = 0;
    Value place;
    at_points(e.folded, [&] {
      Value value = at(argument);
      if (!value) return;
      ++existing;
      if (is_bool(argument.type) && value->whole != 0) ++held;
      if (e.operation == Operation::count) return;
      if (e.operation == Operation::argmax || e.operation == Operation::argmin) {
        const Operation better = e.operation == Operation::argmax ? Operation::greater : Operation::less;
        if (result && apply(better, *value, *result, argument.type).whole == 0) return;
        place = from_whole(DType::index, coordinate(e.folded[0]));
        result = value;
        return;
      }
      value = convert(*value, argument.type, e.type);
      result = result ? apply(e.operation, *result, *value, e.type) : *value;
    });
    switch (e.operation) {
      case Operation::count: return from_whole(DType::index, is_bool(argument.type) ? held : existing);
      case Operation::argmax:
      case Operation::argmin: return place;
      case Operation::max:
      case Operation::min: return result;
      case Operation::sum:
      case Operation::any: return result ? result : from_whole(e.type, 0);
      default: return result ? result : from_whole(e.type, 1);
    }
  }

  Value product(const Expression& e) {
    Number total = from_whole(e.type, 0);
    at_points(e.folded, [&] {
      const Value a = at(e.arguments[0]);
      const Value b = a ? at(e.arguments[1]) : std::nullopt;
      if (!b) return;
      const Number term = apply(Operation::multiply, convert(*a, e.arguments[0].type, e.type),
                                convert(*b, e.arguments[1].type, e.type), e.type);
      total = apply(Operation::add, total, term, e.type);
    });
    return total;
  }

  Value picked(const Expression& e) {
    const std::int64_t before = coordinate(e.binder);
    coordinate(e.binder) = e.number;
    const Value value = at(e.arguments[0]);
    coordinate(e.binder) = before;
    return value;
  }

  const Program& program_;
  int problem_;
  std::int64_t partition_;
  std::vector<Box> boxes_;                 // by binder: the current tile
  std::vector<std::int64_t> coordinates_;  // by binder
  std::vector<std::int64_t> tile_ids_;     // by binder
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::vector<Value>> tensors_;
  std::vector<Tile> locals_;
  std::unordered_map<const Expression*, Tile> known_;  // folds of the statement that runs
};

}  // namespace

Expected evaluate(const Program& program, int problem, std::int64_t partition) {
  return Evaluator(program, problem, partition).run();
}

}  // namespace tessera::fuzz
