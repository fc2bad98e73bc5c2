// SPDX-License-Identifier: Apache-2.0
// A small layout engine for the formatter: text with places where a line may break, and groups that are kept on one
// line if they fit.
#pragma once

#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"

namespace tessera {

using LayoutId = Id<struct LayoutTag>;

/// Builds layouts and lays them out. A layout is made of texts, breaks, concatenations, indentations and groups.
class Layout {
 public:
  explicit Layout(std::size_t width) : width_(width) {}

  LayoutId text(std::string text);
  /// A space, or a new line where the enclosing group does not fit.
  LayoutId line();
  /// Nothing, or a new line where the enclosing group does not fit.
  LayoutId soft_line();
  LayoutId concat(std::vector<LayoutId> parts);
  /// New lines inside start `columns` further right.
  LayoutId indent(std::size_t columns, LayoutId part);
  /// All breaks directly inside are lines, or none is.
  LayoutId group(LayoutId part);
  /// `parts` with `separator` and a break between them.
  LayoutId join(const std::vector<LayoutId>& parts, const std::string& separator);

  /// The text of `root`, its first line starting at column `indentation` (not written), later ones indented by it.
  std::string print(LayoutId root, std::size_t indentation) const;

 private:
  struct Text {
    std::string text;
    std::size_t width;
  };
  struct Break {
    bool space;
  };
  struct Concat {
    std::vector<LayoutId> parts;
  };
  struct Indent {
    std::size_t columns;
    LayoutId part;
  };
  struct Group {
    LayoutId part;
  };
  using Node = std::variant<Text, Break, Concat, Indent, Group>;

  struct Item {
    LayoutId id;
    std::size_t indentation;
    bool flat;
  };

  /// Whether `item`, and what follows it up to the next possible break, fits into `room` columns.
  bool fits(Item item, const std::vector<Item>& rest, std::size_t room) const;

  std::size_t width_;
  Store<LayoutId, Node> nodes_;
};

}  // namespace tessera
