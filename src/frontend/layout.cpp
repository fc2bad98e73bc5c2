// SPDX-License-Identifier: Apache-2.0
// The layout algorithm: a stack of parts to write, each flat or broken, decided group by group from the outside in.
#include "frontend/layout.h"

#include <utility>

#include "base/utf8.h"

namespace tessera {

LayoutId Layout::text(std::string text) {
  const std::size_t width = utf8_length(text);
  return nodes_.add(Text{std::move(text), width});
}
LayoutId Layout::line() { return nodes_.add(Break{true}); }
LayoutId Layout::soft_line() { return nodes_.add(Break{false}); }
LayoutId Layout::concat(std::vector<LayoutId> parts) { return nodes_.add(Concat{std::move(parts)}); }
LayoutId Layout::indent(std::size_t columns, LayoutId part) { return nodes_.add(Indent{columns, part}); }
LayoutId Layout::group(LayoutId part) { return nodes_.add(Group{part}); }

LayoutId Layout::join(const std::vector<LayoutId>& parts, const std::string& separator) {
  std::vector<LayoutId> joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    joined.push_back(parts[i]);
    if (i + 1 < parts.size()) {
      joined.push_back(text(separator));
      joined.push_back(line());
    }
  }
  return concat(std::move(joined));
}

bool Layout::fits(Item item, const std::vector<Item>& rest, std::size_t room) const {
  std::vector<Item> stack{item};
  std::size_t next_in_rest = rest.size();
  while (true) {
    if (stack.empty()) {
      if (next_in_rest == 0) return true;
      stack.push_back(rest[--next_in_rest]);
    }
    const Item top = stack.back();
    stack.pop_back();
    const Node& node = nodes_[top.id];
    if (const auto* text = std::get_if<Text>(&node)) {
      if (text->width > room) return false;
      room -= text->width;
    } else if (const auto* broken = std::get_if<Break>(&node)) {
      if (!top.flat) return true;
      if (broken->space && room-- == 0) return false;
    } else if (const auto* concat = std::get_if<Concat>(&node)) {
      for (auto part = concat->parts.rbegin(); part != concat->parts.rend(); ++part) {
        stack.push_back({*part, top.indentation, top.flat});
      }
    } else if (const auto* indent = std::get_if<Indent>(&node)) {
      stack.push_back({indent->part, top.indentation, top.flat});
    } else {
      stack.push_back({std::get<Group>(node).part, top.indentation, top.flat});
    }
  }
}

std::string Layout::print(LayoutId root, std::size_t indentation) const {
  std::string out;
  std::size_t column = indentation;
  std::vector<Item> stack{{root, indentation, false}};
  while (!stack.empty()) {
    Item item = stack.back();
    stack.pop_back();
    const Node& node = nodes_[item.id];
    if (const auto* text = std::get_if<Text>(&node)) {
      out += text->text;
      column += text->width;
    } else if (const auto* broken = std::get_if<Break>(&node)) {
      if (!item.flat) {
        out += '\n' + std::string(item.indentation, ' ');
        column = item.indentation;
      } else if (broken->space) {
        out += ' ';
        ++column;
      }
    } else if (const auto* concat = std::get_if<Concat>(&node)) {
      for (auto part = concat->parts.rbegin(); part != concat->parts.rend(); ++part) {
        stack.push_back({*part, item.indentation, item.flat});
      }
    } else if (const auto* indent = std::get_if<Indent>(&node)) {
      stack.push_back({indent->part, item.indentation + indent->columns, item.flat});
    } else {
      Item group{std::get<Group>(node).part, item.indentation, true};
      const std::size_t room = column < width_ ? width_ - column : 0;
      if (!item.flat && !fits(group, stack, room)) group.flat = false;
      stack.push_back(group);
    }
  }
  return out;
}

}  // namespace tessera
