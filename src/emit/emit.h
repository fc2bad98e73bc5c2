// SPDX-License-Identifier: Apache-2.0
// The way from checked kernels to files: plan for a chip, lower, print. One function.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// What tests and `--plan` may fix; absent fields are the planner's choice. Never changes the meaning.
struct PlanOverrides {
  std::map<std::string, int64_t> tiles = {};  // extent of a plan step, by range name: {"r", 16}
  std::optional<int> warps = {};              // per block
  std::optional<int> vector = {};             // elements per memory access: 1, 2, 4, 8, 16
  std::optional<int> stages = {};             // of the rings that bring the factors of products: 1 to 7
  std::optional<int> raster = {};             // rows of tiles that blocks walk over together: 1 to 64
  std::optional<int> warpgroups = {};         // that multiply what another warp copies: up to 3
  std::optional<int> cluster = {};            // of blocks that share what they read of columns: 1 or 2
  std::optional<int> split = {};              // blocks that share the terms of a tile: 1 to 64
  std::optional<int> turn = {};               // 0: factors across what is summed over are copied into lines
};

/// A planted fault: leaves out the n-th (from 0) construct of a kind. For tests of the host twin only.
struct Fault {
  enum class Kind { guard, barrier, fill, initialisation, mask };
  Kind kind;
  int index = 0;
};

/// `#line` directives, so that debuggers, profilers and compilers name the source instead of the generated file.
struct LineMap {
  std::string source;                                          // path of the .tsr file
  std::function<std::string(const std::string&)> destination;  // path of a generated file, by its name
};

struct Options {
  std::vector<std::string> architectures = {"sm_80", "sm_90"};  // rows of targets.def
  PlanOverrides plan;
  std::optional<Fault> fault;
  std::string file_stem;               // "softmax": names of the generated files
  std::string source_name;             // as it stands in comments: "softmax.tsr"
  std::string name_space = "kernels";  // of the C++ functions
  std::optional<LineMap> line_map;     // absent: generated lines stand for themselves
  bool report = false;  // whether to estimate what kernels cost, which takes longer than emitting them
};

struct GeneratedFile {
  std::string name;
  std::string text;
};

struct Emission {
  GeneratedFile header;             // softmax.h: C++ and C interface
  std::vector<GeneratedFile> cuda;  // softmax.sm_80.cu, one an architecture
  GeneratedFile dispatcher;         // softmax.dispatch.cpp: chooses the architecture
  std::string plan;                 // what was decided, and why
  std::string report;  // if asked for: bytes, flops, shared memory, registers, coalescing, limits
};

/// Plans all kernels for the architectures, and reports what emitting them would: requests that cannot be honoured, and
/// products that are not what they seem. Stops behind the first architecture with an error.
void check_plans(const ir::Module& module, const Options& options, DiagnosticSink& sink);

/// Emits all kernels of a module. Nothing is returned when a diagnostic of severity error was reported.
std::optional<Emission> emit(const ir::Module& module, const Options& options, const SourceManager& sources,
                             DiagnosticSink& sink);

}  // namespace tessera::emit
