// SPDX-License-Identifier: Apache-2.0
// Plans are no part of a program's meaning: each kernel is compiled for the host twin under many of them, with more
// annotations and without any, and gives the bits of the interpreter every time (within the bounds, for float sums).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/check.h"
#include "base/load_source.h"
#include "emit/emit.h"
#include "frontend/parse.h"
#include "sema/check.h"
#include "sweep/interpreter_executor.h"
#include "sweep/plan_list.h"
#include "sweep/shared_unit.h"
#include "sweep/sweep.h"

namespace tessera::sweep {

namespace {

[[noreturn]] void fail(const std::string& reason, const DiagnosticSink& sink) {
  std::fprintf(stderr, "plans: %s\n", reason.c_str());
  for (const Diagnostic& diagnostic : sink.sorted()) {
    std::fprintf(stderr, "  %s\n", diagnostic.message.c_str());
    for (const auto& note : diagnostic.notes) std::fprintf(stderr, "    %s\n", note.text.c_str());
  }
  std::exit(3);
}

/// Stands for a plan that did not become a program.
class BrokenPlan : public Executor {
 public:
  explicit BrokenPlan(std::string error) : error_(std::move(error)) {}
  std::string name() const override { return "compiler"; }
  bool sees_layouts() const override { return false; }
  std::int64_t run(reference::Problem&, Layout, const std::function<void(Run)>& take) override {
    take({"no launch", error_, {}});
    return 0;
  }

 private:
  std::string error_;
};

/// Compiles plans of one source file for the host twin.
class PlanCompiler {
 public:
  PlanCompiler(const driver::Tool& compiler, const driver::Cache* cache, const std::string& path)
      : compiler_(compiler), cache_(cache), path_(path) {
    const auto file = load_source(std::string(TESSERA_SOURCE_DIR) + "/" + path, sources_, sink_);
    if (!file) fail(path, sink_);
    text_ = sources_.file(*file).text();
  }

  /// An executor for each of at most `limit` plans, spread evenly over all of them, for the program with more
  /// annotations, and for the program without any. Architectures take turns; the planner's own choice is tried for all.
  void add_executors(std::size_t limit, Executors& executors) {
    const ir::Module module = check_text(text_);
    const std::vector<NamedPlan> plans = all_plans(module);
    const std::size_t count = std::min(limit, plans.size());
    for (std::size_t i = 0; i < count; ++i) {
      add_program(module, plans[i * plans.size() / count], kArchitectures[i % std::size(kArchitectures)],
                  executors);
    }
    for (const char* architecture : kArchitectures) {
      if (architecture != kArchitectures[0]) add_program(module, plans[0], architecture, executors);
      add_program(check_text(annotated(text_, module)), {"more annotations", {}}, architecture, executors);
    }
    const std::string bare = without_annotations(text_);
    if (bare != text_) add_program(check_text(bare), {"no annotations", {}}, kArchitectures[0], executors);
    compile_programs(executors);
  }

 private:
  ir::Module check_text(const std::string& text) {
    const FileId file = sources_.add(path_, text);
    const std::optional<ast::File> tree = parse(sources_.file(file), sink_);
    std::optional<ir::Module> module = tree ? check(*tree, sink_) : std::nullopt;
    if (!module) fail(path_, sink_);
    return std::move(*module);
  }

  /// Whether a plan asks a kernel for what cannot be.
  static bool is_refused(const ir::Kernel& kernel, const emit::Options& options) {
    DiagnosticSink sink;
    emit::check_plans({{kernel}}, options, sink);
    return std::ranges::any_of(sink.sorted(),
                               [](const Diagnostic& one) { return one.kind == Diag::request_impossible; });
  }

  /// The kernels that can honour a plan, under this plan.
  void add_program(ir::Module module, const NamedPlan& plan, const char* architecture, Executors& executors) {
    const std::string name = plan.name + " for " + architecture;
    const bool is_asked = plan.name != "chosen plan" && !plan.name.ends_with("annotations");
    emit::Options options;
    options.architectures = {architecture};
    options.plan = plan.overrides;
    options.file_stem = "program_" + std::to_string(programs_.size());
    options.name_space = options.file_stem;
    options.source_name = std::filesystem::path(path_).filename();
    std::erase_if(module.kernels,
                  [&](const ir::Kernel& kernel) { return !has_axes(kernel, plan.overrides); });
    if (is_asked)
      std::erase_if(module.kernels, [&](const ir::Kernel& kernel) { return is_refused(kernel, options); });
    if (module.kernels.empty()) return;
    std::optional<emit::Emission> emission;
    try {
      emission = emit::emit(module, options, sources_, sink_);
    } catch (const InternalError& error) {  // the other plans are still worth trying
      executors.push_back(std::make_unique<BrokenPlan>("plan " + name + ": " + error.what()));
      return;
    }
    if (!emission) fail(path_ + " under " + name, sink_);
    UnitProgram program{std::move(*emission), {}};
    for (const ir::Kernel& kernel : module.kernels) program.kernels.push_back(kernel.c_name);
    programs_.push_back(std::move(program));
    names_.push_back(name);
    if (programs_.size() == kProgramsOfUnit) compile_programs(executors);
  }

  /// Compiles what has been collected.
  void compile_programs(Executors& executors) {
    if (programs_.empty()) return;
    std::string error;
    const SharedUnit unit(programs_, compiler_, cache_, error);
    if (!unit.is_loaded()) fail(path_ + " under " + names_.front() + " and others: " + error, sink_);
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const auto find = [object = unit.object(),
                         i](const std::string& kernel) {  // null: the plan is none of it
        return find_entry(object, i, kernel);
      };
      executors.push_back(std::make_unique<LaunchExecutor>(find, "plan " + names_[i] + ", "));
    }
    names_.clear();
    programs_.clear();
  }

  static constexpr const char* kArchitectures[] = {"sm_90", "sm_80"};
  static constexpr std::size_t kProgramsOfUnit = 8;

  const driver::Tool& compiler_;
  const driver::Cache* cache_;
  std::string path_;
  std::string text_;
  SourceManager sources_;
  DiagnosticSink sink_;
  std::vector<UnitProgram> programs_;
  std::vector<std::string> names_;  // of their plans
};

/// The executors of each source file, made by the first thread that asks for them.
class PlanTable {
 public:
  PlanTable(driver::Tool compiler, std::size_t limit) : compiler_(std::move(compiler)), limit_(limit) {
    driver::CacheRefusal refusal;
    if (const char* folder = std::getenv("TESSERA_CACHE_DIR")) cache_ = driver::Cache::open(folder, refusal);
  }

  const Executors& of(const std::string& path) {
    Slot* slot = nullptr;
    {
      const std::lock_guard lock(mutex_);
      slot = &slots_[path];
    }
    std::call_once(slot->made, [&] {
      slot->executors.push_back(std::make_unique<InterpreterExecutor>());
      PlanCompiler(compiler_, cache_ ? &*cache_ : nullptr, path).add_executors(limit_, slot->executors);
      std::printf("%s: %zu programs\n", path.c_str(), slot->executors.size() - 1);
      std::fflush(stdout);
    });
    return slot->executors;
  }

 private:
  struct Slot {
    std::once_flag made;
    Executors executors;
  };
  driver::Tool compiler_;
  std::optional<driver::Cache> cache_;
  std::size_t limit_;
  std::mutex mutex_;
  std::map<std::string, Slot> slots_;
};

}  // namespace

}  // namespace tessera::sweep

int main(int count, char** arguments) {
  using namespace tessera::sweep;
  Options defaults;
  defaults.largest = 1 << 15;
  defaults.budget = 1 << 15;
  defaults.problems = 12;
  defaults.limited_problems = 1;  // tiles of products take long without optimisation
  const Options options = parse_options(count, arguments, defaults);
  const tessera::driver::ToolLookup compiler = tessera::driver::find_host_compiler({});
  if (!compiler.tool) {
    std::fprintf(stderr, "plans: %s\n", compiler.problem.c_str());
    return 3;
  }
  PlanTable table(*compiler.tool, options.plans);
  return sweep(
      [&](const tessera::reference::Case& description) -> const Executors& {
        return table.of(description.file);
      },
      options);
}
