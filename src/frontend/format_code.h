// SPDX-License-Identifier: Apache-2.0
// Layouts of everything that stands inside one statement or one head: expressions, types, ranges, parameters.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/layout.h"

namespace tessera {

/// Spells the parts of a file in canonical form; where lines break is left to the layout.
class CodeFormatter {
 public:
  CodeFormatter(const ast::File& file, Layout& layout) : file_(file), layout_(layout) {}

  LayoutId expr(ast::ExprId id);
  bool is_bare_number(ast::ExprId id) const;
  LayoutId type(ast::TypeId id);
  LayoutId range(const ast::Range& range);
  LayoutId ranges(const std::vector<ast::Range>& ranges);
  LayoutId static_bindings(const std::vector<ast::StaticBinding>& bindings);
  LayoutId parameter(const ast::Parameter& parameter);
  LayoutId clause(const ast::Clause& clause);
  LayoutId annotation(const ast::Annotation& annotation);
  /// ` @a @b(…)`, nothing for an empty list.
  LayoutId annotations_after(const std::vector<ast::Annotation>& annotations);
  LayoutId arguments(const std::vector<ast::Argument>& arguments);
  LayoutId generic_arguments(const std::vector<ast::GenericArgument>& generics);
  LayoutId generic_parameters(const std::vector<ast::GenericParameter>& generics);
  LayoutId names(const std::vector<ast::Name>& names, bool in_parentheses);

  LayoutId text(std::string text) { return layout_.text(std::move(text)); }
  LayoutId concat(std::vector<LayoutId> parts) { return layout_.concat(std::move(parts)); }
  Layout& layout() { return layout_; }

 private:
  friend struct ExprLayouter;

  LayoutId binary_chain(const ast::Binary& binary);
  LayoutId index_element(const ast::IndexElement& element);
  LayoutId dimension(const ast::Dimension& dimension);
  LayoutId domain(const ast::Domain& domain);
  LayoutId expr_list(const std::vector<ast::ExprId>& list, const std::string& open, const std::string& close);
  /// `open` items `close`, broken after `open` where they do not fit.
  LayoutId bracketed(const std::string& open, const std::vector<LayoutId>& items, const std::string& close);

  const ast::File& file_;
  Layout& layout_;
};

}  // namespace tessera
