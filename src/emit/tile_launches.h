// SPDX-License-Identifier: Apache-2.0
// What a launcher says once for variants of one function that differ by the numbers of their tiles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/launch_text.h"
#include "emit/plan.h"
#include "emit/writer.h"

namespace tessera::emit {

class TileLaunches {
 public:
  /// Finds what variants have in common. Plan and names outlive the object.
  TileLaunches(const KernelPlan& plan, const LaunchText& text, LaunchNames& names);

  /// The structure of a tile, and one lambda for each function that has several variants.
  void define(Writer& writer) const;

  /// Whether the launch of a variant is one of these.
  bool contains(size_t variant) const { return launch_of_.contains(variant); }

  /// The call for a variant, up to its threads: for an instantiation of the function template, with the size of its tiles
  /// where blocks may share terms.
  std::string call(size_t variant, const std::string& instantiation, const std::string& size) const;

 private:
  struct Launch {
    std::string name, explanation;
    std::vector<std::string> statements;
    bool has_size = false;
  };
  using Members = std::vector<size_t>;

  void name_fields(const Variant& variant);
  bool has_fields(const Variant& variant) const;
  void add(const std::vector<std::string>& statements, const Members& members);

  const std::map<ir::AxisId, std::string>& extents_of(const Variant& variant) const;
  bool is_named(const std::string& field) const;

  const KernelPlan& plan_;
  LaunchNames& names_;
  std::map<ir::AxisId, std::string> fields_;  // of a tile, by axis
  std::vector<Launch> launches_;
  std::map<size_t, size_t> launch_of_;  // by variant
};

}  // namespace tessera::emit
