// SPDX-License-Identifier: Apache-2.0
// Plans are no part of a program's meaning: each kernel is compiled for the host twin under many of them, and once
// without any annotation, and gives the bits of the interpreter every time (within the bounds, for float sums).
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <regex>

#include "base/check.h"
#include "base/load_source.h"
#include "driver/compile.h"
#include "frontend/parse.h"
#include "sema/check.h"
#include "sweep/interpreter_executor.h"
#include "sweep/plan_list.h"
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

/// Loads a shared object; its references to the twin are bound to this program. A loaded name is never loaded
/// again, so that each object needs its own.
void* load(const std::string& bytes) {
  static std::atomic<int> number = 0;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("tessera_plan_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".so");
  DiagnosticSink sink;
  if (driver::write_file(path, bytes)) fail("cannot write " + path.string(), sink);
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(path);
  if (object == nullptr) fail(::dlerror(), sink);
  return object;
}

/// Stands for a plan that did not become a program.
class BrokenPlan : public Executor {
 public:
  explicit BrokenPlan(std::string error) : error_(std::move(error)) {}
  std::string name() const override { return "compiler"; }
  bool sees_layouts() const override { return false; }
  void run(reference::Problem&, Layout, const std::function<void(Run)>& take) override {
    take({"no launch", error_, {}});
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

  /// An executor for each of at most `limit` plans, spread evenly over all of them, and for the program
  /// without annotations.
  void add_executors(std::size_t limit, Executors& executors) {
    const ir::Module module = check_text(text_);
    const std::vector<NamedPlan> plans = all_plans(module);
    const std::size_t count = std::min(limit, plans.size());
    for (std::size_t i = 0; i < count; ++i) {
      const NamedPlan& plan = plans[i * plans.size() / count];
      executors.push_back(executor(module, plan.overrides, plan.name));
    }
    const std::string bare = std::regex_replace(text_, std::regex("@\\w+(\\([^)]*\\))?"), "");
    if (bare != text_) executors.push_back(executor(check_text(bare), {}, "no annotations"));
  }

 private:
  ir::Module check_text(const std::string& text) {
    const FileId file = sources_.add(path_, text);
    const std::optional<ast::File> tree = parse(sources_.file(file), sink_);
    std::optional<ir::Module> module = tree ? check(*tree, sink_) : std::nullopt;
    if (!module) fail(path_, sink_);
    return std::move(*module);
  }

  std::unique_ptr<Executor> executor(const ir::Module& module, const emit::PlanOverrides& plan,
                                     const std::string& name) {
    emit::Options options;
    options.architectures = {"sm_90"};
    options.plan = plan;
    options.file_stem = "kernels";
    options.source_name = std::filesystem::path(path_).filename();
    std::optional<emit::Emission> emission;
    try {
      emission = emit::emit(module, options, sources_, sink_);
    } catch (const InternalError& error) {  // the other plans are still worth trying
      return std::make_unique<BrokenPlan>("plan " + name + ": " + error.what());
    }
    if (!emission) fail(path_ + " under " + name, sink_);

    driver::CompileRequest request{.compiler = compiler_, .options = {"-O1"}};
    for (const emit::GeneratedFile& file : emission->cuda) request.units.push_back({file.name, file.text});
    request.units.push_back({emission->dispatcher.name, emission->dispatcher.text});
    request.headers = {{emission->header.name, emission->header.text}};
    for (const ir::Kernel& kernel : module.kernels)
      request.symbols.push_back("tessera_" + kernel.c_name + "_invoke");
    const std::optional<std::string> bytes = driver::compile(request, cache_, sink_);
    if (!bytes) fail(path_ + " under " + name, sink_);
    void* object = load(*bytes);
    const auto find = [object](const std::string& kernel) {
      return reinterpret_cast<Entry>(::dlsym(object, ("tessera_" + kernel + "_invoke").c_str()));
    };
    return std::make_unique<LaunchExecutor>(find, "plan " + name + ", ");
  }

  const driver::Tool& compiler_;
  const driver::Cache* cache_;
  std::string path_;
  std::string text_;
  SourceManager sources_;
  DiagnosticSink sink_;
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
