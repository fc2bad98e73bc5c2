// SPDX-License-Identifier: Apache-2.0
// The declarations of a file, and the kernels to be made of them.
#include "sema/check.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sema/constants.h"
#include "sema/functions.h"
#include "sema/generics.h"
#include "sema/kernels.h"

namespace tessera {

namespace {

using namespace sema;

class FileChecker {
 public:
  FileChecker(const ast::File& file, DiagnosticSink& sink) : file_(file), sink_(sink) {}

  std::optional<ir::Module> check() {
    scope_.push();
    declare_names();
    collect_instantiations();
    ir::Module module;
    for (const Instantiation& instantiation : instantiations_) {
      if (auto kernel = check_kernel(file_, sink_, scope_, instantiation))
        module.kernels.push_back(std::move(*kernel));
    }
    check_uncalled_functions();
    if (sink_.has_errors()) return std::nullopt;
    return module;
  }

 private:
  /// Constants and functions of the file, and the names of kernels.
  void declare_names() {
    ir::Kernel unused;
    Context context(file_, sink_, unused, scope_);
    for (const ast::DeclId id : file_.declarations) {
      const ast::Decl& declaration = file_[id];
      if (const auto* constant = std::get_if<ast::ConstDecl>(&declaration.node)) {
        declare_constant(context, *constant);
      } else if (std::holds_alternative<ast::FnDecl>(declaration.node)) {
        declare_function(context, id);
      } else if (const auto* kernel = std::get_if<ast::KernelDecl>(&declaration.node)) {
        declare_kernel(id, *kernel);
      } else {
        refuse(declaration);
      }
    }
  }

  /// Functions that no kernel calls may hold mistakes of their own: each is called once, with scalar parameters.
  void check_uncalled_functions() {
    for (const ast::DeclId id : file_.declarations) {
      const auto* function = std::get_if<ast::FnDecl>(&file_[id].node);
      const Entity* entity = function != nullptr ? scope_.find(function->name.text) : nullptr;
      if (entity == nullptr || entity->used || !std::holds_alternative<FunctionEntity>(entity->node))
        continue;
      const FunctionEntity callee = std::get<FunctionEntity>(entity->node);
      ir::Kernel unused;
      Context context(file_, sink_, unused, scope_);
      context.builder.open_block();
      std::vector<Operand> arguments;
      for (std::size_t i = 0; i < required_arguments(*function); ++i) {
        const ast::Parameter& parameter = function->parameters[i];
        const auto* type = std::get_if<ast::ScalarType>(&file_[parameter.type].node);
        const std::optional<DType> dtype =
            type != nullptr ? dtype_from_spelling(type->element.text) : std::nullopt;
        const ir::ScalarId scalar =
            unused.scalars.add({parameter.name.text, dtype.value_or(DType::f32), {}, parameter.span});
        arguments.push_back(
            {context.builder.add(ir::ScalarArgument{scalar}, unused.scalars[scalar].dtype, parameter.span),
             parameter.span});
      }
      call_function(context, callee, function->name.text, arguments, function->name.span);
    }
  }

  void declare_kernel(ast::DeclId id, const ast::KernelDecl& kernel) {
    const auto [entry, inserted] = kernels_.try_emplace(kernel.name.text, id);
    if (inserted) return;
    const auto& other = std::get<ast::KernelDecl>(file_[entry->second].node);
    sink_.report(Diag::name_clash, kernel.name.span, kernel.name.text)
        .label(other.name.span, "`{}` is a kernel here", kernel.name.text);
  }

  void refuse(const ast::Decl& declaration) {
    const auto say = [&](const char* construct, const char* rule) {
      not_implemented(sink_, declaration.span, construct, rule);
    };
    if (std::holds_alternative<ast::GraphDecl>(declaration.node)) say("`graph`", "R30");
    if (std::holds_alternative<ast::MeshDecl>(declaration.node)) say("`mesh`", "R30");
    if (std::holds_alternative<ast::ImportDecl>(declaration.node)) say("`import`", "R21");
    if (std::holds_alternative<ast::ExternFnDecl>(declaration.node)) say("`extern fn`", "R21");
  }

  /// In the order of the file: a kernel under its own name if its defaults allow, then its instances where they stand.
  void collect_instantiations() {
    std::set<std::string> instantiated;
    for (const ast::DeclId id : file_.declarations) {
      if (const auto* kernel = std::get_if<ast::KernelDecl>(&file_[id].node)) {
        if (kernels_.at(kernel->name.text) == id && has_all_defaults(kernel->generics)) {
          add({id, {}, kernel->name.text, kernel->name.span});
          instantiated.insert(kernel->name.text);
        }
      } else if (const auto* instance = std::get_if<ast::InstanceDecl>(&file_[id].node)) {
        add_instance(*instance);
        instantiated.insert(instance->kernel.text);
      }
    }
    for (const auto& [name, id] : kernels_) {
      if (instantiated.contains(name)) continue;
      const auto& kernel = std::get<ast::KernelDecl>(file_[id].node);
      sink_.report(Diag::never_instantiated, kernel.name.span, name)
          .help("`instance {}<…> as …;` makes a function of it, or give its generics defaults", name);
    }
  }

  void add_instance(const ast::InstanceDecl& instance) {
    const auto kernel = kernels_.find(instance.kernel.text);
    if (kernel == kernels_.end()) {
      auto report = sink_.report(Diag::instance_of_unknown, instance.kernel.span, instance.kernel.text);
      std::vector<std::string> names;
      for (const auto& [name, id] : kernels_) names.push_back(name);
      if (const auto suggestion = nearest(instance.kernel.text, names)) {
        report.fix(instance.kernel.span, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
      }
      return;
    }
    add({kernel->second, instance.generics, instance.name.text, instance.name.span});
  }

  void add(Instantiation instantiation) {
    const auto [entry, inserted] = c_names_.try_emplace(instantiation.c_name, instantiation.name_span);
    if (!inserted) {
      sink_.report(Diag::name_clash, instantiation.name_span, instantiation.c_name)
          .label(entry->second, "`{}` is a kernel here", instantiation.c_name)
          .note("a kernel whose generics all have defaults is there under its own name, too");
      return;
    }
    instantiations_.push_back(std::move(instantiation));
  }

  const ast::File& file_;
  DiagnosticSink& sink_;
  Scope scope_;
  std::map<std::string, ast::DeclId> kernels_;
  std::map<std::string, Span> c_names_;
  std::vector<Instantiation> instantiations_;
};

}  // namespace

std::optional<ir::Module> check(const ast::File& file, DiagnosticSink& sink) {
  return FileChecker(file, sink).check();
}

}  // namespace tessera
