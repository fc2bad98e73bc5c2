// SPDX-License-Identifier: Apache-2.0
// Names of a lowered function with the numbers of a variant in place: what each holds, element by element.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/lowered.h"
#include "emit/plan.h"

namespace tessera::emit {

/// What an expression stands for. Equal keys, equal values.
struct HeldValue {
  std::string key;
  int id = -1;  // among the lifetimes; -1: takes no register
  std::optional<int64_t> constant;
  int64_t offset = 0;   // added by the instruction that uses it
  bool uniform = true;  // the same for the whole block

  /// The same with a constant added, which instructions do on their way.
  HeldValue moved(int64_t by) const;
  static HeldValue number(int64_t value);
  /// What costs nothing: parameters are read from constant memory.
  static HeldValue free(std::string key) { return {std::move(key), -1, std::nullopt, 0, true}; }
  static HeldValue of_thread(std::string key) { return {std::move(key), -1, std::nullopt, 0, false}; }
};

/// A local: scalar, array, vector, array of vectors, window of neighbours, or part of a vector.
struct HeldObject {
  std::vector<HeldValue> slots;
  std::vector<int> strides;  // in slots, one for each subscript
  int bytes = 4;             // of an element
  int lanes = 1;             // elements that share words
  int origin = 0;            // slot of element 0: windows begin before it
  bool is_divisor = false;
  bool is_part = false;       // slots: the first coordinate of a vector, and where the line ends
  bool is_bare = false;       // declared without a value
  std::size_t depth = 0;      // open loops around its declaration
  std::size_t guards = 0;     // open guards there
  std::map<int, int> copies;  // pairs that were loaded and copied to their homes
  std::map<int, int> homes;   // lifetimes of words that guards may leave as they were

  bool is_array() const { return strides.size() > 1; }
  int elements_a_word() const { return lanes > 1 && bytes < 4 ? 4 / bytes : 1; }
};

/// A place that is named: `x`, `x[i]`, `x_row[i][j]`; as one name or in pieces.
struct HeldPlace {
  HeldObject* object = nullptr;
  int slot = 0;
  bool is_known = false;      // all subscripts are constants
  bool is_vector = false;     // whole, without a subscript for its lanes
  std::vector<HeldValue> at;  // subscripts
  std::string name;
};

/// "x_row[i]" is x_row, i.
std::vector<std::string> words_of(std::string_view text);
/// Registers of a value of so many bytes, and of a type; conditions have registers of their own.
double words(int bytes);
double words(DType type);
/// Bytes of a type as generated code spells it.
int bytes_of_type(std::string_view cpp);

class HeldNames {
 public:
  explicit HeldNames(const Variant& variant);

  HeldObject* find(const std::string& name) const;
  HeldObject& declare(const std::string& name, std::size_t depth);
  void bind(const std::string& name, HeldValue value, std::size_t depth);
  void define_constant(const std::string& name, int64_t value) { constants_[name] = value; }
  /// For blocks: names that were declared after `mark` are forgotten.
  std::size_t mark() const { return names_.size(); }
  void forget(std::size_t mark) { names_.resize(mark); }

  std::optional<int64_t> number(const std::string& word) const;
  /// "kThreads * kVector * kStrips", "32 + 1", "i * kStep" in a loop that is written out
  std::optional<int64_t> constant_of(const std::string& text) const;
  /// The first value of the name, or a free one.
  HeldValue value_of(const std::string& word);
  /// Gives a declared object the shape of its declaration.
  HeldObject& shape(const lowered::Local& local, std::size_t depth);

 private:
  HeldObject& shape_window(HeldObject& object, const std::vector<std::string>& words) const;

  std::map<std::string, int64_t> constants_;
  std::vector<std::pair<std::string, std::shared_ptr<HeldObject>>> names_;
};

}  // namespace tessera::emit
