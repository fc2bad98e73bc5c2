// SPDX-License-Identifier: Apache-2.0
// Random values over given axes; see generate.h for whole programs.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/generate.h"
#include "fuzz/values.h"

namespace tessera::fuzz {

/// What a value may read: a let, or a variable that no loop around is summing up.
struct Readable {
  int local;
  double bound;
  bool is_total;
};

class ValueGenerator {
 public:
  ValueGenerator(Program& program, Choices& choices, const Features& features, const Profile& profile)
      : program_(program), choices_(choices), on_(features), profile_(profile) {}

  /// A value of exactly that type whose axes are among `axes`; `total` asks that it exists everywhere.
  Expression value(DType type, const std::vector<int>& axes, int depth, bool total);
  /// The same; it has all axes of `must` as well, which are among `axes`.
  Expression value_with(DType type, const std::vector<int>& axes, const std::vector<int>& must, int depth,
                        bool total);
  /// A fold of any kind over given ranges, in any type.
  Expression fold_over(const std::vector<int>& folded, DType type, const std::vector<int>& axes, int depth);
  /// Sums of products over given ranges. Absent where no factors can be had.
  std::optional<Expression> product_over(std::vector<int> folded, DType type, std::vector<int> axes,
                                         int depth);

  /// A sum of products over a whole dimension, mostly, in a type that instructions have.
  std::optional<Expression> main_product(const std::vector<int>& axes);

  /// A type for a value that is to be stored or kept.
  DType any_type();
  DType factor_type(DType sum);

  /// Ranges that a fold in the current statement may introduce are declared here, and taken by the statement.
  std::vector<int> take_lets() { return std::exchange(lets_, {}); }
  int add_symbol_binder(BinderKind kind, int symbol);
  int colon_of(int symbol);
  int literal_symbol(std::int64_t extent);
  std::vector<Conjunct> relation(int binder, const std::vector<int>& others);
  /// Axes that a relation of these ranges mentions, themselves included.
  std::vector<int> related_axes(const std::vector<int>& ranges) const;
  double count_of(int binder) const;
  bool is_never_empty(int binder) const;
  bool is_bounded(int binder) const;

  std::vector<Readable> readable;
  std::vector<int> loop_ranges;  ///< with a step, around the current statement

 private:
  Expression leaf(DType type, const std::vector<int>& axes, bool total);
  Expression scalar(DType type);
  Expression load(DType type, std::vector<int> axes, bool total);
  Expression index_of(int binder, Size& size, bool& is_inside, const std::vector<int>& axes,
                      bool is_periodic);
  Expression whole(DType type, const std::vector<int>& axes, int depth, bool total);
  Expression real(DType type, const std::vector<int>& axes, int depth, bool total);
  Expression truth(const std::vector<int>& axes, int depth, bool total);
  Expression narrow(DType type, const std::vector<int>& axes, int depth, bool total);
  Expression index_value(const std::vector<int>& axes, int depth, bool total);
  std::optional<Expression> common(DType type, const std::vector<int>& axes, int depth, bool total);
  std::optional<Expression> fold(DType type, const std::vector<int>& axes, int depth);
  std::optional<Expression> product(DType type, const std::vector<int>& axes, int depth);
  Expression factor(DType type, const std::vector<int>& axes, const std::vector<int>& must, int depth);
  Expression ensured(Expression value, bool total);
  Expression literal(DType type);
  DType other_type(DType type);
  std::vector<int> fold_ranges(const std::vector<int>& axes);

  const Binder& binder(int id) const { return program_.binders[static_cast<std::size_t>(id)]; }
  const Symbol& symbol_of(int id) const {
    return program_.symbols[static_cast<std::size_t>(binder(id).symbol)];
  }

  Program& program_;
  Choices& choices_;
  const Features& on_;
  const Profile& profile_;
  std::vector<int> lets_;
};

}  // namespace tessera::fuzz
