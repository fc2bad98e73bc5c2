// SPDX-License-Identifier: Apache-2.0
// Compiles, loads and launches; see execution.h.
#include "commands/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>

#include "base/check.h"
#include "commands/device.h"
#include "commands/pipeline.h"
#include "commands/shared_object.h"
#include "driver/process.h"
#include "driver/runtime_files.h"
#include "emit/signature.h"
#include "emit/target.h"
#include "tessera/abi.h"

namespace tessera::commands {

/// The functions of runtime/tools/runner.cpp. Each answers 0 for success.
struct LoadedKernel::Runner {
  const char* (*last_error)();
  int (*device_name)(int, char*, int64_t);
  int (*allocate)(int, int64_t, void**);
  int (*free)(int, void*);
  int (*copy_in)(int, void*, const void*, int64_t);
  int (*copy_out)(int, void*, const void*, int64_t);
  int (*fill)(int, void*, int, int64_t);
  int (*synchronize)(int);
  int (*time_start)(int);
  int (*time_stop)(int);
  int (*time_median)(double*);
  int (*copy_bandwidth)(int, int64_t, int, double*);
  int (*twin_fault)(int, char*, int64_t);
  int (*is_twin)();

  bool load(void* object, DiagnosticSink& sink) {
    const auto resolve = [&](auto& function, const char* name) {
      void* symbol = find_symbol(object, std::string("tessera_runner_") + name, sink);
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
      return symbol != nullptr;
    };
    return resolve(last_error, "last_error") && resolve(device_name, "device_name") &&
           resolve(allocate, "allocate") && resolve(free, "free") && resolve(copy_in, "copy_in") &&
           resolve(copy_out, "copy_out") && resolve(fill, "fill") && resolve(synchronize, "synchronize") &&
           resolve(time_start, "time_start") && resolve(time_stop, "time_stop") &&
           resolve(time_median, "time_median") && resolve(copy_bandwidth, "copy_bandwidth") &&
           resolve(twin_fault, "twin_fault") && resolve(is_twin, "is_twin");
  }
};

namespace {

constexpr int kDevice = 0;
constexpr int kPoison = 0xA5;
/// Bytes that the copy is measured with are more than any cache holds, and not all of a small GPU.
constexpr int kBandwidthRepeats = 20;

using Invoke = TesseraStatus (*)(const TesseraTensor*, const TesseraScalar*, const TesseraLaunch*);

/// Finds `unit0.cu:40` in a fault's text and puts the source line there that the comment at or above it
/// names.
std::string with_source_line(std::string text, const std::vector<std::string>& units) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::string place = fmt::format("unit{}.cu:", unit);
    const std::size_t begin = text.find(place);
    if (begin == std::string::npos) continue;
    std::size_t line = 0;
    const char* digits = text.data() + begin + place.size();
    const char* end = std::from_chars(digits, text.data() + text.size(), line).ptr;
    std::string source;
    std::size_t at = 0;
    for (std::size_t number = 1; number <= line && at < units[unit].size(); ++number) {
      const std::size_t newline = std::min(units[unit].find('\n', at), units[unit].size());
      const std::string_view whole = std::string_view(units[unit]).substr(at, newline - at);
      const std::size_t comment = whole.rfind("// ");
      const std::size_t colon = whole.rfind(':');
      const bool names_line = comment != std::string_view::npos && colon != std::string_view::npos &&
                              colon > comment && colon + 1 < whole.size() &&
                              whole.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
      if (names_line) source = whole.substr(comment + 3);
      at = newline + 1;
    }
    if (!source.empty()) text.replace(begin, static_cast<std::size_t>(end - (text.data() + begin)), source);
  }
  return text;
}

/// Every file of the host twin, which becomes one shared object for all kernels.
std::vector<std::string> twin_units() {
  std::vector<std::string> units = {"tools/runner.cpp"};
  for (const driver::RuntimeFile& file : driver::runtime_files()) {
    if (file.path.starts_with("src/") && file.path.ends_with(".cpp")) units.emplace_back(file.path);
  }
  return units;
}

/// Faster where the processor has it; results are the same, since fma means the same everywhere.
std::vector<std::string> host_options() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("fma") != 0) return {"-mfma"};
#endif
  return {};
}

/// The newest architecture whose code the first GPU runs; reports when there is no GPU.
std::optional<std::string> architecture_of_device(DiagnosticSink& sink) {
  const DeviceList& list = find_devices();
  if (list.devices.empty()) {
    sink.report(Diag::no_device, {}, list.problem)
        .help("`--on=host` runs the generated code on the host twin");
    return std::nullopt;
  }
  const int capability = list.devices.front().major * 10 + list.devices.front().minor;
  std::optional<std::string> best;
  for (const emit::Target& target : emit::all_targets()) {
    int number = 0;
    const std::string_view digits = target.name.substr(target.name.find('_') + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc() &&
        number <= capability) {
      best = target.name;
    }
  }
  if (!best) {
    sink.report(
        Diag::no_device, {},
        fmt::format("{} (compute capability {}.{}) is older than every architecture that "
                    "code is generated for",
                    list.devices.front().name, list.devices.front().major, list.devices.front().minor));
  }
  return best;
}

/// What nvcc is to compile code of an architecture for: the first GPU itself. Features bound to one chip
/// ("90a") are there on that chip alone.
std::string nvcc_architecture(const std::string& name) {
  const Device& device = find_devices().devices.front();
  const std::string chip = fmt::format("{}{}", device.major, device.minor);
  const std::string_view wanted = emit::find_target(name)->nvcc;
  return "sm_" + (wanted.starts_with(chip) ? std::string(wanted) : chip);
}

driver::CompileRequest kernel_request(const emit::Emission& emission, const ir::Kernel& kernel) {
  driver::CompileRequest request;
  for (const emit::GeneratedFile& file : emission.cuda) request.units.push_back({file.name, file.text});
  request.units.push_back({emission.dispatcher.name, emission.dispatcher.text});
  request.headers = {{emission.header.name, emission.header.text}};
  request.symbols = {emit::erased_entry(kernel)};
  return request;
}

/// The twin as a shared object of its own, loaded once.
void* load_twin(Toolbox& toolbox, const driver::Tool& compiler, DiagnosticSink& sink) {
  static void* twin = nullptr;
  if (twin != nullptr) return twin;
  driver::CompileRequest request{
      .compiler = compiler, .symbols = {"tessera_runner_allocate"}, .options = host_options()};
  request.runtime_units = twin_units();
  const auto bytes = toolbox.compile(request);
  if (bytes) twin = load_shared_object(*bytes, true, sink);
  return twin;
}

}  // namespace

/// Arrays in device memory, freed at the end.
struct LoadedKernel::DeviceTensors {
  const Runner& runner;
  std::vector<void*> memory = {};

  ~DeviceTensors() {
    for (void* pointer : memory) runner.free(kDevice, pointer);
  }

  /// Copies the arrays there, outputs poisoned. False after a failed call.
  bool fill(const ir::Kernel& kernel, const std::vector<interp::Array>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const auto bytes = static_cast<int64_t>(tensors[i].data.size());
      void* pointer = nullptr;
      if (runner.allocate(kDevice, bytes, &pointer) != 0) return false;
      memory.push_back(pointer);
      const bool is_output = kernel.tensors[kernel.tensors.id_at(i)].is_output;
      const int failed = is_output ? runner.fill(kDevice, pointer, kPoison, bytes)
                                   : runner.copy_in(kDevice, pointer, tensors[i].data.data(), bytes);
      if (failed != 0) return false;
    }
    return true;
  }

  /// The arguments in the order of the parameters.
  std::vector<TesseraTensor> arguments(const ir::Kernel& kernel,
                                       const std::vector<interp::Array>& tensors) const {
    std::vector<TesseraTensor> result;
    for (const auto& parameter : kernel.parameters) {
      const auto* id = std::get_if<ir::TensorId>(&parameter);
      if (id == nullptr) continue;
      const interp::Array& array = tensors[id->index()];
      TesseraTensor tensor{};
      tensor.data = memory[id->index()];
      tensor.rank = static_cast<int32_t>(array.extents.size());
      tensor.dtype = static_cast<int32_t>(array.dtype);
      tensor.device = runner.is_twin() != 0 ? TESSERA_HOST : kDevice;
      int64_t stride = 1;
      for (std::size_t d = array.extents.size(); d-- > 0;) {
        tensor.extent[d] = array.extents[d];
        tensor.stride[d] = stride;
        stride *= std::max<int64_t>(array.extents[d], 1);
      }
      result.push_back(tensor);
    }
    return result;
  }
};

static_assert(static_cast<int>(DType::i8) == TESSERA_I8 && static_cast<int>(DType::index) == TESSERA_INDEX &&
                  static_cast<int>(DType::bf16) == TESSERA_BF16 &&
                  static_cast<int>(DType::f64) == TESSERA_F64,
              "element types have the same numbers in the compiler and in the runtime");

std::string LoadedKernel::fault_text(int fault) const {
  char text[1024];
  if (runner_->twin_fault(fault, text, sizeof text) != 0) return {};
  return with_source_line(text, units_);
}

std::optional<LoadedKernel::Outcome> LoadedKernel::run(const Problem& problem,
                                                       const std::vector<interp::Array>& tensors,
                                                       const Launch& launch, DiagnosticSink& sink) const {
  const auto device_failed = [&](std::string_view what) {
    sink.report(Diag::device_failed, {}, what, runner_->last_error());
    return std::nullopt;
  };
  DeviceTensors memory{*runner_};
  if (!memory.fill(*kernel_, tensors)) return device_failed("took the tensors");
  const std::vector<TesseraTensor> arguments = memory.arguments(*kernel_, tensors);
  std::vector<TesseraScalar> scalars;
  for (const auto& parameter : kernel_->parameters) {
    const auto* id = std::get_if<ir::ScalarId>(&parameter);
    if (id == nullptr) continue;
    TesseraScalar scalar;
    if (is_float(kernel_->scalars[*id].dtype))
      scalar.real = problem.scalars[id->index()].real;
    else
      scalar.integer = problem.scalars[id->index()].integer;
    scalars.push_back(scalar);
  }
  const TesseraLaunch options{nullptr, launch.variant < 0 ? 0 : TESSERA_VARIANT(launch.variant), 0, 0};
  const auto invoke = [&] {
    return reinterpret_cast<Invoke>(invoke_)(arguments.data(), scalars.data(), &options);
  };

  const TesseraStatus status = invoke();
  if (status.code == TESSERA_UNKNOWN_VARIANT && launch.variant >= 0) return Outcome{};
  if (status.code == TESSERA_FAULT) {
    auto report = sink.report(Diag::execution_fault, {}, kernel_->c_name, fault_text(0));
    for (int fault = 1; fault < 4; ++fault) {
      if (const std::string text = fault_text(fault); !text.empty()) report.note("{}", text);
    }
    return std::nullopt;
  }
  if (status.code != TESSERA_OK) {
    char text[512];
    tessera_status_message(&status, text, sizeof text);
    sink.report(Diag::launch_refused, {}, kernel_->c_name, text).note("with {}", problem.spell_sizes());
    return std::nullopt;
  }
  if (runner_->synchronize(kDevice) != 0) return device_failed("ran the kernel");

  Outcome outcome{true, 0, tensors};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    interp::Array& array = outcome.tensors[i];
    if (!kernel_->tensors[kernel_->tensors.id_at(i)].is_output) continue;
    if (runner_->copy_out(kDevice, array.data.data(), memory.memory[i],
                          static_cast<int64_t>(array.data.size())) != 0) {
      return device_failed("gave the results back");
    }
  }
  for (int repeat = 0; repeat < launch.repeats; ++repeat) {
    if (runner_->time_start(kDevice) != 0) return device_failed("was timed");
    const TesseraStatus again = invoke();
    if (again.code != TESSERA_OK || runner_->time_stop(kDevice) != 0) return device_failed("was timed");
  }
  if (launch.repeats > 0 && runner_->time_median(&outcome.milliseconds) != 0)
    return device_failed("was timed");
  return outcome;
}

double LoadedKernel::copy_bandwidth(int64_t bytes) const {
  if (runner_->is_twin() != 0) return 0;
  double result = 0;
  return runner_->copy_bandwidth(kDevice, bytes, kBandwidthRepeats, &result) == 0 ? result : 0;
}

std::optional<LoadedKernel> load_kernel(Session& session, Toolbox& toolbox, const ir::Module& module,
                                        const ir::Kernel& kernel, Place place, const TargetOptions& target,
                                        const std::string& source_path) {
  TESSERA_CHECK(place != Place::interpreter, "the interpreter compiles nothing");
  emit::Options options = target.emit_options(source_path);
  if (place == Place::gpu) {
    const auto architecture = architecture_of_device(session.sink);
    if (!architecture) return std::nullopt;
    if (target.architectures.empty()) options.architectures = {*architecture};
  }
  options.architectures.erase(options.architectures.begin(),
                              options.architectures.end() - 1);  // the newest asked for
  const auto emission = emit_module(session, module, options);
  const driver::Tool* host = emission ? toolbox.host_compiler() : nullptr;
  const driver::Tool* compiler = host != nullptr && place == Place::gpu ? toolbox.nvcc() : host;
  if (compiler == nullptr) return std::nullopt;

  driver::CompileRequest request = kernel_request(*emission, kernel);
  request.compiler = *compiler;
  void* runtime = nullptr;
  if (place == Place::gpu) {
    request.is_nvcc = true;
    request.host_compiler = *host;
    request.architecture = nvcc_architecture(options.architectures.front());
    request.runtime_units = {"tools/runner.cpp"};
    request.symbols.emplace_back("tessera_runner_allocate");
  } else {
    request.options = host_options();
    runtime = session.timed("compile the twin", [&] { return load_twin(toolbox, *compiler, session.sink); });
    if (runtime == nullptr) return std::nullopt;
  }
  const auto bytes = session.timed("compile the kernel", [&] { return toolbox.compile(request); });
  void* object = bytes ? load_shared_object(*bytes, false, session.sink) : nullptr;
  if (object == nullptr) return std::nullopt;

  // Objects stay loaded, and a comparison has the twin and the GPU side by side: each keeps its own runner.
  static std::deque<LoadedKernel::Runner> runners;
  LoadedKernel::Runner& runner = runners.emplace_back();
  LoadedKernel loaded;
  loaded.kernel_ = &kernel;
  loaded.runner_ = &runner;
  loaded.invoke_ = find_symbol(object, emit::erased_entry(kernel), session.sink);
  if (loaded.invoke_ == nullptr || !runner.load(runtime != nullptr ? runtime : object, session.sink))
    return std::nullopt;
  for (const emit::GeneratedFile& file : emission->cuda) loaded.units_.push_back(file.text);
  char name[256] = "";
  if (runner.device_name(kDevice, name, sizeof name) != 0) {
    session.sink.report(Diag::no_device, {}, runner.last_error());
    return std::nullopt;
  }
  loaded.device_name_ = name;
  return loaded;
}

}  // namespace tessera::commands
