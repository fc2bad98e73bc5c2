// SPDX-License-Identifier: Apache-2.0
// The ground truth of the kernels: what each one is called with, and a plain loop that says what must come
// out.
//
// A sweep runner goes through cases(); for each it picks a value of every symbol, builds a Problem (which
// makes the inputs), runs the kernel on values(input) by whatever means, and asks compare() about each
// output.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bounded.h"
#include "numbers.h"

namespace tessera::reference {

/// Values of a kernel's dimension symbols.
using Sizes = std::map<std::string, std::int64_t>;

/// A tensor parameter. Inputs are drawn evenly from [low, high] and rounded to the dtype; `step` != 0 draws
/// multiples of it instead, so that equal elements are common. `of_all_kinds` draws from the whole dtype: NaN, infinities,
/// zeros, ends of the range, denormals, and what lies half way between two numbers of a shorter format, or beside it.
struct TensorSpec {
  std::string name;
  std::string dtype;
  std::vector<std::string> dims;  ///< symbols or integers, row-major
  bool output = false;
  double low = -2;
  double high = 2;
  double step = 0;
  bool of_all_kinds = false;
};

inline TensorSpec input(std::string name, std::string dtype, std::vector<std::string> dims, double low = -2,
                        double high = 2, double step = 0) {
  return {std::move(name), std::move(dtype), std::move(dims), false, low, high, step};
}

inline TensorSpec input_of_all_kinds(std::string name, std::string dtype, std::vector<std::string> dims) {
  TensorSpec spec = input(std::move(name), std::move(dtype), std::move(dims));
  spec.of_all_kinds = true;
  return spec;
}

inline TensorSpec output(std::string name, std::string dtype, std::vector<std::string> dims) {
  return {std::move(name), std::move(dtype), std::move(dims), true};
}

/// A scalar parameter and the value the case passes (rounded to the dtype by Problem).
struct ScalarSpec {
  std::string name;
  std::string dtype;
  double value = 0;
};

/// What may differ between two correct runs of a kernel on the same arguments.
enum class Exactness {
  kBitwise,  ///< nothing: interpreter, host and GPU agree bit by bit under every plan (no float sums)
  kEqual,    ///< the sign of a zero: float sums of whole numbers, whose terms and order are the plan's
  kBounded,  ///< the order of float sums: runs agree within the bounds of the reference only
};

class Problem;

/// A kernel together with everything needed to run and judge it.
struct Case {
  std::string name;
  std::string file;                  ///< path from the repository's root
  std::string kernel;                ///< the kernel's or the instance's name in that file
  std::vector<std::string> symbols;  ///< free symbols, in sweep order
  std::map<std::string, std::function<std::int64_t(const Sizes&)>> derived =
      {};                                ///< symbols fixed by `where`
  std::vector<TensorSpec> tensors;       ///< in the kernel's order
  std::vector<ScalarSpec> scalars = {};  ///< in the kernel's order
  Exactness exactness = Exactness::kBitwise;
  std::function<void(Problem&)> reference;
  std::function<bool(const Sizes&)> allowed = {};  ///< empty: every combination of sizes, 0 included
  bool rounds_between =
      false;  ///< what is rounded on the way makes a difference: doubles give something else
  std::size_t problems = 1000000;  ///< at most so many unless all are asked for: tiles take long on a host
};

/// All cases; the reference never changes after the first call.
const std::vector<Case>& cases();

/// A row-major tensor seen by its indices. `Cell` is what an element is.
template <class Cell>
class View {
 public:
  View(Cell* cells, const std::vector<std::int64_t>& shape) : cells_(cells), rank_(shape.size()) {
    assert(rank_ <= shape_.size());
    for (std::size_t i = 0; i < rank_; ++i) shape_[i] = shape[i];
  }

  template <class... Index>
  Cell& operator()(Index... index) const {
    assert(sizeof...(Index) == rank_);
    std::int64_t offset = 0;
    std::size_t axis = 0;
    ((assert(index >= 0 && index < shape_[axis]), offset = offset * shape_[axis++] + index), ...);
    return cells_[offset];
  }

  /// Whether the index lies inside the tensor.
  template <class... Index>
  bool has(Index... index) const {
    std::size_t axis = 0;
    return ((index >= 0 && index < shape_[axis++]) && ...);
  }

 private:
  Cell* cells_;
  std::size_t rank_;
  std::array<std::int64_t, 8> shape_ = {};
};

using Input = View<const double>;

/// An output: set() rounds to the tensor's dtype as the language's store does.
class Output {
 public:
  Output(View<Bounded> cells, const Format& format) : cells_(cells), format_(&format) {}

  /// One element in the making, so that a loop reads `y(i, j) = value`.
  class Element {
   public:
    Element(Bounded& cell, const Format& format) : cell_(cell), format_(format) {}
    template <class P>
    void operator=(Tracked<P> number) && {
      cell_ = store(format_, number);
    }
    void operator=(double exact) && { cell_ = {round_to(format_, exact), 0}; }

   private:
    Bounded& cell_;
    const Format& format_;
  };

  template <class... Index>
  Element operator()(Index... index) const {
    return {cells_(index...), *format_};
  }

 private:
  View<Bounded> cells_;
  const Format* format_;
};

/// One call of a case's kernel: sizes, scalars, inputs made from a seed, and what the outputs must be.
/// Look up in(), out(), dim() and scalar() once, before the loops.
class Problem {
 public:
  /// `sizes` holds the case's free symbols; the derived ones are added. The case must outlive the problem.
  Problem(const Case& description, Sizes sizes, std::uint64_t seed = 1);

  const Case& description() const { return *case_; }
  /// All symbols, the derived ones included.
  const Sizes& sizes() const { return sizes_; }
  std::int64_t dim(const std::string& symbol) const { return sizes_.at(symbol); }
  /// The scalar as the kernel receives it, rounded to its dtype.
  double scalar(const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& tensor) const;

  /// Elements of an input, row-major, each a value of its dtype. A runner may write its own.
  std::vector<double>& values(const std::string& input);
  /// What the output must be, row-major; filled by solve().
  const std::vector<Bounded>& expected(const std::string& output) const;
  /// Runs the case's reference.
  void solve() { case_->reference(*this); }

  Input in(const std::string& name) const;
  Output out(const std::string& name);

 private:
  struct Tensor {
    const TensorSpec* spec = nullptr;
    std::vector<std::int64_t> shape;
    std::vector<double> values;     // inputs
    std::vector<Bounded> expected;  // outputs
  };
  std::size_t index_of(const std::string& name) const;
  void draw(Tensor& tensor, std::uint64_t seed);

  const Case* case_;
  Sizes sizes_;
  std::vector<Tensor> tensors_;
};

/// How an output compares with the reference.
struct Comparison {
  std::int64_t wrong = 0;                   ///< elements outside their bound
  std::optional<std::int64_t> first_wrong;  ///< row-major position
  double worst = 0;                         ///< largest |actual - value| / error among the inexact elements
};

/// Compares a solved problem's `output` with the values a run produced (row-major, same count).
Comparison compare(const Problem& problem, const std::string& output, const std::vector<double>& actual);

/// Each family of kernels adds its cases.
void add_elementwise_cases(std::vector<Case>& cases);
void add_row_cases(std::vector<Case>& cases);
void add_stencil_cases(std::vector<Case>& cases);
void add_layout_cases(std::vector<Case>& cases);
void add_clifford_cases(std::vector<Case>& cases);
void add_product_example_cases(std::vector<Case>& cases);
void add_corner_cases(std::vector<Case>& cases);

}  // namespace tessera::reference
